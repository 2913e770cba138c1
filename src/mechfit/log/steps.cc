#include "mechfit/log/steps.h"

#include <algorithm>

#include "mechfit/base/error.h"

namespace mechfit {

double median(std::vector<double> values) {
  MECHFIT_CHECK(!values.empty());
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

std::vector<double> steps_of(const Trajectory& run) {
  std::vector<double> steps;
  for (std::size_t k = 1; k < run.t.size(); ++k) steps.push_back(run.t[k] - run.t[k - 1]);
  return steps;
}

double median_step(const Log& log) {
  std::vector<double> all;
  for (const Trajectory& run : log.runs) {
    const std::vector<double> steps = steps_of(run);
    all.insert(all.end(), steps.begin(), steps.end());
  }
  return all.empty() ? 0 : median(std::move(all));
}

}  // namespace mechfit
