#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "mechfit/integrate/variational.h"
#include "mechfit/mechanics/euler_lagrange.h"
#include "mechfit/mechanics/families/analytic/analytic.h"

namespace mechfit {
namespace {

// Energies [steps] at the midpoints of trajectory b.
std::vector<double> midpoint_energies(const Model& model, const Rollout& out, int b,
                                      AccelerationWorkspace& w) {
  const int n = out.n, steps = out.steps;
  AlignedVector q = make_panel(n), v = make_panel(n), e = make_panel(1);
  std::vector<double> energies(steps);
  for (int first = 0; first < steps; first += kBlock) {
    for (int lane = 0; lane < kBlock; ++lane)
      for (int i = 0; i < n; ++i) {
        const int k = b * steps + std::min(first + lane, steps - 1);
        q[i * kBlock + lane] = out.q_mid[k * n + i];
        v[i * kBlock + lane] = out.v_mid[k * n + i];
      }
    energy(model, {q.data(), v.data(), nullptr}, e.data(), w);
    std::copy_n(e.begin(), std::min(kBlock, steps - first), energies.begin() + first);
  }
  return energies;
}

class EnergyOver100000Steps : public ::testing::TestWithParam<const char*> {};

INSTANTIATE_TEST_SUITE_P(Undamped, EnergyOver100000Steps,
                         ::testing::Values("double-pendulum", "double-pendulum-points"),
                         [](const auto& test) {
                           std::string name = test.param;
                           std::erase(name, '-');
                           return name;
                         });

// The means of the first and the last tenth differ by less than 1 % of the oscillation: for every
// start that is not chaotic, and for all sixteen together.
TEST_P(EnergyOver100000Steps, DoesNotDrift) {
  const Model model(make_system(GetParam()));  // no damping by default
  const int trajectories = kBlock, steps = 100000, tenth = steps / 10;
  const std::vector<double> v0(2 * trajectories, 0.0), h{0.01};
  std::vector<double> q0;
  for (int b = 0; b < trajectories; ++b) q0.insert(q0.end(), {0.1 * (b + 1), 1.0});
  RolloutRequest request;
  request.trajectories = trajectories;
  request.steps = steps;
  request.q0 = q0;
  request.v0 = v0;
  request.h = h;
  request.midpoints = true;
  ThreadPool pool(1);
  const Rollout out = variational_rollout(model, request, pool);
  ASSERT_TRUE(out.all_ok());
  AccelerationWorkspace w(model);
  double drift = 0;
  for (int b = 0; b < trajectories; ++b) {
    const auto energies = midpoint_energies(model, out, b, w);
    const auto [low, high] = std::minmax_element(energies.begin(), energies.end());
    ASSERT_GT(*high, *low);
    const double first = std::accumulate(energies.begin(), energies.begin() + tenth, 0.0) / tenth;
    const double last = std::accumulate(energies.end() - tenth, energies.end(), 0.0) / tenth;
    const double relative = (last - first) / (*high - *low);
    // From 1.1 rad on the motion is chaotic: its mean wanders, and differently on every machine.
    EXPECT_LT(std::abs(relative), b < 10 ? 0.01 : 0.03) << "start " << b;
    drift += relative / trajectories;
  }
  RecordProperty("drift", std::to_string(drift));
  EXPECT_LT(std::abs(drift), 0.01);
}

}  // namespace
}  // namespace mechfit
