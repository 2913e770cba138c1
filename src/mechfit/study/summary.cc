#include "mechfit/study/summary.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>

#include "mechfit/base/constants.h"
#include "mechfit/fit/fit.h"

namespace mechfit {
namespace {

bool counts(double value) { return value <= kLeftOutAbove; }  // not NaN

struct Moments {
  double mean = kNan, error = kNan;
  int count = 0;
};

// Mean and standard error s / sqrt(N), s^2 = sum (x - mean)^2 / (N - 1).
Moments moments(const std::vector<double>& values) {
  Moments m;
  m.count = static_cast<int>(values.size());
  if (m.count == 0) return m;
  double sum = 0, squares = 0;
  for (const double x : values) sum += x;
  m.mean = sum / m.count;
  for (const double x : values) squares += (x - m.mean) * (x - m.mean);
  if (m.count > 1) m.error = std::sqrt(squares / (m.count - 1) / m.count);
  return m;
}

// Undamped before damped, as in the paper.
int system_rank(const std::string& system) { return system == "undamped" ? 0 : 1; }

int method_rank(const std::vector<std::string>& methods, const std::string& name) {
  return static_cast<int>(std::find(methods.begin(), methods.end(), name) - methods.begin());
}

void finish_bar(StudyBar& bar) {
  std::vector<double> counted;
  for (const double value : bar.values) {
    if (counts(value)) counted.push_back(value);
    bar.left_out += value > kLeftOutAbove;
  }
  const Moments m = moments(counted);
  bar.mean = m.mean;
  bar.error = m.error;
  bar.counted = m.count;
}

StudyPair compare(const StudyBar& first, const StudyBar& second, double rate) {
  std::vector<double> differences;
  for (std::size_t s = 0; s < first.values.size(); ++s)
    if (counts(first.values[s]) && counts(second.values[s]))
      differences.push_back(first.values[s] - second.values[s]);
  const Moments m = moments(differences);
  return {first.system, first.noise, rate, first.method, second.method, m.mean, m.error, m.count};
}

bool same_setting(const StudyBar& a, const StudyBar& b) {
  return a.system == b.system && a.noise == b.noise;
}

// The bars [begin, end) of one system and noise: methods at equal rates, then each method at its
// best.
void add_pairs(const StudyBar* begin, const StudyBar* end, std::vector<StudyPair>& pairs) {
  std::vector<const StudyBar*> best;
  for (const StudyBar* a = begin; a != end; ++a) {
    for (const StudyBar* b = a + 1; b != end; ++b)
      if (a->rate == b->rate && a->rate > 0) pairs.push_back(compare(*a, *b, a->rate));
    if (std::isnan(a->mean)) continue;
    const auto same = std::find_if(best.begin(), best.end(),
                                   [&](const StudyBar* b) { return b->method == a->method; });
    if (same == best.end())
      best.push_back(a);
    else if (a->mean < (*same)->mean)
      *same = a;
  }
  for (std::size_t a = 0; a < best.size(); ++a)
    for (std::size_t b = a + 1; b < best.size(); ++b)
      pairs.push_back(compare(*best[a], *best[b], StudyPair::kBest));
}

}  // namespace

StudySummary summarise(const std::vector<CellRecord>& records,
                       const std::vector<std::string>& methods, bool published) {
  StudySummary summary;
  std::set<int> seeds;
  for (const CellRecord& record : records) seeds.insert(record.cell.seed);
  summary.seeds.assign(seeds.begin(), seeds.end());

  std::vector<StudyBar>& bars = summary.bars;
  for (const auto& [cell, result, failure] : records) {
    auto bar = std::find_if(bars.begin(), bars.end(), [&, &c = cell](const StudyBar& b) {
      return b.system == c.system && b.noise == c.noise && b.method == c.method && b.rate == c.rate;
    });
    if (bar == bars.end()) {
      StudyBar fresh;
      fresh.system = cell.system;
      fresh.noise = cell.noise;
      fresh.method = cell.method;
      fresh.rate = cell.rate;
      fresh.values.assign(summary.seeds.size(), kNan);
      bar = bars.insert(bars.end(), std::move(fresh));
    }
    const auto seed = std::distance(seeds.begin(), seeds.find(cell.seed));
    if (result) {
      bar->values[seed] = result->test_error;
      ++summary.finished;
    } else {
      ++bar->failed;
      ++summary.failed;
    }
  }
  std::sort(bars.begin(), bars.end(), [&](const StudyBar& a, const StudyBar& b) {
    const auto key = [&](const StudyBar& bar) {
      return std::make_tuple(system_rank(bar.system), bar.noise, bar.rate,
                             method_rank(methods, bar.method));
    };
    return key(a) < key(b);
  });
  for (StudyBar& bar : bars) {
    finish_bar(bar);
    summary.left_out += bar.left_out;
    if (published) bar.published = published_value(bar);
  }
  for (const StudyBar* begin = bars.data(); begin != bars.data() + bars.size();) {
    const StudyBar* end = begin;
    while (end != bars.data() + bars.size() && same_setting(*begin, *end)) ++end;
    add_pairs(begin, end, summary.pairs);
    begin = end;
  }
  return summary;
}

std::optional<double> published_value(const StudyBar& bar) {
  struct Row {
    const char* system;
    FitMethod method;
    double values[3];  // rates 1e-4, 1e-3, 1e-2
  };
  static constexpr Row kTable[] = {{"undamped", FitMethod::del, {69, 58, 58}},
                                   {"undamped", FitMethod::acceleration, {80, 80, 74}},
                                   {"undamped", FitMethod::next_state, {90, 81, 72}},
                                   {"damped", FitMethod::del, {12.8, 11.8, 9.3}},
                                   {"damped", FitMethod::acceleration, {11, 10.7, 11.4}},
                                   {"damped", FitMethod::next_state, {10.4, 10.1, 11.2}}};
  constexpr double kRates[] = {1e-4, 1e-3, 1e-2};
  if (bar.noise != 0.1) return {};
  for (const Row& row : kTable)
    for (int r = 0; r < 3; ++r)
      if (bar.system == row.system && bar.method == name_of(row.method) && bar.rate == kRates[r])
        return row.values[r];
  return {};
}

}  // namespace mechfit
