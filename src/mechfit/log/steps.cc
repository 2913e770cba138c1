#include "mechfit/log/steps.h"

#include "mechfit/base/median.h"

namespace mechfit {

std::vector<double> steps_of(const Trajectory& run) {
  std::vector<double> steps;
  for (int k = 1; k < run.size(); ++k) steps.push_back(run.t[k] - run.t[k - 1]);
  return steps;
}

std::vector<double> steps_of(const Log& log) {
  std::vector<double> steps;
  for (const Trajectory& run : log.runs)
    for (int k = 1; k < run.size(); ++k) steps.push_back(run.t[k] - run.t[k - 1]);
  return steps;
}

double median_step(const Log& log) {
  std::vector<double> steps = steps_of(log);
  return steps.empty() ? 0 : median(std::move(steps));
}

}  // namespace mechfit
