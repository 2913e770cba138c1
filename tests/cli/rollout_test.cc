#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/cli/model_files.h"

namespace mechfit {
namespace {

using ::testing::HasSubstr;

TEST(RolloutCommand, SimulatesFromAStateAndEvaluateFindsNoError) {
  const ScratchFolder scratch("rollout");
  const std::string model = scratch.file("m.safetensors"), out = scratch.file("out.csv");
  save_model(model, pendulum_record(), false);
  const auto finished =
      run_mechfit("rollout '" + model +
                  "' --from 0.5,0.2,1,-1 --horizon 2 --step 0.05 --substeps 1 -o '" + out + "'");
  EXPECT_EQ(finished.code, 0);
  EXPECT_THAT(finished.out, HasSubstr("written to"));
  const Log log = read_log({out}).log;
  ASSERT_EQ(log.runs.size(), 1u);
  EXPECT_EQ(log.runs[0].size(), 41);
  EXPECT_EQ(log.runs[0].q[1], 0.2);
  EXPECT_NEAR(log.runs[0].qd[1], -1, 1e-12);
  const auto scores = nlohmann::json::parse(
      run_mechfit("evaluate '" + model + "' '" + out + "' --substeps 1 --json").out);
  EXPECT_LT(scores["acceleration_mse"].get<double>(), 1e-20);
  EXPECT_LT(scores["rollout"][0]["variational"]["overall"].get<double>(), 1e-9);
  EXPECT_LT(scores["del"]["acceleration"]["overall"].get<double>(), 1e-8);

  const auto again = run_mechfit("rollout '" + model + "' --from 0,0 --horizon 1 -o '" + out + "'");
  EXPECT_EQ(again.code, 1);
  EXPECT_THAT(again.err, HasSubstr("exists already"));
}

TEST(RolloutCommand, FollowsTheRunsOfALog) {
  const ScratchFolder scratch("rollout");
  const std::string model = scratch.file("m.safetensors"), data = scratch.file("log.csv"),
                    out = scratch.file("out.csv");
  save_model(model, cart_pole_record(), false);
  write_motion(data, cart_pole_record(), true);
  const auto finished =
      run_mechfit("rollout '" + model + "' --data '" + data +
                  "' --start logged --horizon 1 --integrator rk4 --json -o '" + out + "'");
  EXPECT_EQ(finished.code, 0);
  EXPECT_EQ(nlohmann::json::parse(finished.out)["runs"].size(), 4u);
  const Log logged = read_log({data}).log, simulated = read_log({out}).log;
  ASSERT_EQ(simulated.runs.size(), 4u);
  for (int r = 0; r < 4; ++r) {
    ASSERT_EQ(simulated.runs[r].size(), 51);
    for (std::size_t k = 0; k < simulated.runs[r].q.size(); ++k)
      EXPECT_NEAR(simulated.runs[r].q[k], logged.runs[r].q[k], 1e-4);
    for (std::size_t k = 0; k + 1 < simulated.runs[r].u.size(); ++k)
      EXPECT_EQ(simulated.runs[r].u[k], logged.runs[r].u[k]);
  }
}

// What evaluate can read, rollout can: degrees, a header that is missing.
TEST(RolloutCommand, ReadsALogByTheSameFlagsAsOtherCommands) {
  const ScratchFolder scratch("rollout");
  const std::string model = scratch.file("m.safetensors"), data = scratch.file("log.csv"),
                    out = scratch.file("out.csv");
  save_model(model, pendulum_record(), false);
  std::string rows;
  for (int k = 0; k < 20; ++k) rows += std::to_string(0.01 * k) + ",90,0,0,0\n";
  write_file_atomically(data, rows);
  const auto finished =
      run_mechfit("rollout '" + model + "' --data '" + data +
                  "' --columns t,q1,q2,qd1,qd2 --qd qd1,qd2 --degrees --start logged "
                  "--horizon 0.1 -o '" +
                  out + "'");
  ASSERT_EQ(finished.code, 0) << finished.err;
  EXPECT_NEAR(read_log({out}).log.runs.at(0).q[0], 1.5707963, 1e-6);
}

TEST(RolloutCommand, StartsFromTheStateThatItSaw) {
  const ScratchFolder scratch("rollout");
  const std::string model = scratch.file("m.safetensors"), data = scratch.file("log.csv"),
                    out = scratch.file("out.csv"), start = scratch.file("start.csv");
  save_model(model, cart_pole_record(), false);
  write_motion(data, cart_pole_record(), false, 1e-3);
  const std::string command =
      "rollout '" + model + "' --data '" + data + "' --horizon 0.5 --window 40 -o '";
  const auto finished = run_mechfit(command + out + "'");
  EXPECT_EQ(finished.code, 0) << finished.err;
  const Log logged = read_log({data}).log, simulated = read_log({out}).log;
  ASSERT_EQ(simulated.runs.size(), 4u);
  for (int r = 0; r < 4; ++r) {
    ASSERT_EQ(simulated.runs[r].size(), 26);
    EXPECT_EQ(simulated.runs[r].t[0], logged.runs[r].t[39]);
    for (std::size_t k = 0; k < simulated.runs[r].q.size(); ++k)
      EXPECT_NEAR(simulated.runs[r].q[k], logged.runs[r].q[k + 39 * 2], 1e-2);
  }
  // Later samples have no part in it.
  Log other = logged;
  other.channels = cart_pole_record().channels;
  for (auto& run : other.runs)
    for (std::size_t k = 40 * 2; k < run.q.size(); ++k) run.q[k] += 0.3;
  write_log(start, other);
  const auto again = run_mechfit("rollout '" + model + "' --data '" + start +
                                 "' --horizon 0.5 --window 40 --overwrite -o '" + out + "'");
  EXPECT_EQ(again.code, 0) << again.err;
  const Log same = read_log({out}).log;
  for (int r = 0; r < 4; ++r) EXPECT_EQ(same.runs[r].q, simulated.runs[r].q);

  EXPECT_THAT(run_mechfit("rollout '" + model + "' --data '" + data +
                          "' --start logged --horizon 1 -o '" + scratch.file("no.csv") + "'")
                  .err,
              HasSubstr("mechfit: run 'run 0' has no velocities to start from"));
}

TEST(RolloutCommand, GivesTheMeanAndTheSpreadOfAnEnsemble) {
  const ScratchFolder scratch("rollout");
  const std::string model = scratch.file("m.safetensors"), out = scratch.file("out.csv");
  ModelRecord record = pendulum_record();
  for (const double gravity : {9.0, 10.0, 11.0})
    record.members.push_back(pendulum_record(gravity).model);
  save_model(model, record, false);
  const auto finished =
      run_mechfit("rollout '" + model + "' --from 0.5,0.2 --horizon 1 -o '" + out + "'");
  EXPECT_EQ(finished.code, 0) << finished.err;
  const std::string text = read_file(out);
  EXPECT_THAT(text, HasSubstr("q1_sd,q2_sd,qd1_sd"));
  const Trajectory run = read_log({out}).log.runs[0];
  EXPECT_NEAR(
      run.qdd[0],
      -10 * (2 * std::sin(0.5) - std::sin(0.2) * std::cos(0.3)) / (2 - std::pow(std::cos(0.3), 2)),
      1e-9);  // linear in g: the mean is that of g = 10
  EXPECT_THAT(run_mechfit("inspect '" + model + "'").out, HasSubstr("an ensemble of 3"));
}

TEST(RolloutCommand, TakesInputsFromAFile) {
  const ScratchFolder scratch("rollout");
  const std::string model = scratch.file("m.safetensors"), inputs = scratch.file("u.csv"),
                    out = scratch.file("out.csv");
  save_model(model, cart_pole_record(), false);
  write_file_atomically(inputs, "t,force\n0,2\n0.1,0\n0.2,-3\n0.3,1\n");
  const auto finished = run_mechfit("rollout '" + model + "' --from 0,0 --u '" + inputs +
                                    "' --horizon 1 -o '" + out + "'");
  EXPECT_EQ(finished.code, 0) << finished.err;
  const Log log = read_log({out}).log;
  EXPECT_EQ(log.runs[0].t, (std::vector<double>{0, 0.1, 0.2, 0.3}));
  EXPECT_EQ(log.runs[0].u, (std::vector<double>{2, 0, -3, 1}));
  EXPECT_NEAR(log.runs[0].qdd[0], 2, 0.2);  // 2 N on about 1 kg
}

TEST(RolloutCommand, WrongUsageIsExitCodeTwo) {
  const ScratchFolder scratch("rollout");
  const std::string model = scratch.file("m.safetensors");
  save_model(model, pendulum_record(), false);
  const std::string start =
      "rollout '" + model + "' --horizon 1 -o '" + scratch.file("o.csv") + "'";
  const auto none = run_mechfit(start);
  EXPECT_EQ(none.code, 2);
  EXPECT_EQ(none.err, "mechfit: give a start: --from or --data\n");
  const auto three = run_mechfit(start + " --from 1,2,3");
  EXPECT_EQ(three.code, 2);
  EXPECT_EQ(three.err,
            "mechfit: --from has 3 numbers, expected 2 positions, or these and as many "
            "velocities\n");
  EXPECT_EQ(run_mechfit(start + " --from 1,2 --data x.csv").code, 2);
  EXPECT_FALSE(std::filesystem::exists(scratch.file("o.csv")));
}

TEST(InspectCommand, ShowsAModelAtAPoint) {
  const ScratchFolder scratch("inspect-model");
  const std::string model = scratch.file("m.safetensors");
  save_model(model, pendulum_record(), false);
  const auto json =
      nlohmann::json::parse(run_mechfit("inspect '" + model + "' --at '0.3,1.3;1,2' --json").out);
  // M = [2, c; c, 1], V = -g (2 cos q1 + cos q2), c = cos(q2 - q1)
  EXPECT_NEAR(json["point"]["mass"][0].get<double>(), 2, 1e-12);
  EXPECT_NEAR(json["point"]["mass"][1].get<double>(), std::cos(1.0), 1e-12);
  EXPECT_NEAR(json["point"]["potential"].get<double>(), -10 * (2 * std::cos(0.3) + std::cos(1.3)),
              1e-12);
  // dL/dq2 = -sin(q2 - q1) v1 v2 - g sin q2
  EXPECT_NEAR(json["point"]["conservative_force"][1].get<double>(),
              -std::sin(1.0) * 2 - 10 * std::sin(1.3), 1e-7);
  EXPECT_EQ(json["point"]["force"][0], 0.0);
  EXPECT_EQ(json["metadata"]["seed"], "17");
  EXPECT_EQ(json["constants"]["g"], 10.0);
  const auto text = run_mechfit("inspect '" + model + "'");
  EXPECT_EQ(text.code, 0);
  EXPECT_THAT(text.out, HasSubstr("M(q)"));
  EXPECT_THAT(text.out, HasSubstr("seed: 17"));
  EXPECT_EQ(run_mechfit("inspect '" + model + "' --at 1").err,
            "mechfit: --at: 1 positions, the model has 2 joints\n");
  EXPECT_EQ(run_mechfit("inspect '" + model + "' --at 1,x").code, 2);
}

}  // namespace
}  // namespace mechfit
