// Simulates an undamped double pendulum for an hour of its time with the variational integrator and
// with RK4, and prints how far the energy of each has drifted.
#include <cmath>
#include <cstdio>

#include "mechfit/mechfit.h"

using namespace mechfit;

// Mean energy of the minute that ends at sample `end`.
double mean_energy(PointDynamics& point, const Rollout& out, int end, int minute) {
  double sum = 0;
  for (int k = end - minute; k < end; ++k) {
    const auto row = [&](const std::vector<double>& x) {
      return std::span(x).subspan(static_cast<std::size_t>(k) * out.n, out.n);
    };
    sum += point.energy(row(out.q), row(out.v));
  }
  return sum / minute;
}

int main() {
  const Model model(make_system("double-pendulum"));
  PointDynamics point(model);
  ThreadPool pool(1);

  const double h = 0.02;
  const int minute = 3000;
  const std::vector<double> q0{1.0, 0.5}, v0{0.0, 0.0}, step{h};
  RolloutRequest request;
  request.trajectories = 1;
  request.steps = 60 * minute;
  request.q0 = q0;
  request.v0 = v0;
  request.h = step;
  const Rollout variational = roll_out(model, request, Integrator::variational, pool);
  const Rollout rk4 = roll_out(model, request, Integrator::rk4, pool);
  if (!variational.all_ok() || !rk4.all_ok()) {
    std::printf("the simulation failed: %s\n",
                describe(variational.all_ok() ? rk4.status[0] : variational.status[0]));
    return 1;
  }

  const double e0 = point.energy(q0, v0);
  std::printf("Undamped double pendulum, step %.2f s: energy (%.3f J at the start)\n\n", h, e0);
  std::printf("   minute   variational         RK4\n");
  for (const int m : {1, 5, 10, 30, 60})
    std::printf("   %6d   %+9.4f J   %+9.4f J\n", m,
                mean_energy(point, variational, m * minute, minute) - e0,
                mean_energy(point, rk4, m * minute, minute) - e0);
  return 0;
}
