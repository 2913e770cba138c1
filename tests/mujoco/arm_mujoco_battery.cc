// Arms that MuJoCo moves, with its own dry friction, fitted from their torques:
//
//   arm_mujoco_battery
//     computed torque in MuJoCo, tau = inverse dynamics(q, v, a* + kp (q* - q) + kd (v* - v)), with
//     the fitted arm and with the true one; then base parameters within three standard errors and M
//     along the motion, as arm_battery has them for arms of our own equations
#include "tests/mujoco/arm_judge.h"
#include "tests/support/arm_recovery.h"

namespace mechfit {
namespace {

constexpr double kStep = 0.005;  // [s], of logs and of the controller

// Root mean square of q* - q at the samples of a motion that the log does not have.
double tracking_error(const Arm& arm, const testing::ArmMachine& move, double rate) {
  const int n = arm.joints(), samples = 2000, ignored = 200;
  Random random(99);
  testing::ArmReference wanted(n, rate, random);
  const Model model(arm);
  PointDynamics point(model);
  wanted.set(0);
  std::vector<double> q = wanted.q, v = wanted.v, a(n), tau(n);
  double sum = 0;
  for (int k = 0; k < samples; ++k) {
    wanted.set((k + 0.5) * kStep);
    a = wanted.a;
    wanted.set(k * kStep);
    for (int j = 0; j < n; ++j) {
      a[j] += 400 * (wanted.q[j] - q[j]) + 40 * (wanted.v[j] - v[j]);
      if (k >= ignored) sum += std::pow(wanted.q[j] - q[j], 2);
    }
    point.inverse_dynamics(q, v, a, tau);
    move(tau, kStep, q, v);
  }
  return std::sqrt(sum / (n * (samples - ignored)));
}

constexpr std::uint64_t kSeeds[] = {11, 12};

bool tracks(ThreadPool& pool) {
  constexpr double kAim = 1.2;
  bool good = true;
  for (const int joints : {3, 6, 7})
    for (const double rate : {0.6, 2.0})
      for (const std::uint64_t seed : kSeeds) {
        Random random(seed);
        const auto [name, kinematics] = testing::simulated_arm(joints);
        const Arm truth = testing::sticking_arm(kinematics, random);
        const testing::ArmMachine machine = testing::mujoco_machine(truth, kStep);
        const Log log = testing::followed(truth, machine, {rate, 1e-5, 0.1}, random);
        const FitResult result = testing::fit_arm(log, kinematics, pool);
        const double found = tracking_error(*result.model.as<Arm>(), machine, rate),
                     expected = tracking_error(truth, machine, rate);
        fmt::print(
            "{}, rate {} rad/s: tracking error {:.3g} mrad, with the true arm {:.3g}: {:.2f}{}\n",
            name, rate, 1e3 * found, 1e3 * expected, found / expected,
            found <= kAim * expected ? "" : "  ABOVE THE AIM of 1.2");
        good = good && found <= kAim * expected;
      }
  return good;
}

}  // namespace
}  // namespace mechfit

int main() {
  using namespace mechfit;
  try {
    ThreadPool pool(2);
    const bool tracked = tracks(pool);
    const bool found = testing::finds_arms(
        "MuJoCo", kSeeds, [](const Arm& arm) { return testing::mujoco_machine(arm, kStep); }, pool);
    return tracked && found ? 0 : 1;
  } catch (const std::exception& e) {
    fmt::print(stderr, "arm_mujoco_battery: {}\n", e.what());
    return 1;
  }
}
