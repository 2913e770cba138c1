#pragma once

#include <string>
#include <vector>

#include "mechfit/report/blocks.h"
#include "mechfit/report/document.h"

namespace mechfit {

// One bar of a study: all seeds of a method in one setting.
struct Bar {
  std::string system, method, rate;  // rate "" where the method has none
  double noise, mean, error;
  int runs, left_out, failed;
  double published, published_error;  // NaN where nothing was published
  std::vector<double> values;         // by seed, NaN where a run failed

  // Distance to the published value in standard errors.
  double distance() const;
};

struct Bars {
  explicit Bars(const Node& document);  // a study document

  std::vector<Bar> bars;
  std::vector<double> seeds;
  std::vector<std::string> methods;  // in order of appearance, as are noises and systems
  std::vector<std::string> systems;
  std::vector<double> noises;
  double limit;                     // runs above it are left out of means; NaN without a limit
  std::string unit, position_unit;  // of the error and of noise, each with a blank in front
};

// One figure per noise level with a panel per system, as in the paper.
std::vector<Figure> bar_figures(const Bars& study);
Table summary_table(const Bars& study);

// How many bars agree with the published ones, and the best bar of each system.
std::vector<Headline> bar_headlines(const Bars& study);

}  // namespace mechfit
