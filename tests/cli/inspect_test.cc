#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "tests/cli/model_files.h"
#include "tests/cli/program.h"

namespace mechfit {
namespace {

using ::testing::HasSubstr;

std::string example_log() {
  std::string text = "run,t,th_deg,u1\n";
  for (int run = 0; run < 2; ++run)
    for (int k = 0; k < 200; ++k)
      text += "r" + std::to_string(run) + "," + std::to_string(0.01 * k) + "," +
              std::to_string(57.0 * std::sin(0.06 * k + run)) + "," + std::to_string(k % 7) + "\n";
  return text;
}

TEST(InspectCommand, PrintsJsonForMachines) {
  const ScratchFolder scratch("inspect");
  const std::string log = scratch.file("log.csv");
  write_file_atomically(log, example_log());
  const auto finished = run_mechfit("inspect --json '" + log + "'");
  EXPECT_EQ(finished.code, 0);
  EXPECT_EQ(finished.err, "");
  const auto json = nlohmann::json::parse(finished.out);
  EXPECT_EQ(json["samples"], 400);
  EXPECT_EQ(json["runs"].size(), 2u);
  EXPECT_EQ(json["runs"][1]["name"], "r1");
  EXPECT_EQ(json["joints"][0]["name"], "th");
  EXPECT_EQ(json["joints"][0]["unit"], "rad");
  EXPECT_NEAR(json["joints"][0]["highest"].get<double>(), 0.9948, 1e-3);
  EXPECT_NEAR(json["joints"][0]["frequency"].get<double>(), 6.0 / 6.283, 0.2);
  EXPECT_EQ(json["inputs"][0]["highest"], 6.0);
  EXPECT_TRUE(json["warnings"].empty());
  EXPECT_EQ(json["notes"].size(), 3u);
}

TEST(InspectCommand, PrintsTablesAndWarningsForPeople) {
  const ScratchFolder scratch("inspect");
  const std::string log = scratch.file("log.csv");
  write_file_atomically(log, "t,q1\n0,1\n1,1\n2,1\n");
  const auto finished = run_mechfit("inspect --q q1 '" + scratch.file("*.csv") + "'");
  EXPECT_EQ(finished.code, 0);
  EXPECT_THAT(finished.out, HasSubstr("1 run, 3 samples, 2 s, step 1 s"));
  EXPECT_THAT(finished.out,
              HasSubstr("warning: q1: never moves: leave it out (--q names the joints)\n"));
  EXPECT_THAT(finished.err, HasSubstr("note: columns: time t; joints q1\n"));
}

TEST(InspectCommand, ListsWhatAFileHoldsWhereItCannotGuess) {
  const std::string log = std::string(MECHFIT_TEST_DATA) + "/recordings/two_arms.mcap";
  const auto listed = run_mechfit("inspect '" + log + "'");
  EXPECT_NE(listed.code, 0);
  EXPECT_EQ(listed.out, log +
                            "\n  /left/joint_states: sensor_msgs/msg/JointState, 4 messages\n"
                            "  /right/joint_states: sensor_msgs/msg/JointState, 4 messages\n");
  EXPECT_THAT(listed.err, HasSubstr("; choose with --topic\n"));
  const auto chosen = run_mechfit("inspect --topic /left/joint_states '" + log + "'");
  EXPECT_EQ(chosen.code, 0);
  EXPECT_THAT(chosen.out, HasSubstr("1 run, 4 samples"));
  EXPECT_EQ(run_mechfit("inspect --json '" + log + "'").out, "");
  const ScratchFolder scratch("inspect");
  write_file_atomically(scratch.file("log.csv"), "clock;angle\n0;1\n1;2\n");
  EXPECT_THAT(run_mechfit("inspect '" + scratch.file("log.csv") + "'").out,
              HasSubstr("\n  clock: first 0\n  angle: first 1\n"));
}

TEST(InspectCommand, TellsHowManyRowsWereDropped) {
  const ScratchFolder scratch("inspect");
  const std::string log = scratch.file("log.csv");
  write_file_atomically(log, "t,q1\n0,1\n1,2\n2,bad\n3,1\n");
  const auto finished = run_mechfit("inspect --drop-bad-rows '" + log + "'");
  EXPECT_EQ(finished.code, 0);
  EXPECT_THAT(finished.err,
              HasSubstr("dropped 1 of 4 rows: 1 with text in a number (first on line 4)"));
}

// A cart-pole that has seen the cart move little and the pole turn over.
ModelRecord known_record() {
  ModelRecord record = cart_pole_record();
  Knowledge known;
  const double turn = 2 * M_PI;
  known.region = {{-0.4, -turn / 2}, {0.6, turn / 2}, {-2, -9}, {2.5, 8}, {-3}, {3.5}};
  known.velocity = {1, 4};
  known.acceleration = {2, 20};
  known.error = {0.01, 0.3};
  known.error_time = {0.1, 0.1};
  record.knowledge = known;
  record.metadata["scores"] = R"({"acceleration_error": {"joints": [0.0213, null]}})";
  const std::size_t p = record.model.parameter_count();
  record.covariance.assign(p * p, 0.0);
  record.covariance[0] = 4e-4;  // of m_cart = 1
  return record;
}

TEST(InspectCommand, ShowsWhatAModelKnows) {
  const ScratchFolder scratch("inspect-known");
  const std::string model = scratch.file("m.safetensors");
  save_model(model, known_record(), false);
  const auto text = run_mechfit("inspect '" + model + "'");
  EXPECT_EQ(text.code, 0);
  for (const char* words :
       {"-0.4 .. 0.6", "full turn", "-9 .. 8", "0.0213", "input force -3 .. 3.5", "held-out runs"})
    EXPECT_THAT(text.out, HasSubstr(words));
  EXPECT_THAT(text.out, ::testing::ContainsRegex("m_cart +1 +0.02 +kg"));
  EXPECT_THAT(text.out, ::testing::ContainsRegex("m_pole +0.1 +given +kg"));
  const auto json = nlohmann::json::parse(run_mechfit("inspect --json '" + model + "'").out);
  EXPECT_EQ(json["standard_errors"]["m_cart"], 0.02);
  EXPECT_EQ(json["knowledge"]["v_high"][1], 8.0);
  EXPECT_EQ(json["knowledge"]["error"][1], 0.3);
  EXPECT_EQ(json["scale"], "physical");
}

TEST(InspectCommand, SaysWhatIsNotKnownOfAModel) {
  const ScratchFolder scratch("inspect-unknown");
  const std::string model = scratch.file("m.safetensors");
  save_model(model, pendulum_record(), false);
  const auto text = run_mechfit("inspect '" + model + "'");
  EXPECT_THAT(text.out, ::testing::ContainsRegex("g +10 +not known +m/s\\^2"));
  EXPECT_THAT(text.out, HasSubstr("only ratios mean something"));
  EXPECT_THAT(text.out, ::testing::Not(HasSubstr("region")));
}

}  // namespace
}  // namespace mechfit
