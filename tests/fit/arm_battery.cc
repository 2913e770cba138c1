// What is found of arms, printed:
//
//   arm_battery FILE ROBOT [FRICTION [FAMILY [all]]]
//     a log with columns t_s, q1_rad .., tau1_Nm ..: the first 70 % are fitted as `mechfit fit`
//     does, 20 samples are left out, and torques of the rest are predicted. ROBOT: a description,
//     or `unknown`. FRICTION: terms or auto. `all`: nothing of the first part is held out, as with
//     `--validation`, which leaves nothing to choose by: it takes terms of friction, not auto.
//   arm_battery
//     simulated arms of 3, 6 and 7 joints that follow sums of sines under a controller, slow and
//     quick, integrated by Runge-Kutta, encoders and torques with noise: base parameters within
//     three standard errors, and the largest error of M along the motion. Fails below 95 % of
//     parameters or above 5 % of M; tests/mujoco/arm_mujoco_battery.cc has the same of MuJoCo's
#include <fmt/format.h>
#include <sys/resource.h>

#include <Eigen/Dense>
#include <cmath>

#include "mechfit/base/error.h"
#include "mechfit/estimate/kalman/smoother.h"
#include "mechfit/evaluate/torque_error.h"
#include "mechfit/files/read_log.h"
#include "mechfit/fit/fit.h"
#include "mechfit/log/split.h"
#include "mechfit/mechanics/families/arm/arm_description.h"
#include "mechfit/mechanics/families/arm/robot_file.h"
#include "mechfit/mechanics/point.h"
#include "tests/support/arm_recovery.h"

namespace mechfit {
namespace {

double cpu_seconds() {
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_utime.tv_sec) +
         1e-6 * static_cast<double>(usage.ru_utime.tv_usec);
}

void print_torques(const char* name, const Model& model, const Log& log, ThreadPool& pool) {
  const MotionPoints points = motion_points(smooth(log, {}, pool).log, InputAtSample::mean);
  const Torques torques = predict_torques(model, points, pool);
  const TorqueError error = torque_error(torques, points, driven_joints(model));
  fmt::print("{} nMSE", name);
  for (const double x : error.nmse) fmt::print(" {:.4f}", x);
  MotionView samples = points;
  samples.h = {};  // of samples as they are
  fmt::print("  mean {:.4f}, means over {:.3f} s; of single samples {:.4f}\n", error.overall,
             error.window, torque_error(torques, samples, driven_joints(model)).overall);
}

void real_log(const std::string& file, const std::string& robot, const std::string& friction,
              const std::string& family, bool all, ThreadPool& pool) {
  ReadOptions read;
  read.time = "t_s";
  read.reclock = true;
  for (int j = 1; j <= 7; ++j) {
    read.q.push_back(fmt::format("q{}_rad", j));
    read.u.push_back(fmt::format("tau{}_Nm", j));
  }
  const Log log = read_log({file}, read).log;
  Log train = log, test = log;
  const int n = log.n(), m = log.m(), size = log.runs[0].size(), cut = size * 7 / 10;
  train.runs = {slice(log.runs[0], n, m, 0, cut - 20)};
  test.runs = {slice(log.runs[0], n, m, cut, size)};
  FitOptions options;
  options.friction = friction;
  options.family = family;
  if (all && friction == "auto") throw InputError("'all' needs terms of friction");
  if (family == "smm") options.method = FitMethod::torque;
  if (robot != "unknown") options.robot = std::make_shared<ArmDescription>(read_robot(robot));
  const double begin = cpu_seconds();
  const FitResult result = fit(train, all ? std::optional<Log>(test) : std::nullopt, options, pool);
  fmt::print("{:.1f} s of processor time, smallest eigenvalue of M ", cpu_seconds() - begin);
  PointDynamics point(result.model);
  double least = 1e300;
  std::vector<double> M(n * n);
  for (int k = 0; k < size; k += 20) {
    point.mass(std::span(log.runs[0].q).subspan(static_cast<std::size_t>(k) * n, n), M);
    least = std::min(least, Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(
                                Eigen::Map<Eigen::MatrixXd>(M.data(), n, n))
                                .eigenvalues()[0]);
  }
  fmt::print("{:.2g}\n", least);
  for (const std::string& note : result.notes) fmt::print("  {}\n", note);
  print_torques("held out", result.model, result.validation, pool);
  print_torques("last 30 %", result.model, test, pool);
}

bool simulated(ThreadPool& pool) {
  constexpr std::uint64_t kSeeds[] = {11, 12};
  return testing::finds_arms("own equations", kSeeds, testing::runge_kutta_machine, pool);
}

}  // namespace
}  // namespace mechfit

int main(int argc, char** argv) {
  using namespace mechfit;
  try {
    ThreadPool pool(2);
    if (argc > 2)
      real_log(argv[1], argv[2], argc > 3 ? argv[3] : "auto", argc > 4 ? argv[4] : "auto", argc > 5,
               pool);
    else
      return simulated(pool) ? 0 : 1;
  } catch (const std::exception& e) {
    fmt::print(stderr, "arm_battery: {}\n", e.what());
    return 1;
  }
}
