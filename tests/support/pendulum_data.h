#pragma once

#include <array>
#include <numbers>
#include <vector>

#include "mechfit/base/random.h"
#include "mechfit/evaluate/acceleration_error.h"
#include "mechfit/integrate/variational.h"
#include "mechfit/mechanics/euler_lagrange.h"
#include "mechfit/mechanics/families/analytic/analytic.h"
#include "tests/support/logs.h"

// Runs of the double pendulum of point masses as in the published experiment: released at rest,
// steps of 0.05 s by the variational integrator, observed with white noise.
namespace mechfit::testing {

struct PendulumData {
  Log train, validation;
  MotionPoints test;  // true states and accelerations at the midpoints of further runs
};

inline AnalyticSystem pendulum_truth(double damping) {
  AnalyticSystem system = make_system("double-pendulum-points");
  system.set_constant("eta1", damping);
  system.set_constant("eta2", damping);
  return system;
}

// kBlock runs: the first `training` ones to train, the next quarter to validate, the rest to test.
inline PendulumData pendulum_data(double damping, double noise, std::uint64_t seed,
                                  int samples = 202, int training = 8) {
  const Model truth(pendulum_truth(damping));
  const double h = 0.05;
  Random random(seed);
  AlignedVector q = make_panel(2), v = make_panel(2), momentum = make_panel(2),
                force = make_panel(2);
  for (double& x : q) x = random.uniform(-std::numbers::pi / 2, std::numbers::pi / 2);
  const std::vector<double> steps(kBlock, h);
  std::vector<AlignedVector> motion = {q, q};
  auto forces = truth.make_workspace();
  truth.forces({q.data(), v.data(), nullptr}, momentum.data(), force.data(), forces);
  for (int k = 0; k < 2 * kBlock; ++k) momentum[k] += h / 2 * force[k];
  VariationalWorkspace w(truth);
  while (static_cast<int>(motion.size()) < samples) {
    std::array<StepStatus, kBlock> status;
    AlignedVector next = q, next_momentum = momentum;
    variational_step(truth, q.data(), momentum.data(), nullptr, steps.data(), kAllLanes, v.data(),
                     next.data(), next_momentum.data(), status, w);
    q = next;
    momentum = next_momentum;
    motion.push_back(q);
  }
  PendulumData data;
  data.train = data.validation = empty_log(2, JointType::periodic);
  data.test.n = 2;
  AccelerationWorkspace accelerations(truth);
  for (int run = 0; run < kBlock; ++run) {
    Trajectory out;
    out.name = "run " + std::to_string(run);
    for (int t = 0; t < samples; ++t) {
      out.t.push_back(h * t);
      for (int i = 0; i < 2; ++i)
        out.q.push_back(motion[t][i * kBlock + run] + noise * random.normal());
    }
    if (run < training) data.train.runs.push_back(out);
    if (run >= training && run < training + kBlock / 4) data.validation.runs.push_back(out);
  }
  for (int t = 0; t + 1 < samples; ++t) {
    AlignedVector middle = q, speed = q, a = q;
    for (int k = 0; k < 2 * kBlock; ++k) {
      middle[k] = 0.5 * (motion[t][k] + motion[t + 1][k]);
      speed[k] = (motion[t + 1][k] - motion[t][k]) / h;
    }
    if (acceleration(truth, {middle.data(), speed.data(), nullptr}, a.data(), accelerations) !=
        kAllLanes)
      continue;
    for (int run = training + kBlock / 4; run < kBlock; ++run)
      for (int i = 0; i < 2; ++i) {
        data.test.q.push_back(middle[i * kBlock + run]);
        data.test.v.push_back(speed[i * kBlock + run]);
        data.test.a.push_back(a[i * kBlock + run]);
      }
  }
  return data;
}

}  // namespace mechfit::testing
