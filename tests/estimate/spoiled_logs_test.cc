#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "mechfit/base/constants.h"
#include "mechfit/base/error.h"
#include "mechfit/estimate/kalman/cleaning.h"
#include "mechfit/files/csv.h"
#include "mechfit/files/files.h"
#include "mechfit/files/read_log.h"
#include "mechfit/integrate/simulate.h"
#include "mechfit/log/split.h"
#include "tests/support/dirt.h"
#include "tests/support/scratch_folder.h"

// What `mechfit inspect` says about logs with one defect each, and about good ones: the table of
// docs/logs.md.
namespace mechfit {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Log recorded(const std::string& name, double h, double noise, int samples = 301) {
  const AnalyticSystem system = make_system(name);
  SimulateOptions options;
  options.runs = 6;
  options.steps = samples - 1;
  options.h = h;
  options.substeps = 4;
  options.integrator = Integrator::rk4;
  options.q0 = default_start(system);
  options.v0.assign(options.q0.size(), {0, 0});
  options.noise.assign(options.q0.size(), noise);
  options.seed = 3;
  if (system.inputs() > 0) {
    options.input.signal = InputSignal::sines;
    options.input.amplitude = name == "furuta" ? 0.01 : 1;
  }
  ThreadPool pool(1);
  return simulate(Model(system), system_channels(system), options, pool).observed;
}

struct Told {
  std::vector<Warning> warnings;
  std::vector<std::string> notes;

  bool warns_of(WarningKind kind, const std::string& words) const {
    for (const Warning& warning : warnings)
      if (warning.kind == kind && warning.text.find(words) != std::string::npos) return true;
    return false;
  }
  std::string text() const {
    std::string out;
    for (const auto& warning : warnings) out += "warning: " + warning.text + "\n";
    for (const auto& note : notes) out += "note: " + note + "\n";
    return out;
  }
};

Told inspected(const std::string& csv, const ReadOptions& options = {}) {
  const ScratchFolder scratch("spoiled");
  write_file_atomically(scratch.file("log.csv"), csv);
  const ReadResult read = read_log({scratch.file("log.csv")}, options);
  ThreadPool pool(1);
  return {inspect_log(read.log, pool).warnings, read.notes};
}

Told inspected(const Log& log) { return inspected(format_csv(log)); }

// As CSV has it: the header, then the runs.
long line_of_sample(const Log& log, int run, int sample) {
  long line = 2 + sample;
  for (int r = 0; r < run; ++r) line += log.runs[r].size();
  return line;
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  return text.replace(text.find(from), from.size(), to);
}

const Log& good() {
  static const Log log = recorded("double-pendulum-points", 0.02, 0.002);
  return log;
}

TEST(SpoiledLogs, GoodLogsOfAllSystemsAndPresetsHaveNoWarning) {
  for (const SystemInfo& info : list_systems()) {
    if (info.name == "cart" || info.name == "ball") continue;  // nothing moves them to and fro
    for (const double h : {0.005, 0.01})
      EXPECT_THAT(inspected(recorded(info.name, h, 0.001)).text(), Not(HasSubstr("warning")))
          << info.name << " " << h;
  }
  ThreadPool pool(1);
  for (const bool rods : {false, true})
    for (const bool damped : {false, true}) {
      PaperProtocol protocol = paper_protocol(rods, damped);
      protocol.options.noise.assign(2, 0.01);
      const Simulation data = simulate(Model(protocol.system), system_channels(protocol.system),
                                       protocol.options, pool);
      EXPECT_THAT(inspected(data.observed).text(), Not(HasSubstr("warning"))) << rods << damped;
    }
}

TEST(SpoiledLogs, BadSamplesAreNamedWithFileAndLine) {
  Log log = good();
  log.runs[2].q[2 * 77 + 1] += 0.7;
  const std::string line = "log.csv:" + std::to_string(line_of_sample(log, 2, 77)) + " (";
  const Told outlier = inspected(log);
  EXPECT_TRUE(outlier.warns_of(WarningKind::outliers, line)) << outlier.text() << line;

  Log stale = good();
  testing::stale_first_samples(stale);
  EXPECT_TRUE(inspected(stale).warns_of(WarningKind::stale_ends, "first sample of 6 runs"));
  Log late = good();
  for (Trajectory& run : late.runs) run.q.back() += 0.5;
  EXPECT_TRUE(inspected(late).warns_of(WarningKind::stale_ends, "last sample of 6 runs"));
  Log held = good();
  testing::hold_values(held, 0.02, 4);
  EXPECT_TRUE(inspected(held).warns_of(WarningKind::held_values, "held values"));
}

TEST(SpoiledLogs, RunsAndRowsThatRepeatAreNamed) {
  Log twice = good();
  twice.runs.push_back(twice.runs[1]);
  twice.runs.back().name = "again";
  EXPECT_TRUE(inspected(twice).warns_of(
      WarningKind::repeated_run,
      "log.csv:" + std::to_string(line_of_sample(twice, 6, 0)) + " on repeats run '1'"));
  Log rows = good();
  Trajectory& run = rows.runs[0];
  run.t.insert(run.t.begin() + 50, run.t[49]);
  run.q.insert(run.q.begin() + 100, {run.q[98], run.q[99]});
  const Told told = inspected(rows);
  EXPECT_THAT(told.notes, Contains(HasSubstr("left out 1 row that repeats the one before")));
  EXPECT_THAT(told.text(), HasSubstr("log.csv:52"));
  EXPECT_THAT(told.warnings, IsEmpty());
}

TEST(SpoiledLogs, ClocksThatAreWrongAreNamed) {
  Random random(4);
  Log jitter = recorded("double-pendulum-points", 0.02, 1e-4);
  for (Trajectory& run : jitter.runs)
    for (double& t : run.t) t += random.uniform(0, 0.008);
  EXPECT_TRUE(inspected(jitter).warns_of(WarningKind::jitter, "on an even clock of 0.02 s"))
      << inspected(jitter).text();

  Log milliseconds = good(), fractions = good(), epoch = good();
  for (Trajectory& run : milliseconds.runs)
    for (double& t : run.t) t = std::round(1e3 * t);
  for (Trajectory& run : fractions.runs)
    for (double& t : run.t) t = 1e3 * t + 0.25;
  for (Trajectory& run : epoch.runs)
    for (double& t : run.t) t += 1.7e9;
  // As a logger writes it that does not tell its unit.
  const Told counted = inspected(replaced(format_csv(milliseconds), "t_s", "t"));
  EXPECT_THAT(counted.notes, Contains(HasSubstr("the clock counts ms")));
  EXPECT_THAT(counted.warnings, IsEmpty());
  EXPECT_TRUE(inspected(fractions).warns_of(WarningKind::clock_unit, "does the clock count"));
  const Told since_1970 = inspected(epoch);
  EXPECT_THAT(since_1970.notes, Contains(HasSubstr("s since 1970")));
  EXPECT_THAT(since_1970.warnings, IsEmpty()) << since_1970.text();

  Log repeated = good();
  repeated.runs[0].t[60] = repeated.runs[0].t[59];
  try {
    inspected(repeated);
    ADD_FAILURE();
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("log.csv:62: time 1.18 is repeated (option 'reclock'"));
  }
}

TEST(SpoiledLogs, MissingSamplesAndDifferentRatesAreNamed) {
  Log gap = good(), lost = good(), rates = good();
  for (auto* log : {&gap, &lost}) {
    const int end = log == &gap ? 103 : 200;
    Trajectory& run = log->runs[0];
    run.t.erase(run.t.begin() + 100, run.t.begin() + end);
    run.q.erase(run.q.begin() + 200, run.q.begin() + 2 * end);
  }
  EXPECT_TRUE(inspected(gap).warns_of(WarningKind::gaps, "ends at"));
  EXPECT_THAT(inspected(gap).text(), HasSubstr("log.csv:102"));
  EXPECT_THAT(inspected(lost).notes, Contains(HasSubstr("run '0' split at 1 gap")));
  for (int r = 0; r < 3; ++r) {
    const Log fine = recorded("double-pendulum-points", 0.01, 0.002, 601);
    rates.runs[r] = fine.runs[r];
  }
  EXPECT_TRUE(inspected(rates).warns_of(WarningKind::different_rates, "0.01 to 0.02 s"));
}

TEST(SpoiledLogs, ColumnsThatAreWrongAreNamed) {
  const std::string csv = format_csv(good());
  EXPECT_TRUE(inspected(replaced(csv, "t,q1,q2", "t,q1,x_m"))
                  .warns_of(WarningKind::left_out, "column 'x_m' looks like a joint"));
  EXPECT_TRUE(inspected(replaced(csv, "t,q1,q2", "t,q1,tau1"))
                  .warns_of(WarningKind::left_out, "'tau1' may drive the machine"));
  const Told cart = inspected(replaced(csv, "t,q1,q2", "t,x_m,theta_rad"));
  EXPECT_THAT(cart.warnings, IsEmpty()) << cart.text();
  EXPECT_THAT(cart.notes, Contains(HasSubstr("joints x_m, theta_rad")));

  Log degrees = good(), wrapped = good(), still = good();
  for (Trajectory& run : degrees.runs)
    for (double& q : run.q) q *= 180 / M_PI;
  for (Trajectory& run : wrapped.runs)
    for (int k = 0; k < run.size(); ++k) run.q[2 * k] = std::remainder(4 * run.t[k], kTurn);
  for (Trajectory& run : still.runs)
    for (int k = 0; k < run.size(); ++k) run.q[2 * k] = 1;
  EXPECT_TRUE(inspected(degrees).warns_of(WarningKind::degrees, "degrees?"))
      << inspected(degrees).text();
  ReadOptions plain;
  plain.joint_types = {JointType::plain};
  EXPECT_TRUE(inspected(format_csv(wrapped), plain).warns_of(WarningKind::wrapped, "one turn"));
  EXPECT_THAT(inspected(wrapped).notes, Contains(HasSubstr("q1: unwrapped")));
  EXPECT_TRUE(inspected(still).warns_of(WarningKind::still_joint, "q1: never moves"));
}

}  // namespace
}  // namespace mechfit
