#include "mechfit/fit/joint/joint.h"

#include <cmath>

#include "mechfit/base/error.h"
#include "mechfit/estimate/kalman/smoother.h"
#include "mechfit/fit/joint/joint_gauss_newton.h"
#include "mechfit/fit/joint/joint_network.h"

namespace mechfit {
namespace {

// sigma as the white-jerk smoother found it, s the size of the accelerations.
MotionNoise first_noise(const SmoothResult& smoothed, const JointOptions& options) {
  const int n = smoothed.log.n();
  MotionNoise noise;
  for (int j = 0; j < n; ++j) {
    double variance = 0, acceleration = 0;
    int count = 0;
    for (std::size_t r = 0; r < smoothed.log.runs.size(); ++r) {
      const double sd = smoothed.at(static_cast<int>(r), j).observation_sd;
      variance += sd * sd / static_cast<double>(smoothed.log.runs.size());
      const auto& a = smoothed.log.runs[r].qdd;
      for (std::size_t k = j; k < a.size(); k += n, ++count) acceleration += a[k] * a[k];
    }
    noise.sigma.push_back(options.sigma.empty() ? std::sqrt(variance) : options.sigma[j]);
    noise.s.push_back(std::sqrt(acceleration / count));
    if (!(noise.sigma[j] > 0 && noise.s[j] > 0))
      throw InputError("joint '" + smoothed.log.channels.joints[j] +
                       "' does not move in the training data, or has no noise");
  }
  return noise;
}

// Whether a family's errors are well below the accelerations; else its motions are no better than
// smoothed ones.
bool explains(const MotionNoise& fitted, const MotionNoise& first) {
  constexpr double kBelow = 0.5;
  for (std::size_t j = 0; j < first.s.size(); ++j)
    if (!(fitted.s[j] < kBelow * first.s[j])) return false;
  return true;
}

}  // namespace

JointResult fit_joint(const Model& start, const Log& train, const Log& validation,
                      const JointOptions& options, ThreadPool& pool, const JointHooks& hooks) {
  MECHFIT_CHECK(train.n() == start.joints() && validation.n() == start.joints());
  MECHFIT_CHECK(options.sigma.empty() ||
                options.sigma.size() == static_cast<std::size_t>(start.joints()));
  const SmoothResult smoothed = smooth(train, {}, pool);
  const Log validation_smoothed = smooth(validation, {}, pool).log;
  const MotionNoise noise = first_noise(smoothed, options);
  const auto engine = start.as<Smm>() ? fit_joint_network : fit_joint_gauss_newton;
  JointOptions own = options;
  if (!start.as<Smm>() || (own.before && !explains(own.before->noise, noise))) own.before = nullptr;
  return engine(start, train, own.before ? own.before->train : smoothed.log, validation,
                own.before ? own.before->validation : validation_smoothed, noise, own, pool, hooks);
}

}  // namespace mechfit
