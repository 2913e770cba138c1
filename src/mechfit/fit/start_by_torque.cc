#include "mechfit/fit/start_by_torque.h"

#include "mechfit/fit/arm/arm_fit.h"

namespace mechfit {

TorqueFit fit_start_by_torque(const Start& start, const std::vector<double>& warm,
                              const Samples& train, const Samples& validation, ThreadPool& pool,
                              const std::function<bool(const FitRecord&, int steps)>& progress) {
  if (has_all_links_free(start))
    return fit_arm_torques(*start.model.as<Arm>(), start.held, train, validation, pool, progress);
  return fit_torques(start.model, start.held, warm, train, validation, pool, progress);
}

}  // namespace mechfit
