#pragma once

#include <optional>
#include <string>
#include <vector>

#include "mechfit/study/result_file.h"

// Results of a study as the paper shows them.
namespace mechfit {

// Runs with a larger test error are left out of the means, as in the published figures, and
// counted.
inline constexpr double kLeftOutAbove = 1e3;

// All seeds of one method in one setting.
struct StudyBar {
  std::string system;
  double noise = 0;
  std::string method;  // name
  double rate = 0;     // 0: none
  double mean = 0;     // over the runs that count; NaN when there is none
  double error = 0;    // its standard error; NaN for fewer than two
  int counted = 0, left_out = 0, failed = 0;
  std::vector<double> values;  // by StudySummary::seeds: infinite errors too, NaN without a result
  std::optional<double> published;
};

// Mean over seeds of first minus second. Seeds share data, splits and initial networks between
// methods, so the difference is known better than either mean.
struct StudyPair {
  std::string system;
  double noise = 0;
  double rate = 0;  // kBest: each method at the rate that does best
  std::string first, second;
  double difference = 0, error = 0;
  int pairs = 0;

  static constexpr double kBest = -1;
};

struct StudySummary {
  std::vector<int> seeds;
  std::vector<StudyBar> bars;    // by system, noise, rate, method
  std::vector<StudyPair> pairs;  // likewise
  int finished = 0, failed = 0, left_out = 0;
};

// Methods appear in the order of their names in `methods`. With `published` the bars of the
// published figures get their values.
StudySummary summarise(const std::vector<CellRecord>& records,
                       const std::vector<std::string>& methods, bool published);

// Read off the published figures (noise 0.1, rates 1e-4, 1e-3, 1e-2).
std::optional<double> published_value(const StudyBar& bar);

// results.csv: one row per cell; summary.csv: one row per bar; paired.csv: one row per pair.
std::string results_csv(const std::vector<CellRecord>& records);
std::string summary_csv(const StudySummary& summary);
std::string paired_csv(const StudySummary& summary);

}  // namespace mechfit
