// What an iteration of joint estimation of an arm of seven joints costs, motions and links at once
// with errors of torques, from where torque regression ends: processor time of one core, and the
// peak memory of the program.
//
//   build/release/bench/arm_iteration [samples [iterations]]
#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <string>

#include "mechfit/fit/arm/arm_fit.h"
#include "mechfit/fit/joint/joint.h"
#include "mechfit/fit/joint/joint_gauss_newton.h"
#include "tests/support/driven_arm.h"

namespace mechfit {
namespace {

constexpr double kEncoder = 1e-5;  // noise [rad]

double user_seconds() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  return static_cast<double>(used.ru_utime.tv_sec) +
         1e-6 * static_cast<double>(used.ru_utime.tv_usec);
}

double megabytes() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  return static_cast<double>(used.ru_maxrss) / 1024;
}

// Runs of 1,000 samples 0.005 s apart.
Log seven_joints(const Arm& arm, int samples) {
  Random random(1);
  testing::ArmRecording recording;
  recording.rate = 1;
  recording.encoder = kEncoder;
  recording.torque = 0.1;
  recording.samples = 1000;
  recording.runs = samples / recording.samples;

  return testing::followed(arm, testing::runge_kutta_machine(arm), recording, random);
}

void measure(int samples, int iterations) {
  ThreadPool pool(1);
  Random random(2);
  const ArmKinematics kinematics = testing::panda();
  FrictionTerms friction = parse_friction_terms("viscous+coulomb+offset", "bench");
  friction.width = kStickingWidth;
  const Arm truth = testing::random_arm(kinematics, kinematics.n(), friction, random);
  const Log log = seven_joints(truth, samples);
  const JointData data = joint_data(log, log, pool);
  const int n = log.n();
  const Samples samples_of = make_samples(data.train_smoothed->log);
  const TorqueFit regression =
      fit_arm_torques(Arm(truth.config()), {}, samples_of, samples_of, pool, {});
  ForceSpace space;
  space.driven.assign(n, 1);
  space.smoothed = data.train_smoothed.get();
  const Model& start = regression.model;
  JointRuns runs(start, *data.train, data.train_smoothed->log, pool, nullptr, &space);
  JointGaussNewton solver(start, runs, {}, nullptr);
  // As force_fit.cc begins: s above the errors of regression.
  MotionNoise noise{std::vector<double>(n, kEncoder), regression.s};
  for (double& s : noise.s) s *= 3;
  fmt::print("{} samples, {} parameters, {:.0f} MB before\n", samples, start.parameter_count(),
             megabytes());
  for (int k = 1; k <= iterations; ++k) {
    const double begin = user_seconds();
    if (!solver.linearise()) throw std::runtime_error("M is not positive definite");
    const double linearised = user_seconds();
    const auto step = solver.step(noise);
    fmt::print(
        "iteration {}: {:.2f} s, of which the motions' derivatives {:.2f}; {} to J = {:.6g}; "
        "{:.0f} MB\n",
        k, user_seconds() - begin, linearised - begin, step.better ? "a step" : "no step",
        step.objective, megabytes());
    std::fflush(stdout);
  }
}

}  // namespace
}  // namespace mechfit

int main(int argc, char** argv) {
  mechfit::measure(argc > 1 ? std::stoi(argv[1]) : 20'000, argc > 2 ? std::stoi(argv[2]) : 4);
}
