#pragma once

#include <cmath>
#include <string>

#include "mechfit/base/error.h"
#include "mechfit/base/random.h"
#include "mechfit/integrate/runge_kutta.h"
#include "mechfit/mechanics/families/analytic/analytic.h"
#include "mechfit/mechanics/point.h"
#include "tests/support/logs.h"

// Logs of a model's own motion, for tests that know the truth.
namespace mechfit::testing {

inline Model pendulum(double gravity) {
  AnalyticSystem system = make_system("pendulum");
  system.set_constant("g", gravity);
  return Model(std::move(system));
}

struct SimulationOptions {
  int runs = 4, samples = 101;
  double step = 0.02;
  double uneven = 0;  // steps vary by this share
  bool derivatives = true;
  double noise = 0;
  std::uint64_t seed = 1;
};

inline Log simulate(const Model& model, const SimulationOptions& options = {}) {
  const int n = model.joints(), m = model.inputs();
  Random random(options.seed);
  ThreadPool pool(1);
  PointDynamics dynamics(model);
  Log log = empty_log(n, JointType::plain, m);
  for (int r = 0; r < options.runs; ++r) {
    Trajectory run;
    run.name = "run " + std::to_string(r);
    std::vector<double> q0, v0, h;
    for (int i = 0; i < n; ++i) {
      q0.push_back(random.uniform(-1.2, 1.2));
      v0.push_back(random.uniform(-1, 1));
    }
    run.t = {0.25};
    for (int k = 0; k + 1 < options.samples; ++k) {
      h.push_back(options.step * (1 + options.uneven * random.uniform(-1, 1)));
      run.t.push_back(run.t.back() + h.back());
    }
    for (int k = 0; k < options.samples; ++k)
      for (int i = 0; i < m; ++i) run.u.push_back(random.uniform(-1, 1));
    RolloutRequest request;
    request.trajectories = 1;
    request.steps = options.samples - 1;
    request.q0 = q0;
    request.v0 = v0;
    request.h = h;
    request.u = std::span(run.u).first(static_cast<std::size_t>(request.steps) * m);
    request.substeps = 20;
    Rollout rollout = runge_kutta_rollout(model, request, Integrator::rk4, pool);
    MECHFIT_CHECK(rollout.all_ok());
    run.q = rollout.q;
    if (options.derivatives) {
      run.qd = rollout.v;
      run.qdd.resize(run.q.size());
      for (std::size_t k = 0; k < run.t.size(); ++k) {
        const auto row = [&](std::vector<double>& x, int width) {
          return std::span<double>(x).subspan(k * width, width);
        };
        MECHFIT_CHECK(
            dynamics.acceleration(row(run.q, n), row(run.qd, n), row(run.u, m), row(run.qdd, n)));
      }
    }
    for (double& q : run.q) q += options.noise * random.normal();
    log.runs.push_back(std::move(run));
  }
  return log;
}

}  // namespace mechfit::testing
