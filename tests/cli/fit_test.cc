#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <random>
#include <thread>

#include "mechfit/base/random.h"
#include "mechfit/files/safetensors.h"
#include "mechfit/mechanics/model_file.h"
#include "tests/cli/program.h"

namespace mechfit {
namespace {

// A log of six short pendulum runs in a folder of its own.
class Fit : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(run_mechfit("simulate pendulum --runs 6 --steps 60 --noise 0.01 --q0=-2:2 -o " +
                          file("log.csv"))
                  .code,
              0);
  }
  std::string file(const std::string& name) const { return scratch_.file(name); }
  std::string base(const std::string& name) const {
    return "fit " + file("log.csv") + " --hidden 8,8 -o " + file(name + ".safetensors") +
           " --run " + file(name) + " ";
  }
  std::string model(const std::string& name) const {
    return read_file(file(name + ".safetensors"));
  }
  // Starts the program and does not wait for it.
  static pid_t start(const std::string& arguments) {
    const std::string line =
        std::string("exec ") + MECHFIT_PROGRAM + " " + arguments + " >/dev/null 2>&1";
    const pid_t child = fork();
    if (child == 0) {
      execl("/bin/sh", "sh", "-c", line.c_str(), nullptr);
      _exit(127);
    }
    return child;
  }
  // Starts a fit and does something to it after a while; its exit status.
  static int disturbed(const std::string& arguments, int milliseconds, int signal) {
    const pid_t child = start(arguments);
    std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
    kill(child, signal);
    int status = 0;
    waitpid(child, &status, 0);
    return status;
  }
  static double seconds_of(const std::string& arguments) {
    const auto begin = std::chrono::steady_clock::now();
    EXPECT_EQ(run_mechfit(arguments).code, 0);
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  }
  // When a file was last written, the epoch where it is not there.
  static std::filesystem::file_time_type changed(const std::string& path) {
    std::error_code missing;
    const auto time = std::filesystem::last_write_time(path, missing);
    return missing ? std::filesystem::file_time_type() : time;
  }
  ScratchFolder scratch_{"fit"};
};

TEST_F(Fit, WritesAModelAndSaysHowGoodItIs) {
  const auto result = run_mechfit(base("a") + "--epochs 30");
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_NE(result.out.find("Verdict"), std::string::npos);
  EXPECT_NE(result.out.find("constant velocity"), std::string::npos);
  EXPECT_EQ(load_model(file("a.safetensors")).model.joints(), 1);
  const auto json = run_mechfit(base("b") + "--epochs 2 --json");
  EXPECT_NE(json.out.find("\"acceleration_mse\""), std::string::npos) << json.out;
}

TEST_F(Fit, KeepsWithTheModelHowInputsWereHeld) {
  ASSERT_EQ(run_mechfit(base("held") + "--epochs 1").code, 0);
  EXPECT_EQ(load_model(file("held.safetensors")).timing, InputTiming());
  ASSERT_EQ(run_mechfit(base("linear") + "--epochs 1 --input-hold linear").code, 0);
  EXPECT_EQ(load_model(file("linear.safetensors")).timing, InputTiming{InputHold::linear});
}

TEST_F(Fit, SameSeedSameBytesForAnyNumberOfThreads) {
  for (const char* method : {"del", "acceleration", "next-state", "gauge-free"}) {
    const std::string flags = std::string("--epochs 3 --overwrite --method ") + method;
    ASSERT_EQ(run_mechfit(base("one") + flags + " --threads 1").code, 0);
    ASSERT_EQ(run_mechfit(base("two") + flags + " --threads 2").code, 0);
    EXPECT_EQ(model("one"), model("two")) << method;
    ASSERT_EQ(run_mechfit(base("other") + flags + " --seed 1").code, 0);
    EXPECT_NE(model("one"), model("other")) << method;
    ASSERT_EQ(run_mechfit(base("single") + flags + " --threads 1 --precision float32").code, 0);
    ASSERT_EQ(run_mechfit(base("other") + flags + " --threads 2 --precision float32").code, 0);
    EXPECT_EQ(model("single"), model("other")) << method;
    EXPECT_NE(model("single"), model("one")) << method;
  }
}

TEST_F(Fit, ConfigFileAndFlagsMeanTheSame) {
  ASSERT_EQ(run_mechfit(base("flags") + "--epochs 3 --force network --seed 5").code, 0);
  ASSERT_EQ(run_mechfit("fit --config " + file("flags/config.toml") + " -o " +
                        file("config.safetensors") + " --run " + file("config"))
                .code,
            0);
  EXPECT_EQ(model("flags"), model("config"));
  std::ofstream(file("bad.toml")) << "epochs = 3\nseed 5\n";
  const auto bad = run_mechfit(base("bad") + "--config " + file("bad.toml"));
  EXPECT_EQ(bad.code, 1);
  EXPECT_NE(bad.err.find("bad.toml:2: found \"seed 5\", expected name = value"), std::string::npos)
      << bad.err;
}

TEST_F(Fit, QuickHoldsOnePartOutAndIsRemembered) {
  const std::string flags = "--family trig --degree 1 ";
  const auto whole = run_mechfit(base("whole") + flags);
  EXPECT_NE(whole.err.find("over 4 parts"), std::string::npos) << whole.err;
  const auto quick = run_mechfit(base("quick") + flags + "--quick");
  ASSERT_EQ(quick.code, 0) << quick.err;
  EXPECT_EQ(quick.err.find("parts"), std::string::npos) << quick.err;
  EXPECT_EQ(run_mechfit(base("quick") + flags + "--resume").code, 1) << "other options";
  const auto again = run_mechfit("fit --config " + file("quick/config.toml") + " -o " +
                                 file("again.safetensors") + " --run " + file("again"));
  EXPECT_EQ(again.err.find("parts"), std::string::npos) << again.err;
  EXPECT_EQ(model("again"), model("quick"));
}

TEST_F(Fit, InterruptedAtAnyMomentResumesToTheIdenticalModel) {
  const std::string flags = "--epochs 4000 --threads 1 ";
  const double whole = 1000 * seconds_of(base("whole") + flags);  // [ms]
  Random random(11);
  for (int round = 0; round < 3; ++round) {
    const std::string name = "interrupted" + std::to_string(round);
    const int status =
        disturbed(base(name) + flags, static_cast<int>(random.uniform(0.3, 0.6) * whole),
                  round == 0 ? SIGTERM : SIGINT);
    ASSERT_TRUE(WIFEXITED(status));
    ASSERT_EQ(WEXITSTATUS(status), 1) << "ended before it was interrupted";
    ASSERT_NO_THROW(load_model(file(name + ".safetensors")));
    ASSERT_EQ(run_mechfit(base(name) + flags + "--resume").code, 0);
    EXPECT_EQ(model(name), model("whole"));
  }
}

// Times that the fit is killed: twice in the suite, 40 times by the battery `kills`.
int kills_wanted() {
  const char* wanted = std::getenv("MECHFIT_KILLS");
  return wanted ? std::atoi(wanted) : 2;
}

// Checkpoints are written every two seconds: the fit is made to last for one of them per kill.
TEST_F(Fit, KilledAtAnyMomentResumesToTheIdenticalModel) {
  const auto seed = static_cast<std::uint64_t>(std::random_device()());
  std::cout << "seed " << seed << "\n";
  Random random(seed);
  const std::string network = "--family smm --threads 1 ";
  // What scores and report take is no part of the pace.
  const double rest = seconds_of(base("rest") + network + "--epochs 1");
  const double pace =
      std::max(1e-5, (seconds_of(base("pace") + network + "--epochs 8000") - rest) / 8000);
  const std::string flags =
      network + "--epochs " + std::to_string(static_cast<int>(2.5 * kills_wanted() / pace)) + " ";
  ASSERT_EQ(run_mechfit(base("whole") + flags).code, 0);

  const std::string checkpoint = file("killed/checkpoint.safetensors");
  int kills = 0;
  for (int round = 0; round < kills_wanted(); ++round) {
    const auto before = changed(checkpoint);
    const pid_t child = start(base("killed") + flags + (round > 0 ? "--resume" : ""));
    int status = 0;
    pid_t ended = 0;
    while (changed(checkpoint) == before && ended == 0) {
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
      ended = waitpid(child, &status, WNOHANG);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(random.below(700)));
    if (ended == 0) {
      kill(child, SIGKILL);
      ASSERT_EQ(waitpid(child, &status, 0), child);
    }
    // The machine has become faster meanwhile, and the fit was over.
    if (!WIFSIGNALED(status) || std::filesystem::exists(file("killed.safetensors"))) break;
    ++kills;
    EXPECT_NO_THROW(parse_safetensors(read_file(checkpoint), checkpoint));
    EXPECT_EQ(read_file(file("killed/epochs.csv")).back(), '\n');
  }
  std::cout << kills << " kills\n";
  ASSERT_GE(kills, (kills_wanted() + 1) / 2) << "the fit ended before it was killed";
  ASSERT_EQ(run_mechfit(base("killed") + flags + "--resume").code, 0);
  EXPECT_EQ(model("killed"), model("whole"));
  EXPECT_EQ(read_file(file("killed/epochs.csv")), read_file(file("whole/epochs.csv")));
}

TEST_F(Fit, AFullDiskIsSaidAndLeavesNothingBehind) {
  const std::string command = "ulimit -f 8; trap '' XFSZ; exec " + std::string(MECHFIT_PROGRAM) +
                              " " + base("full") + "--hidden 64,64 --epochs 2 >/dev/null 2>" +
                              file("err");
  const int status = std::system(("sh -c \"" + command + "\"").c_str());
  EXPECT_EQ(WEXITSTATUS(status), 1);
  EXPECT_NE(read_file(file("err")).find("full"), std::string::npos) << read_file(file("err"));
  struct stat info;
  EXPECT_NE(stat(file("full.safetensors").c_str(), &info), 0);
}

TEST_F(Fit, SaysWhatIsWrongInOneLine) {
  const auto expect = [&](const std::string& arguments, int code, const std::string& text) {
    const auto result = run_mechfit(arguments);
    EXPECT_EQ(result.code, code) << result.err;
    EXPECT_NE(result.err.find(text), std::string::npos) << result.err;
  };
  std::ofstream(file("file")) << "x";
  expect("fit " + file("log.csv") + " --run " + file("file") + "/run -o " + file("m"), 1,
         "cannot make this folder");
  expect(base("x") + "--method nonsense", 2, "expected one of");
  expect(base("x") + "--family nonsense", 1, "nonsense");
  expect(base("x") + "--precision half", 2, "expected one of");
  expect(base("x") + "--precision float32", 1, "networks (--family smm) on smoothed data");
  expect(base("x") + "--fix g", 2, "NAME=VALUE");
  expect(base("x") + "--family pendulum --fix nope=1", 1, "nope");
  expect(base("x") + "--resume", 1, "checkpoint");

  std::ofstream constant(file("constant.csv"));
  constant << "t,q1\n";
  for (int i = 0; i < 100; ++i) constant << i * 0.01 << ",1.5\n";
  constant.close();
  expect("fit " + file("constant.csv") + " -o " + file("c") + " --run " + file("c1"), 1,
         "does not move");
  std::ofstream(file("short.csv")) << "t,q1\n0,0\n0.1,0.1\n0.2,0.15\n0.3,0.1\n0.4,0.2\n";
  expect("fit " + file("short.csv") + " -o " + file("s") + " --run " + file("s1"), 1, "5 samples");
  expect(base("x") + "--validation " + file("nothing.csv"), 1, "nothing.csv");
  ASSERT_EQ(run_mechfit(base("x") + "--epochs 1").code, 0);
  expect(base("x") + "--epochs 1", 1, "exists already (--overwrite replaces it)");
  expect(base("y") + "--method next-state --integrator variational", 1,
         "--integrator: next-state regression takes rk4 or midpoint");
  expect(base("x") + "--epochs 2 --resume", 1, "other data or options");
}

TEST_F(Fit, AModelRemembersThatInputsActLinearlyBetweenSamples) {
  ASSERT_EQ(run_mechfit("simulate cart-pole --runs 4 --steps 80 --step 0.05 --noise 0.002 --input "
                        "chirp --amplitude 5 --frequency 0.5:3 -o " +
                        file("driven.csv"))
                .code,
            0);
  const std::string path = file("linear.safetensors");
  const auto fitted = run_mechfit("fit " + file("driven.csv") + " --family cart-pole -o " + path +
                                  " --input-hold linear --run " + file("linear"));
  ASSERT_EQ(fitted.code, 0) << fitted.err;
  const auto scores = [&](const std::string& flags) {
    return run_mechfit("evaluate " + path + " " + file("driven.csv") + " --json " + flags).out;
  };
  const std::string remembered = scores("");
  EXPECT_EQ(remembered, scores("--input-hold linear"));
  ModelRecord record = load_model(path);
  EXPECT_EQ(record.timing.hold, InputHold::linear);
  record.timing.hold = InputHold::held;
  save_model(path, record, true);
  EXPECT_EQ(remembered, scores("--input-hold linear"));
  EXPECT_NE(remembered, scores(""));
}

TEST_F(Fit, FourteenJointsWorkAsOneDoes) {
  ASSERT_EQ(
      run_mechfit("simulate chain --links 14 --runs 4 --steps 40 --step 0.01 --noise 0.001 -o " +
                  file("chain.csv"))
          .code,
      0);
  const auto result = run_mechfit("fit " + file("chain.csv") + " --epochs 2 --hidden 8,8 -o " +
                                  file("chain.safetensors") + " --run " + file("chain"));
  EXPECT_EQ(result.code, 0) << result.err;
}

}  // namespace
}  // namespace mechfit
