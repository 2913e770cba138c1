// Prints how well model_error finds the truth, over machines, noise, steps, runs and models whose
// true acceleration errors are known; fails when it does not keep what docs/verdicts.md promises.
//
//   build/release/tests/model_error_battery [PART OF A NAME [SEED]]

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <string>
#include <vector>

#include "mechfit/evaluate/acceleration_error.h"
#include "mechfit/evaluate/model_error.h"
#include "mechfit/fit/fit.h"
#include "tests/support/machines.h"

namespace mechfit {
namespace {

using namespace mechfit::testing;

struct Judged {
  std::string machine, model;
  Recording recording;
  double acceleration, truth, smoother;  // root mean squares
  ModelError error;
  double cpu;
};

class Battery {
 public:
  Battery(std::string filter, std::uint64_t seed)
      : filter_(std::move(filter)), pool_(1), seed_(seed) {}

  void judge(const Machine& machine, const std::string& what, const Recording& recording,
             const Ensemble& ensemble, const Simulation& data) {
    const Model& model = ensemble.model;
    const MotionPoints points = motion_points(data.truth, InputAtSample::next);
    Judged row{machine.name,
               what,
               recording,
               std::sqrt(zero_baseline(points).mse),
               std::sqrt(acceleration_error(model, points, pool_).mse),
               0,
               {},
               0};
    const SmoothResult smoothed = smooth(data.observed, {}, pool_);
    row.smoother = std::sqrt(
        acceleration_error(model, motion_points(smoothed.log, InputAtSample::mean), pool_).mse);
    const std::clock_t start = std::clock();
    row.error = model_error(ensemble, data.observed, pool_);
    row.cpu = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    print(row);
    rows_.push_back(std::move(row));
  }

  // A model with some constants wrong.
  void wrong(const Machine& machine, const Constants& change, const Recording& recording) {
    std::string what;
    for (const auto& [name, value] : change) what += fmt::format("{} = {} ", name, value);
    if (!wanted(machine.name + " " + what)) return;
    const Simulation data = record(machine, recording, ++seed_, pool_);
    judge(machine, what, recording, {Model(system_of(machine, change)), {}, false}, data);
  }

  // A fitted model: three quarters of the runs train it, the others judge.
  void fitted(const Machine& machine, const std::string& what, const FitOptions& options,
              const Recording& recording, bool plain_joints = false) {
    if (!wanted(machine.name + " fit " + what)) return;
    Simulation data = record(machine, recording, ++seed_, pool_);
    if (plain_joints)
      for (Log* log : {&data.observed, &data.truth})
        std::fill(log->channels.joint_types.begin(), log->channels.joint_types.end(),
                  JointType::plain);
    const int held = std::max(1, recording.runs / 4);
    Simulation own;
    Log train = data.observed;
    train.runs.resize(recording.runs - held);
    own.observed.channels = own.truth.channels = train.channels;
    for (int r = recording.runs - held; r < recording.runs; ++r) {
      own.observed.runs.push_back(data.observed.runs[r]);
      own.truth.runs.push_back(data.truth.runs[r]);
    }
    const FitResult result = fit(train, own.observed, options, pool_);
    Ensemble ensemble{result.model, {}, false};
    if (!result.covariance.empty())
      ensemble.members = draw_members(result.model, result.covariance, 16, 0);
    judge(machine, "fit " + what, recording, ensemble, own);
  }

  int finish() const {
    int two = 0, four = 0, inside = 0, smoother = 0;
    for (const Judged& row : rows_) {
      const double ratio = std::abs(std::log(row.error.overall / row.truth));
      two += ratio <= std::log(2.0);
      four += ratio <= std::log(4.0);
      smoother += std::abs(std::log(row.smoother / row.truth)) <= std::log(2.0);
      inside += row.error.low <= row.truth && row.truth <= row.error.high;
    }
    const int count = static_cast<int>(rows_.size());
    fmt::print(
        "\n{} cases: within a factor of 2 {}, of 4 {}; interval holds the truth {}; smoother "
        "within 2 {}\n",
        count, two, four, inside, smoother);
    // The aim is a factor of 4 in all cases. At a noise of 0.4 some errors hide (docs/verdicts.md);
    // what is reached must not be lost.
    return two >= 0.9 * count && four >= 0.95 * count ? 0 : 1;
  }

  static void head() {
    fmt::print(
        "| machine | model | noise | step | runs | a rms | true error | found | 90 % | seen | "
        "smoother | s |\n| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- "
        "|\n");
  }

 private:
  bool wanted(const std::string& name) const { return name.find(filter_) != std::string::npos; }

  static void print(const Judged& row) {
    const double ratio = row.error.overall / row.truth;
    fmt::print(
        "| {} | {} | {} | {} | {} x {} s | {:.3g} | {:.3g} | {:.3g}{} | {:.2g}-{:.2g}{} | "
        "{:.2f} | {:.3g} | {:.1f} |\n",
        row.machine, row.model, row.recording.noise, row.recording.h, row.recording.runs,
        row.recording.seconds, row.acceleration, row.truth, row.error.overall,
        ratio > 2 || ratio < 0.5 ? " *" : "", row.error.low, row.error.high,
        row.error.low <= row.truth && row.truth <= row.error.high ? "" : " !", row.error.seen,
        row.smoother, row.cpu);
    std::fflush(stdout);
  }

  std::string filter_;
  ThreadPool pool_;
  std::uint64_t seed_;
  std::vector<Judged> rows_;
};

void wrong_constants(Battery& battery) {
  // Noise, step, seconds, runs.
  const Recording recordings[] = {{0, 0.05, 6, 3},   {0.001, 0.02, 4, 3}, {0.01, 0.05, 6, 3},
                                  {0.05, 0.1, 8, 3}, {0.1, 0.02, 4, 3},   {0.1, 0.05, 6, 4},
                                  {0.4, 0.05, 10, 4}};
  for (const Recording& recording : recordings) {
    battery.wrong(kDouble, {{"m2", 1.05}}, recording);
    battery.wrong(kDouble, {{"l2", 1.3}}, recording);
    battery.wrong(kDamped, {{"eta1", 0}, {"eta2", 0}}, recording);
    battery.wrong(kPoints, {{"g", 2}}, recording);
    battery.wrong(kCart, {{"m_pole", 0.15}}, recording);
    battery.wrong(kSpring, {{"k", 42}}, recording);
    battery.wrong(kFuruta, {{"J_arm", 2.6e-4}}, recording);
    battery.wrong(kPendulum, {{"l", 1.03}}, recording);
  }
  battery.wrong(kCart, {{"m_cart", 1e6}}, {0.01, 0.02, 4, 3});  // the input does nothing
  battery.wrong(kChain, {{"m3", 1.2}}, {0.03, 0.02, 2, 2});
  battery.wrong(kDry, {{"eta_dry1", 0}}, {0.01, 0.02, 4, 2});
  battery.wrong(kDouble, {{"m2", 1.1}}, {0.02, 0.05, 1, 16});  // short runs
  battery.wrong(kDouble, {{"m2", 1.1}}, {0.02, 0.002, 4, 2});  // finer than the motion needs
  battery.wrong(kDouble, {{"m2", 1.1}}, {0.02, 0.05, 6, 1});   // one run
  battery.wrong(kDouble, {{"m2", 1.1}}, {0.02, 0.05, 60, 4});  // more than is looked at
}

void fits(Battery& battery) {
  const FitOptions trig = options_of("trig", FitMethod::joint, 0);
  battery.fitted(kDouble, "trig", trig, {0.1, 0.05, 6, 8});
  battery.fitted(kDouble, "trig", trig, {0.01, 0.02, 4, 8});
  battery.fitted(kDamped, "trig", trig, {0.05, 0.05, 6, 8});
  battery.fitted(kPoints, "trig", trig, {0.02, 0.1, 8, 8});
  battery.fitted(kCart, "trig", trig, {0.02, 0.05, 6, 4});
  battery.fitted(kFuruta, "trig", trig, {0.02, 0.02, 4, 8});
  battery.fitted(kPendulum, "trig", trig, {0.1, 0.05, 6, 4});
  FitOptions none = trig;
  none.force = ForceKind::none;
  battery.fitted(kDamped, "trig without friction", none, {0.05, 0.05, 6, 8});
  battery.fitted(kDouble, "plain joints, trig", trig, {0.02, 0.05, 6, 8}, true);
  FitOptions small = options_of("smm", FitMethod::joint, 60);
  small.hidden = {4};
  battery.fitted(kDouble, "small network", small, {0.05, 0.05, 6, 4});
  const FitOptions del = options_of("smm", FitMethod::del, 20);
  battery.fitted(kDouble, "network, DEL", del, {0.1, 0.05, 6, 8});
  battery.fitted(kDouble, "network, accelerations", options_of("smm", FitMethod::acceleration, 20),
                 {0.02, 0.05, 6, 8});
  battery.fitted(kDouble, "untrained network", options_of("smm", FitMethod::del, 1),
                 {0.1, 0.05, 6, 4});
  battery.fitted(kDouble, "pendulum with points",
                 options_of("double-pendulum-points", FitMethod::joint, 0), {0.05, 0.05, 6, 4});
}

}  // namespace
}  // namespace mechfit

int main(int argc, char** argv) {
  mechfit::Battery battery(argc > 1 ? argv[1] : "", argc > 2 ? std::stoull(argv[2]) : 0);
  mechfit::Battery::head();
  mechfit::wrong_constants(battery);
  mechfit::fits(battery);
  return battery.finish();
}
