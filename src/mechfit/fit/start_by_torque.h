#pragma once

#include "mechfit/fit/smoothed/torque_fit.h"
#include "mechfit/mechanics/families/start.h"

namespace mechfit {

// Torque regression of a start with few parameters, by the method that its family has: on numbers
// that torques are linear in (arm/consistent_fit.h), else on samples (smoothed/torque_fit.h). The
// arguments are those of fit_torques.
TorqueFit fit_start_by_torque(const Start& start, const std::vector<double>& warm,
                              const Samples& train, const Samples& validation, ThreadPool& pool,
                              const std::function<bool(const FitRecord&, int steps)>& progress);

}  // namespace mechfit
