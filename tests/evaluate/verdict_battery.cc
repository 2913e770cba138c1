// Fits simulated logs whose truth is known, good and bad ones, and compares what mechfit says of
// the models with the truth: acceleration error, grade, bands. Fails when it does not keep what
// docs/verdicts.md promises.
//
//   build/release/tests/verdict_battery [PART OF A NAME [SEED]]       with EXPLAIN=1: figures
//   behind

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

#include "mechfit/evaluate/predictions.h"
#include "mechfit/evaluate/verdict.h"
#include "mechfit/fit/fit_record.h"
#include "mechfit/log/split.h"
#include "tests/support/machines.h"

namespace mechfit {
namespace {

using namespace mechfit::testing;

// What is done to a log before it is fitted.
enum class Damage { none, plain_joints, no_inputs, same_runs, resting_joint };

struct Case {
  Machine machine;
  std::string what;
  FitOptions options;
  Recording recording;
  Damage damage = Damage::none;
  bool clean = true;  // the family can be right: its bands must be too
};

struct Row {
  double truth, found;  // rms acceleration errors
  Grade true_grade, grade;
  double acceleration[kBandCount];  // coverage, of true accelerations
  double rollout[kBandCount];       // and of observed rollouts
  bool clean;
};

// One run of a log with a joint at rest begins so close to it that nothing happens.
Simulation record_case(const Case& c, std::uint64_t seed, ThreadPool& pool) {
  Simulation data = record(c.machine, c.recording, seed, pool);
  if (c.damage != Damage::resting_joint) return data;
  Recording one = c.recording;
  one.runs = 1;
  const Simulation still = record(c.machine, one, seed + 7919, pool,
                                  std::vector<Interval>(data.observed.n(), Interval{-0.02, 0.02}));
  const std::string name = data.observed.runs[0].name;
  data.observed.runs[0] = still.observed.runs[0];
  data.truth.runs[0] = still.truth.runs[0];
  data.observed.runs[0].name = data.truth.runs[0].name = name;
  return data;
}

void apply(Damage damage, Simulation& data) {
  for (Log* log : {&data.observed, &data.truth}) {
    if (damage == Damage::plain_joints)
      std::fill(log->channels.joint_types.begin(), log->channels.joint_types.end(),
                JointType::plain);
    if (damage == Damage::no_inputs) {
      log->channels.inputs.clear();
      for (Trajectory& run : log->runs) run.u.clear();
    }
    if (damage == Damage::same_runs)
      for (Trajectory& run : log->runs) {
        const std::string name = run.name;
        run = log->runs[0];
        run.name = name;
      }
  }
}

// The true motion of the runs, or blocks of runs, of a part of the log.
Log truth_of(const Log& part, const Log& truth) {
  Log out;
  out.channels = truth.channels;
  for (const Trajectory& run : part.runs)
    for (const Trajectory& whole : truth.runs) {
      if (whole.name != run.name) continue;
      const auto begin = std::lower_bound(whole.t.begin(), whole.t.end(), run.t.front() - 1e-9);
      const int first = static_cast<int>(begin - whole.t.begin());
      out.runs.push_back(slice(whole, out.n(), out.m(), first, first + run.size()));
    }
  return out;
}

constexpr int kFreshRuns = 8;

class Battery {
 public:
  Battery(std::string filter, std::uint64_t seed)
      : filter_(std::move(filter)), pool_(2), seed_(seed) {
    fmt::print(
        "| machine | fit | noise | step | runs | true error | found | true grade | grade | "
        "accelerations in 50 / 90 % | rollouts in 50 / 90 % |\n| --- | --- | --- | --- | --- | --- "
        "| --- | --- | --- | --- | --- |\n");
  }

  void run(const Case& c) {
    ++seed_;
    if ((c.machine.name + " " + c.what).find(filter_) == std::string::npos) return;
    Simulation data = record_case(c, seed_, pool_);
    apply(c.damage, data);
    const FitResult result = fit(data.observed, {}, c.options, pool_);
    if (!found_model(result.status)) {
      fmt::print("| {} | {} | no model |\n", c.machine.name, c.what);
      ++refused_;
      return;
    }
    ModelRecord model = fit_record(result, c.options);
    const Scores scores = score_fit(model, held_out_data(result, pool_), result, pool_);
    add_scores(scores, "", model);
    const Verdict verdict = judge(scores);

    const Log truth = truth_of(result.validation, data.truth);
    const MotionPoints points = motion_points(truth, InputAtSample::next);
    Row row{};
    row.clean = c.clean;
    row.truth = std::sqrt(acceleration_error(model.model, points, pool_).mse);
    row.found =
        scores.model_error ? scores.model_error->overall : std::sqrt(scores.acceleration.mse);
    row.grade = verdict.grade;
    const Quality truly = true_quality(c, model, scores), said = pooled(scores.parts);
    row.true_grade = grade_of(truly);
    if (std::getenv("EXPLAIN")) explain(truly, said, scores);
    const Ensemble ensemble = ensemble_of(model);
    const auto inside =
        acceleration_coverage(acceleration_bands(ensemble, points, pool_), points.a);
    for (int b = 0; b < kBandCount; ++b) {
      row.acceleration[b] = inside[b];
      row.rollout[b] =
          b < static_cast<int>(scores.coverage.size()) ? scores.coverage[b].rollout : NAN;
    }
    print(c, row);
    rows_.push_back(row);
  }

  int finish() const {
    int two = 0, four = 0, same = 0, flattered = 0, bands = 0, rolled = 0;
    double acceleration[kBandCount] = {}, rollout[kBandCount] = {};
    for (const Row& row : rows_) {
      const double ratio = std::abs(std::log(row.found / row.truth));
      two += ratio <= std::log(2.0);
      four += ratio <= std::log(4.0);
      same += row.grade == row.true_grade;
      flattered += row.grade == Grade::good && row.true_grade == Grade::unusable;
      if (!row.clean) continue;
      ++bands;
      rolled += !std::isnan(row.rollout[0]);
      for (int b = 0; b < kBandCount; ++b) {
        acceleration[b] += row.acceleration[b];
        if (!std::isnan(row.rollout[b])) rollout[b] += row.rollout[b];
      }
    }
    const auto count = static_cast<double>(rows_.size());
    fmt::print(
        "\n{} fits, {} without a model: error within a factor of 2 {}, of 4 {}; grade right {}; "
        "unusable called good {}\n",
        rows_.size(), refused_, two, four, same, flattered);
    fmt::print(
        "bands of {} clean fits: 50 % hold {:.1f} % of accelerations and {:.1f} % of rollouts, "
        "90 % hold {:.1f} % and {:.1f} %\n",
        bands, 100 * acceleration[0] / bands, 100 * rollout[0] / rolled,
        100 * acceleration[1] / bands, 100 * rollout[1] / rolled);
    // The aim is 90 % within 2, all within 4 and 95 % of the grades; what is reached must not be
    // lost (docs/verdicts.md tells what is missing).
    const auto near = [](double share, double aim, double most) {
      return std::abs(share - aim) <= most;
    };
    const bool calibrated =
        near(acceleration[0] / bands, 0.5, 0.12) && near(acceleration[1] / bands, 0.9, 0.07) &&
        near(rollout[0] / rolled, 0.5, 0.07) && near(rollout[1] / rolled, 0.9, 0.04);
    return two >= 0.75 * count && four >= 0.9 * count && same >= 0.75 * count && flattered == 0 &&
                   calibrated
               ? 0
               : 1;
  }

 private:
  // On new runs of the machine, from true states and accelerations.
  Quality true_quality(Case c, const ModelRecord& model, const Scores& said) {
    if (c.damage == Damage::resting_joint) c.damage = Damage::none;
    c.recording.runs = kFreshRuns;
    Simulation fresh = record_case(c, seed_ + 104729, pool_);
    if (c.damage != Damage::same_runs) apply(c.damage, fresh);
    EvaluateOptions options;
    options.start = StartKind::logged;
    for (const HorizonScore& horizon : said.rollout.horizons)
      options.rollout.horizons.push_back(horizon.seconds);
    const auto data = evaluation_data(fresh.truth, SmoothMethod::white_jerk, pool_);
    return evaluate_part(ensemble_of(model), data, options, pool_);
  }

  static void explain(const Quality& truth, const Quality& said, const Scores& scores) {
    const auto line = [](const char* name, const Quality& quality) {
      fmt::print("    {} accelerations {:.3f}, rollouts", name, quality.relative());
      for (const auto& h : quality.horizons)
        fmt::print(" {:g}: {:.3f} ({:.3f}){}", h.seconds, h.relative(), h.observed(),
                   h.judgeable ? "" : " hidden");
      fmt::print("\n");
    };
    line("truth", truth);
    line("said ", said);
    if (scores.model_error)
      fmt::print("    seen {:.2f}, noise {:.3g}, {}\n", scores.model_error->seen,
                 scores.model_error->noise[0], judge(scores).text());
  }

  static void print(const Case& c, const Row& row) {
    const double ratio = row.found / row.truth;
    fmt::print(
        "| {} | {} | {} | {} | {} x {} s | {:.3g} | {:.3g}{} | {} | {}{} | {:.0f} / {:.0f}{} | "
        "{:.0f} / {:.0f} |\n",
        c.machine.name, c.what, c.recording.noise, c.recording.h, c.recording.runs,
        c.recording.seconds, row.truth, row.found, ratio > 2 || ratio < 0.5 ? " *" : "",
        name_of(row.true_grade), name_of(row.grade), row.grade == row.true_grade ? "" : " !",
        100 * row.acceleration[0], 100 * row.acceleration[1], c.clean ? "" : " (wrong family)",
        100 * row.rollout[0], 100 * row.rollout[1]);
    std::fflush(stdout);
  }

  std::string filter_;
  ThreadPool pool_;
  std::uint64_t seed_;
  int refused_ = 0;
  std::vector<Row> rows_;
};

void clean_logs(Battery& battery) {
  const FitOptions trig = options_of("trig");
  battery.run({kPendulum, "trig", trig, {0.001, 0.05, 6, 4}});
  for (const double noise : {0.0, 0.01, 0.05, 0.1, 0.2, 0.4}) {
    battery.run({kPoints, "trig", trig, {noise, 0.05, 6, 8}});
    battery.run({kPendulum, "trig", trig, {noise, 0.05, 6, 4}});
    battery.run({kDamped, "trig", trig, {noise, 0.05, 6, 8}});
  }
  battery.run({kDouble, "trig", trig, {0.1, 0.05, 10, 16}});
  battery.run({kDouble, "trig", trig, {0.01, 0.02, 4, 8}});
  battery.run({kPoints, "trig, two runs", trig, {0.02, 0.05, 8, 2}});
  battery.run({kPoints, "trig, one run", trig, {0.02, 0.05, 30, 1}});
  battery.run({kPoints, "trig, short runs", trig, {0.02, 0.05, 2, 16}});
  battery.run({kPoints, "trig, long runs", trig, {0.05, 0.05, 40, 4}});
  battery.run({kPoints, "trig, fine steps", trig, {0.02, 0.005, 4, 4}});
  battery.run({kPoints, "trig, coarse steps", trig, {0.02, 0.1, 10, 8}});
  battery.run({kPendulum, "trig, coarse steps", trig, {0.02, 0.2, 20, 6}});
  battery.run({kCart, "trig", trig, {0.001, 0.02, 6, 8}});
  battery.run({kCart, "trig", trig, {0.02, 0.05, 6, 8}});
  battery.run({kFuruta, "trig", trig, {0.001, 0.01, 4, 8}});
  battery.run({kFuruta, "trig", trig, {0.02, 0.02, 4, 8}});
  battery.run({kSpring, "trig", trig, {0.01, 0.05, 6, 8}});
  battery.run({kChain, "trig", trig, {0.01, 0.02, 4, 8}});
  battery.run({kPoints, "equations", options_of("double-pendulum-points"), {0.05, 0.05, 6, 8}});
  battery.run({kPoints, "equations", options_of("double-pendulum-points"), {0.2, 0.05, 6, 8}});
  battery.run({kCart, "equations", options_of("cart-pole"), {0.02, 0.05, 6, 4}});
  battery.run({kSpring, "equations", options_of("spring-pendulum"), {0.02, 0.05, 6, 4}});
  battery.run({kPoints,
               "trig, a joint at rest in one run",
               trig,
               {0.02, 0.05, 6, 6},
               Damage::resting_joint});
  battery.run({kDamped,
               "trig, a joint at rest in one run",
               trig,
               {0.05, 0.05, 6, 4},
               Damage::resting_joint});
  FitOptions network = options_of("smm");
  battery.run({kPoints, "network", network, {0.05, 0.05, 6, 6}});
  battery.run({kPendulum, "network", network, {0.02, 0.05, 6, 4}});
  network.ensemble = 3;
  battery.run({kPoints, "3 networks", network, {0.02, 0.05, 5, 4}});
}

void bad_fits(Battery& battery) {
  const FitOptions trig = options_of("trig");
  const auto wrong = [&](const Machine& machine, const std::string& what, const FitOptions& options,
                         const Recording& recording, Damage damage = Damage::none) {
    battery.run({machine, what, options, recording, damage, false});
  };
  FitOptions none = trig;
  none.force = ForceKind::none;
  for (const double noise : {0.001, 0.02, 0.1, 0.3})
    wrong(kDamped, "trig without friction", none, {noise, 0.05, 6, 8});
  for (const double noise : {0.01, 0.1})
    wrong(kPoints, "trig, plain joints", trig, {noise, 0.05, 6, 8}, Damage::plain_joints);
  for (const double noise : {0.001, 0.05})
    wrong(kCart, "trig, inputs missing", trig, {noise, 0.05, 6, 6}, Damage::no_inputs);
  FitOptions small = options_of("smm", FitMethod::joint, 60);
  small.hidden = {3};
  for (const double noise : {0.01, 0.1})
    wrong(kDouble, "small network", small, {noise, 0.05, 6, 4});
  for (const double noise : {0.01, 0.1, 0.3}) {
    wrong(kPoints, "DEL", options_of("smm", FitMethod::del, 40), {noise, 0.05, 6, 16});
    wrong(kPoints, "accelerations", options_of("smm", FitMethod::acceleration, 40),
          {noise, 0.05, 6, 16});
    wrong(kPoints, "next states", options_of("smm", FitMethod::next_state, 40),
          {noise, 0.05, 6, 16});
  }
  wrong(kDouble, "untrained network", options_of("smm", FitMethod::del, 1), {0.05, 0.05, 6, 4});
  wrong(kPoints, "trig, same run twice", trig, {0.05, 0.05, 6, 2}, Damage::same_runs);
  wrong(kDouble, "trig, same run 4 times", trig, {0.1, 0.05, 6, 4}, Damage::same_runs);
  wrong(kDouble, "equations of points", options_of("double-pendulum-points"), {0.05, 0.05, 6, 4});
  wrong(kChain, "trig, too little data", trig, {0.1, 0.05, 2, 3});
}

}  // namespace
}  // namespace mechfit

int main(int argc, char** argv) {
  mechfit::Battery battery(argc > 1 ? argv[1] : "", argc > 2 ? std::stoull(argv[2]) : 0);
  mechfit::clean_logs(battery);
  mechfit::bad_fits(battery);
  return battery.finish();
}
