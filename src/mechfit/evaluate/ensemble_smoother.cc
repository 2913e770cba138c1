#include "mechfit/evaluate/ensemble_smoother.h"

#include <algorithm>
#include <cmath>

#include "mechfit/base/error.h"
#include "mechfit/log/acting_input.h"
#include "mechfit/log/refine.h"
#include "mechfit/log/steps.h"

namespace mechfit {
namespace {

// Members that smooth the log, at most: each costs as much as the model itself, and a deviation
// from eight is known within a quarter.
constexpr std::size_t kMembers = 8;

constexpr std::pair<std::vector<double> Trajectory::*, std::vector<double> Trajectory::*>
    kEstimates[] = {{&Trajectory::q, &Trajectory::q_sd},
                    {&Trajectory::qd, &Trajectory::qd_sd},
                    {&Trajectory::qdd, &Trajectory::qdd_sd}};

}  // namespace

ModelSmoothResult smooth_with_model(const Ensemble& ensemble, const Log& observed,
                                    ThreadPool& pool) {
  if (ensemble.timing && ensemble.model.inputs() > 0) {
    Log acted_on = observed;
    set_input_timing(acted_on, *ensemble.timing);
    Ensemble timed = ensemble;
    timed.timing.reset();
    ModelSmoothResult result = smooth_with_model(timed, acted_on, pool);
    restore_logged_inputs(result.log);
    return result;
  }
  const double grid = ensemble.grid();
  if (grid > 0 && grid < median_step(observed) && observed.runs[0].sample_step == 0) {
    ModelSmoothResult fine = smooth_with_model(ensemble, refine(observed, grid), pool);
    fine.log = observed_samples(fine.log, observed);
    return fine;
  }
  ModelSmoothResult result = smooth_with_model(ensemble.model, observed, pool);
  std::vector<Log> others;
  for (std::size_t k = 0; k < std::min(kMembers, ensemble.members.size()); ++k) try {
      others.push_back(
          smooth_with_model(ensemble.members[k], observed, result.log, result.noise, pool).log);
    } catch (const InputError&) {  // a draw without a positive definite M tells nothing
    }
  for (std::size_t r = 0; r < result.log.runs.size(); ++r)
    for (const auto& [values, deviations] : kEstimates) {
      Trajectory& run = result.log.runs[r];
      for (std::size_t k = 0; k < (run.*values).size(); ++k) {
        double sum = 0;
        for (const Log& other : others)
          sum += std::pow((other.runs[r].*values)[k] - (run.*values)[k], 2);
        if (!others.empty())
          (run.*deviations)[k] =
              std::hypot((run.*deviations)[k], std::sqrt(sum / static_cast<double>(others.size())));
      }
    }
  return result;
}

}  // namespace mechfit
