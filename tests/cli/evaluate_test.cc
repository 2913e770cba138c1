#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/cli/model_files.h"

namespace mechfit {
namespace {

using ::testing::HasSubstr;

TEST(EvaluateCommand, PrintsEveryFigureAsJson) {
  const ScratchFolder scratch("evaluate");
  const std::string model = scratch.file("m.safetensors"), log = scratch.file("log.csv");
  save_model(model, cart_pole_record(), false);
  write_motion(log, cart_pole_record(), true);
  const auto finished =
      run_mechfit("evaluate '" + model + "' '" + log + "' --json --horizons 1,0.1");
  EXPECT_EQ(finished.code, 0);
  EXPECT_EQ(finished.err, "");
  const auto json = nlohmann::json::parse(finished.out);
  EXPECT_LT(json["acceleration_mse"].get<double>(), 1e-20);
  EXPECT_GT(json["acceleration_mse_zero"].get<double>(), 0.1);
  EXPECT_EQ(json["rollout"].size(), 2u);
  EXPECT_EQ(json["rollout"][0]["seconds"], 0.1);
  EXPECT_LT(json["rollout"][1]["rk4"]["overall"].get<double>(), 1e-3);
  EXPECT_EQ(json["accelerations"], "logged");
  EXPECT_EQ(json["verdict"]["grade"], "good");
}

TEST(EvaluateCommand, TellsAGoodModelFromABadOne) {
  const ScratchFolder scratch("evaluate");
  const std::string good = scratch.file("good.safetensors"), bad = scratch.file("bad.safetensors"),
                    log = scratch.file("log.csv");
  save_model(good, pendulum_record(), false);
  save_model(bad, pendulum_record(200), false);
  write_motion(log, pendulum_record(), false, 1e-3);
  const auto finished = run_mechfit("evaluate '" + good + "' '" + log + "'");
  EXPECT_EQ(finished.code, 0);
  EXPECT_THAT(finished.out,
              HasSubstr("equations of the system 'double-pendulum-points', 2 joints"));
  EXPECT_THAT(finished.out, HasSubstr("4 runs, 404 samples, 8 s; velocities smoothed"));
  EXPECT_THAT(finished.out, HasSubstr("predict zero"));
  EXPECT_THAT(finished.out, HasSubstr("constant velocity"));
  EXPECT_THAT(finished.out, HasSubstr("Verdict: a good model."));
  EXPECT_THAT(run_mechfit("evaluate '" + bad + "' '" + log + "'").out,
              HasSubstr("Verdict: not a usable model."));
}

TEST(EvaluateCommand, RefusesALogOfAnotherMachineOrUnit) {
  const ScratchFolder scratch("evaluate");
  const std::string model = scratch.file("m.safetensors"), log = scratch.file("log.csv");
  save_model(model, cart_pole_record(), false);
  write_motion(log, pendulum_record(), false);
  EXPECT_EQ(run_mechfit("evaluate '" + model + "' '" + log + "'").err,
            "mechfit: " + log + ": 0 inputs, the model has 1 (name the columns with --u)\n");
  ModelRecord millimetres = cart_pole_record();
  millimetres.channels.units[0] = "mm";
  write_motion(log, millimetres, false);
  const auto finished = run_mechfit("evaluate '" + model + "' '" + log + "'");
  EXPECT_EQ(finished.code, 1);
  EXPECT_EQ(finished.err, "mechfit: " + log + ": joint 'q1' is in mm, the model's 'x' in m\n");
}

TEST(EvaluateCommand, TellsHowMuchTheBandsOfAnEnsembleHold) {
  const ScratchFolder scratch("evaluate");
  const std::string model = scratch.file("m.safetensors"), log = scratch.file("log.csv");
  ModelRecord record = pendulum_record(9);
  for (const double gravity : {9.0, 9.5, 10.5, 11.0})
    record.members.push_back(pendulum_record(gravity).model);
  save_model(model, record, false);
  write_motion(log, pendulum_record(), true, 1e-3);
  const std::string command = "evaluate '" + model + "' '" + log + "' --most-starts 20";
  const auto json = nlohmann::json::parse(run_mechfit(command + " --json").out);
  EXPECT_LT(json["acceleration_mse"].get<double>(), 1e-2);
  ASSERT_EQ(json["coverage"].size(), 2u);
  EXPECT_GT(json["coverage"][1]["acceleration"].get<double>(), 0.9);
  EXPECT_GT(json["coverage"][1]["rollout"].get<double>(), 0.8);
  const std::string out = run_mechfit(command).out;
  EXPECT_THAT(out, HasSubstr("bands from what is unsure about the model"));
  EXPECT_THAT(out, HasSubstr("an ensemble of 4"));
}

TEST(EvaluateCommand, RefusesADamagedModel) {
  const ScratchFolder scratch("evaluate");
  const std::string model = scratch.file("m.safetensors"), log = scratch.file("log.csv");
  std::string bytes = format_model(pendulum_record());
  bytes[bytes.size() - 3] ^= 1;
  write_file_atomically(model, bytes);
  write_motion(log, pendulum_record(), false);
  const auto finished = run_mechfit("evaluate '" + model + "' '" + log + "'");
  EXPECT_EQ(finished.code, 1);
  EXPECT_THAT(finished.err, HasSubstr("m.safetensors: damaged, its checksum is"));
}

}  // namespace
}  // namespace mechfit
