#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "mechfit/base/error.h"
#include "tests/cli/program.h"

namespace mechfit {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(SimulateCommand, SameSeedSameFilesForAnyNumberOfThreads) {
  const ScratchFolder scratch("simulate");
  const auto files = [&](const std::string& tag) {
    return " -o " + scratch.file(tag + ".csv") + " --truth " + scratch.file(tag + "-truth.npz") +
           " --midpoints " + scratch.file(tag + "-mid.csv");
  };
  const std::string command = "simulate --preset paper-points --runs 20 --seed 5 --noise 0.4";
  const auto one = run_mechfit(command + files("one") + " --threads 1");
  ASSERT_EQ(one.code, 0) << one.err;
  ASSERT_EQ(run_mechfit(command + files("two") + " --threads 2").code, 0);
  for (const char* part : {".csv", "-truth.npz", "-mid.csv"})
    EXPECT_EQ(read_file(scratch.file(std::string("one") + part)),
              read_file(scratch.file(std::string("two") + part)));
  const std::string log = read_file(scratch.file("one.csv"));
  EXPECT_THAT(log, StartsWith("trajectory,t,q1,q2\n0,0,"));
  EXPECT_EQ(std::count(log.begin(), log.end(), '\n'), 1 + 20 * 202);
  EXPECT_THAT(read_file(scratch.file("one-mid.csv")),
              StartsWith("trajectory,t,q1,q2,qd1,qd2,qdd1,qdd2\n0,0.025,"));
  EXPECT_THAT(one.out, HasSubstr("double-pendulum-points: 20 runs of 202 samples, 0.05 s apart."));
}

TEST(SimulateCommand, DrivesAMachineAndReadsBack) {
  const ScratchFolder scratch("simulate");
  const std::string log = scratch.file("log.csv");
  const auto made = run_mechfit(
      "simulate cart-pole --set m_pole=0.2,eta_cart=0.1 --runs 2 --input "
      "sines --amplitude 2 --frequency 0.2:1 --step 0.01 --json -o " +
      log);
  ASSERT_EQ(made.code, 0) << made.err;
  EXPECT_THAT(made.out, HasSubstr("\"m_pole\": 0.2"));
  EXPECT_THAT(read_file(log), StartsWith("trajectory,t,q1_m,q2,u1\n"));
  EXPECT_EQ(run_mechfit("inspect " + log).code, 0);
}

TEST(SimulateCommand, KeepsWhatExistsUnlessToldToOverwrite) {
  const ScratchFolder scratch("simulate");
  const std::string log = scratch.file("log.csv");
  const std::string command = "simulate pendulum --runs 1 --steps 5 -o " + log;
  ASSERT_EQ(run_mechfit(command).code, 0);
  const auto again = run_mechfit(command + " --seed 1");
  EXPECT_EQ(again.code, 1);
  EXPECT_THAT(again.err, HasSubstr("log.csv: exists already (--overwrite replaces it)"));
  EXPECT_EQ(run_mechfit(command + " --seed 1 --overwrite").code, 0);
}

TEST(SimulateCommand, ARunThatCannotBeIntegratedWritesNothing) {
  const ScratchFolder scratch("simulate");
  const std::string log = scratch.file("log.csv");
  const auto finished =
      run_mechfit("simulate --preset paper-rods --substeps 1 --runs 200 -o " + log);
  EXPECT_EQ(finished.code, 1);
  EXPECT_THAT(finished.err, HasSubstr("the step equation has no root"));
  EXPECT_THROW(read_file(log), InputError);
}

TEST(SimulateCommand, WrongUsageIsOneLineAndExitCodeTwo) {
  const struct {
    const char *arguments, *message;
  } cases[] = {
      {"-o x.csv", "which system? name one of mechfit simulate --list, or a --preset"},
      {"pendulum", "--output is required"},
      {"wheel -o x.csv", "wheel"},
      {"pendulum --set mass=1 -o x.csv", "mass"},
      {"pendulum --set m -o x.csv", "--set: \"m\", expected NAME=VALUE"},
      {"pendulum --q0 1:a -o x.csv", "--q0: \"a\" is not a number"},
      {"pendulum --q0 1:0 -o x.csv", "--q0: \"1:0\" is empty, expected LOW:HIGH"},
      {"pendulum --v0 1,2 -o x.csv", "--v0: 2 values, expected 1"},
      {"pendulum --noise=-1 -o x.csv", "--noise: a standard deviation is not negative"},
      {"pendulum --input chirp -o x.csv", "--input: pendulum has no inputs"},
      {"cart-pole --amplitude 2 -o x.csv", "--amplitude and --frequency need --input"},
      {"pendulum --preset paper-rods -o x.csv", "a preset names its system itself"},
      {"--preset paper-rods --integrator rk4 -o x.csv", "--integrator: the presets"},
      {"pendulum --step 0 -o x.csv", "--step"},
      {"pendulum --restitution 0.3 -o x.csv", "--restitution needs --stops or --floor"},
      {"pendulum --stops q1=0:1 --friction 0.3 -o x.csv", "--friction needs --floor"},
      {"pendulum --stops q1=1:1 -o x.csv",
       "--stops: joint \"q1\" has no room, expected the lower one below the upper one"},
      {"--preset paper-rods --restitution 1 -o x.csv", "the presets have no contacts"},
      {"chain --links 0 -o x.csv", "--links"},
  };
  for (const auto& [arguments, message] : cases) {
    const auto finished = run_mechfit(std::string("simulate ") + arguments);
    EXPECT_EQ(finished.code, 2) << arguments;
    EXPECT_THAT(finished.err, HasSubstr(message)) << arguments;
    EXPECT_EQ(std::count(finished.err.begin(), finished.err.end(), '\n'), 1) << arguments;
    EXPECT_EQ(finished.out, "") << arguments;
  }
}

TEST(SimulateCommand, ListsSystemsWithTheirConstants) {
  const auto finished = run_mechfit("simulate --list");
  EXPECT_EQ(finished.code, 0);
  EXPECT_THAT(finished.out, HasSubstr("furuta: rotary pendulum, torque on the arm\n"));
  EXPECT_THAT(finished.out, HasSubstr("  inputs     torque\n"));
  EXPECT_THAT(finished.out, HasSubstr("m1=1, m2=1"));
}

}  // namespace
}  // namespace mechfit
