// What a hostile user would try: nothing crashes, hangs, overwrites its input or ends after the
// whole work with a message that could have come before it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <thread>

#include "mechfit/files/files.h"
#include "mechfit/files/outputs.h"
#include "mechfit/mechanics/model_file.h"
#include "tests/cli/program.h"

namespace mechfit {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

class Hostile : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(run_mechfit("simulate pendulum --runs 6 --steps 40 --noise 0.01 --q0=-2:2 -o " +
                          file("log.csv"))
                  .code,
              0);
    text_ = read_file(path("log.csv"));
  }
  std::string file(const std::string& name) const { return "'" + path(name) + "'"; }
  std::string path(const std::string& name) const { return scratch_.file(name); }
  std::string fit(const std::string& log = "log.csv") const {
    return "fit " + file(log) + " --family pendulum -o " + file("m.safetensors") + " --run " +
           file("run") + " --overwrite ";
  }
  // One line, of this exit code, with this in it.
  static void expect(const std::string& arguments, int code, const std::string& text) {
    const auto result = run_mechfit(arguments);
    EXPECT_EQ(result.code, code) << arguments << "\n" << result.err;
    EXPECT_THAT(result.err, HasSubstr(text)) << arguments;
    EXPECT_THAT(result.err, Not(HasSubstr("internal error"))) << arguments;
  }
  // The log with another text for the header's `q1`.
  void write_with_header(const std::string& name, const std::string& header) {
    std::string text = text_;
    text.replace(text.find("q1"), 2, header);
    std::ofstream(path(name)) << text;
  }

  ScratchFolder scratch_{"hostile"};
  std::string text_;
};

TEST_F(Hostile, WhatCannotFitIntoMemoryIsSaidAtOnce) {
  const std::string network = "fit " + file("log.csv") + " --family smm --hidden 65536,65536 -o " +
                              file("n") + " --run " + file("n1") + " --overwrite ";
  expect(network, 1, "GB of memory, there are");
  expect(network + "--method del", 1, "GB of memory, there are");
  expect("simulate pendulum --runs 1000000 --steps 100000000 -o " + file("x.csv"), 1,
         "GB of memory, there are");
  ASSERT_EQ(run_mechfit("simulate chain --links 7 --runs 3 --steps 30 --step 0.01 -o " +
                        file("chain.csv"))
                .code,
            0);
  expect("fit " + file("chain.csv") + " --family trig --degree 8 -o " + file("c") + " --run " +
             file("c1"),
         1, "GB of memory, there are");
}

TEST_F(Hostile, TextThatIsNotUtf8IsReplacedBeforeTheFit) {
  write_with_header("latin.csv", "gel\xe4nk_rad");
  std::ofstream(path("l\xe4tin.csv")) << text_;
  for (const char* log : {"latin.csv", "l\xe4tin.csv"}) {
    const auto result = run_mechfit(fit(log));
    EXPECT_EQ(result.code, 0) << result.err;
    EXPECT_THAT(result.out, HasSubstr("Verdict"));
    EXPECT_TRUE(path_exists(path("run/report.html")));
  }
  EXPECT_EQ(run_mechfit(fit("latin.csv") + "--json --q 'gel\xe4nk_rad'").code, 0);
}

TEST_F(Hostile, EscapesDoNotReachTheTerminal) {
  write_with_header("escape.csv",
                    "q\x1b[31m\xc2\x9b"
                    "31m_rad");
  const auto fitted = run_mechfit(fit("escape.csv"));
  ASSERT_EQ(fitted.code, 0) << fitted.err;
  ModelRecord record = load_model(path("m.safetensors"));
  record.channels.joints[0] = "q\x1b[31m";
  record.metadata["note"] = "\x1b]0;title\x07";
  save_model(path("escape.safetensors"), record, true);
  const std::string outputs[] = {fitted.out,
                                 fitted.err,
                                 run_mechfit("inspect " + file("escape.csv")).out,
                                 run_mechfit("inspect " + file("escape.safetensors")).out,
                                 run_mechfit("inspect " + file("log.csv") + " --q '\x1b[31m'").err,
                                 run_mechfit("inspect '\x1b[31m.csv'").err,
                                 run_mechfit("'\x1b[31m'").err};
  for (const std::string& output : outputs) {
    EXPECT_FALSE(output.empty());
    EXPECT_EQ(output.find('\x1b'), std::string::npos) << output;
    EXPECT_EQ(output.find("\xc2\x9b"), std::string::npos) << output;
  }
}

TEST_F(Hostile, OutputsAreLookedAtBeforeTheWork) {
  std::filesystem::create_directory(path("folder"));
  const auto to = [&](const std::string& output) {
    return "fit " + file("log.csv") + " --family pendulum --run " + file("run") +
           " --overwrite -o " + file(output);
  };
  expect(to("nowhere/m"), 1, "there is no folder");
  expect(to("folder"), 1, "a folder has this name");
  expect(to("log.csv"), 1, "it is also read");
  expect(to("log.csv/m"), 1, "is not a folder");
  EXPECT_FALSE(path_exists(path("run")));  // nothing was begun
  EXPECT_EQ(read_file(path("log.csv")), text_);
  expect("smooth " + file("log.csv") + " --overwrite -o " + file("log.csv"), 1, "it is also read");
  expect("smooth " + file("log.csv") + " -o " + file("nowhere/x.csv"), 1, "there is no folder");
  expect("simulate pendulum -o " + file("x.csv") + " --truth " + file("folder/../x.csv"), 1,
         "named twice");
  if (getuid() != 0) {
    std::filesystem::permissions(path("folder"), std::filesystem::perms::owner_read);
    expect(to("folder/m"), 1, "Permission denied");
  }
}

TEST_F(Hostile, ALogIsNotTakenTwice) {
  expect(fit() + file("log.csv"), 1, "log.csv: named twice");
  std::filesystem::create_symlink(path("log.csv"), path("link.csv"));
  expect(fit() + file("link.csv"), 1, "link.csv: named twice, also as ");
  expect(fit() + "--validation " + file("log.csv"), 1, "named twice");
  expect("inspect " + file("log.csv") + " '" + path("*.csv") + "'", 1, "named twice");
}

TEST_F(Hostile, ConfigFilesAreReadStrictly) {
  const auto config = [&](const std::string& text) {
    std::ofstream(path("c.toml")) << text;
    return " --config " + file("c.toml");
  };
  expect(fit() + config("epochs = 3\nnonsense = 4\n"), 1, "c.toml:2: unknown setting 'nonsense'");
  expect(fit() + config("epochs = 3\nseed = 1\nepochs = 4\n"), 1,
         "c.toml:3: 'epochs' is set twice, first in line 1");
  expect(fit() + config("config = \"c.toml\"\n"), 1, "c.toml:1: unknown setting 'config'");
  // Files behind flags replace the config's too.
  const auto result =
      run_mechfit("fit --family pendulum --run " + file("run") + " -o " + file("m.safetensors") +
                  " " + file("log.csv") + config("files = [\"nowhere.csv\"]\n"));
  EXPECT_EQ(result.code, 0) << result.err;
}

TEST_F(Hostile, NumbersThatMakeNoSenseAreRefusedInOneLine) {
  ASSERT_EQ(run_mechfit(fit()).code, 0);
  const std::string rollout = "rollout " + file("m.safetensors") + " -o " + file("x.csv") + " ";
  const std::string simulate = "simulate pendulum -o " + file("x.csv") + " ";
  const std::string cases[] = {
      fit() + "--step VALUE",
      fit() + "--learning-rate VALUE",
      fit() + "--method del --barrier-weight VALUE",
      fit() + "--fix g=VALUE",
      fit() + "--gap VALUE",
      fit() + "--seed VALUE",
      rollout + "--from 0.5,0 --horizon VALUE",
      rollout + "--from 0.5,0 --horizon 1 --step VALUE",
      rollout + "--horizon 1 --from VALUE,0",
      "evaluate " + file("m.safetensors") + " " + file("log.csv") + " --horizons VALUE",
      "evaluate " + file("m.safetensors") + " " + file("log.csv") + " --start-every VALUE",
      simulate + "--step VALUE",
      simulate + "--noise VALUE",
      simulate + "--stops q1=:1 --restitution VALUE",
      simulate + "--q0 VALUE",
      simulate + "--seed VALUE",
      simulate + "--set m=VALUE",
      "study beyond --seeds 1 -o " + file("study") + " --noise VALUE",
      "study beyond --seeds 1 -o " + file("study") + " --learning-rates VALUE",
      "inspect " + file("m.safetensors") + " --at VALUE"};
  for (const std::string& line : cases)
    for (const char* value : {"nan", "inf", "1e309", "x"}) {
      std::string arguments = line;
      arguments.replace(arguments.find("VALUE"), 5, value);
      const auto result = run_mechfit(arguments);
      EXPECT_TRUE(result.code == 1 || result.code == 2) << arguments << "\n" << result.err;
      EXPECT_THAT(result.err, Not(HasSubstr("internal error"))) << arguments;
      EXPECT_THAT(result.err, EndsWith("\n"));
      EXPECT_LT(result.err.size(), 400u) << arguments << result.err;
      EXPECT_FALSE(path_exists(path("x.csv"))) << arguments;
    }
  expect(fit() + "--seed=-1", 2, "expected a whole number from 0 to");
  expect(fit() + "--fix m=1,m=2", 2, "m is named twice");
  expect(fit() + "--step 1e-308", 2, "expected a number from 1e-09");
  expect(fit() + "--step 1e-9", 1, "--step: 1e-09 s is too short for samples 0.05 s apart");
}

TEST_F(Hostile, AbsurdNumbersInALogAreSaidWithFileAndLine) {
  const auto with_cell = [&](const std::string& name, const std::string& cell) {
    std::string text = text_;
    const auto line = text.find("0,0.1,");
    text.replace(line + 6, text.find('\n', line) - line - 6, cell);
    std::ofstream(path(name)) << text;
    return file(name);
  };
  for (const char* value : {"1e308", "-1e200", "1e155"}) {
    const auto result =
        run_mechfit("fit " + with_cell("big.csv", value) + " --family pendulum -o " + file("b") +
                    " --run " + file("b1") + " --overwrite --keep-all");
    EXPECT_THAT(result.err, Not(HasSubstr("internal error"))) << value;
    EXPECT_EQ(result.code, 1) << result.err;
    EXPECT_THAT(result.err, HasSubstr("big.csv:4: ")) << value;
  }
}

TEST_F(Hostile, ClocksThatNoMachineHasEndInNoInternalError) {
  ASSERT_EQ(run_mechfit(fit()).code, 0);
  const auto log_with = [&](const std::string& name, double first, double step) {
    std::ofstream out(path(name));
    out.precision(17);
    out << "t,q1\n";
    for (int k = 0; k < 200; ++k) out << first + step * k << "," << std::sin(0.1 * k) << "\n";
    return file(name);
  };
  const std::string evaluate = "evaluate " + file("m.safetensors") + " ";
  expect(evaluate + log_with("late.csv", 1e15, 1), 1,
         "late.csv:2: time 1e+15 is too large a number to tell steps of 1 apart");
  const std::string slow = log_with("slow.csv", 0, 1e9);
  const Finished judged = run_mechfit(evaluate + slow);
  EXPECT_EQ(judged.code, 0) << judged.err;
  EXPECT_THAT(run_mechfit("inspect " + slow).out, HasSubstr("does the clock count seconds?"));
}

TEST_F(Hostile, DivergingRolloutsHaveAStatus) {
  ASSERT_EQ(run_mechfit(fit()).code, 0);
  for (const char* state : {"1e8,1e8", "0,1e9", "1e9,-1e9"}) {
    const auto result = run_mechfit("rollout " + file("m.safetensors") + " --overwrite -o " +
                                    file("x.csv") + " --horizon 1 --from " + state);
    EXPECT_THAT(result.err, Not(HasSubstr("internal error"))) << state;
    EXPECT_LE(result.code, 1) << state;
  }
}

TEST_F(Hostile, InputsThatEndBeforeTheHorizonAreTold) {
  ASSERT_EQ(run_mechfit("simulate cart-pole --runs 4 --steps 60 --noise 0.002 --input chirp -o " +
                        file("driven.csv"))
                .code,
            0);
  ASSERT_EQ(run_mechfit("fit " + file("driven.csv") + " --family cart-pole -o " + file("c.st") +
                        " --run " + file("c"))
                .code,
            0);
  std::ofstream(path("u.csv")) << "t,u1\n0,1\n0.05,1\n0.1,1\n0.15,1\n0.2,1\n";
  const auto result = run_mechfit("rollout " + file("c.st") + " --from 0,0.1 --horizon 2 --u " +
                                  file("u.csv") + " -o " + file("x.csv"));
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("the inputs end 0.2 s after the start, before --horizon 2"));
}

TEST_F(Hostile, AModelIsKnownByItsContent) {
  ASSERT_EQ(run_mechfit(fit()).code, 0);
  std::filesystem::rename(path("m.safetensors"), path("model.csv"));
  EXPECT_THAT(run_mechfit("inspect " + file("model.csv")).out, HasSubstr("pendulum"));
  std::filesystem::rename(path("log.csv"), path("log.safetensors"));
  EXPECT_THAT(run_mechfit("inspect " + file("log.safetensors")).out, HasSubstr("246 samples"));
}

TEST_F(Hostile, DevicesAreNotReadToTheEndOfTheMemory) {
  for (const char* device : {"/dev/zero", "/dev/full"}) {
    expect("inspect " + std::string(device), 1, ": is a device, expected a file");
    expect("fit " + std::string(device) + " -o " + file("d.safetensors"), 1, ": is a device");
  }
}

TEST_F(Hostile, LeftoversOfKilledWritesAreRemovedByTheNextRun) {
  const pid_t child = fork();
  if (child == 0) _exit(0);
  int status = 0;
  waitpid(child, &status, 0);  // a number that no process has
  const std::string dead = partial_mark() + std::to_string(child) + "-0";
  const std::string alive = partial_mark() + std::to_string(getpid()) + "-0";
  std::filesystem::create_directory(path("run"));
  const std::string gone[] = {path("m.safetensors" + dead),
                              path("run/checkpoint.safetensors" + dead),
                              path("run/report.html" + dead)};
  const std::string kept[] = {path("m.safetensors" + alive), path("log.csv" + dead)};
  for (const auto& name : gone) std::ofstream(name) << "x";
  for (const auto& name : kept) std::ofstream(name) << "x";
  ASSERT_EQ(run_mechfit(fit()).code, 0);
  for (const auto& name : gone) EXPECT_FALSE(path_exists(name)) << name;
  for (const auto& name : kept) EXPECT_TRUE(path_exists(name)) << name;
}

// One step of this fit takes far longer than a user waits.
TEST_F(Hostile, CtrlCReturnsWhateverTheWork) {
  ASSERT_EQ(run_mechfit("simulate chain --links 14 --runs 4 --steps 40 --step 0.01 --noise 0.001 "
                        "-o " +
                        file("chain.csv"))
                .code,
            0);
  const pid_t child = fork();
  if (child == 0) {
    const std::string line = std::string("exec ") + MECHFIT_PROGRAM + " fit " + file("chain.csv") +
                             " --family chain --threads 1 -o " + file("c") + " --run " +
                             file("crun") + " >/dev/null 2>" + file("err");
    execl("/bin/sh", "sh", "-c", line.c_str(), nullptr);
    _exit(127);
  }
  while (!path_exists(path("crun/config.toml")))
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  kill(child, SIGINT);
  int status = 0;
  // Two seconds on a quiet machine; without an end of its own the fit takes minutes.
  for (int k = 0; k < 200 && waitpid(child, &status, WNOHANG) == 0; ++k)
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  const bool ended = kill(child, 0) != 0;
  if (!ended) kill(child, SIGKILL);
  EXPECT_TRUE(ended);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 1);
  EXPECT_THAT(read_file(path("err")), HasSubstr("interrupted"));
}

}  // namespace
}  // namespace mechfit
