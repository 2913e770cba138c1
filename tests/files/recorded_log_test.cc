#include "mechfit/files/recorded_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>

#include "mechfit/base/error.h"
#include "mechfit/files/files.h"
#include "mechfit/files/mcap.h"
#include "mechfit/files/message_table.h"
#include "mechfit/files/read_log.h"
#include "mechfit/files/rosbag.h"

// Files that Foxglove's packages and rosbags wrote of the motion in motion.csv:
// tests/data/recordings/README.md.
namespace mechfit {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::ThrowsMessage;

std::string path(const std::string& name) {
  return std::string(MECHFIT_TEST_DATA) + "/recordings/" + name;
}

// The shoulder has no motor, which the readers of recordings see themselves.
Log motion() {
  ReadOptions options;
  options.u = {"/joint_states/elbow/effort"};
  return read_log({path("motion.csv")}, options).log;
}

void expect_same_run(const Trajectory& run, const Trajectory& expected) {
  ASSERT_EQ(run.size(), expected.size());
  EXPECT_EQ(run.t, expected.t);
  EXPECT_EQ(run.q, expected.q);
  EXPECT_EQ(run.u, expected.u);
  EXPECT_EQ(run.qd, expected.qd);
}

void expect_the_motion(const Log& log) {
  const Log expected = motion();
  ASSERT_EQ(expected.samples(), 36);
  ASSERT_THAT(log.runs, SizeIs(1));
  expect_same_run(log.runs[0], expected.runs[0]);
  EXPECT_EQ(log.channels.joints, expected.channels.joints);
  EXPECT_EQ(log.channels.joint_types, expected.channels.joint_types);
  EXPECT_EQ(log.channels.units, expected.channels.units);
  EXPECT_EQ(log.channels.inputs, expected.channels.inputs);
}

std::string message_of(const std::vector<std::string>& files, const ReadOptions& options = {}) {
  try {
    read_log(files, options);
  } catch (const InputError& e) {
    return e.what();
  }
  return "no error";
}

TEST(Recording, GivesTheLogOfItsCsvBitByBit) {
  for (const char* name : {"chunks_lz4.mcap", "chunks_zstd.mcap", "no_chunks.mcap", "bag",
                           "old_bag", "packed_messages", "packed_file", "mcap_bag",
                           "packed_mcap_bag", "bag/bag.db3", "packed_file/packed_file.db3.zstd"}) {
    SCOPED_TRACE(name);
    expect_the_motion(read_log({path(name)}).log);
  }
}

TEST(Recording, SaysWhatItTook) {
  const auto notes = read_log({path("chunks_lz4.mcap")}).notes;
  EXPECT_THAT(notes, Contains("topic /joint_states: joints shoulder, elbow; inputs "
                              "/joint_states/shoulder/effort, /joint_states/elbow/effort; time "
                              "header.stamp"));
  EXPECT_THAT(notes, Contains("/joint_states/shoulder/effort: zero throughout, not taken as "
                              "inputs (option 'u' names inputs)"));
}

TEST(Recording, InSeveralFilesIsOneRunWhateverTheirOrder) {
  expect_the_motion(read_log({path("split_?.mcap")}).log);
  const ReadResult turned = read_log({path("split_1.mcap"), path("split_0.mcap")});
  expect_the_motion([&] {  // the order of the joints is that of the first file's first message
    Log log = turned.log;
    EXPECT_THAT(log.channels.joints, ElementsAre("elbow", "shoulder"));
    ReadOptions options;
    options.q = {"shoulder", "elbow"};
    options.u = {"elbow"};
    return read_log({path("split_1.mcap"), path("split_0.mcap")}, options).log;
  }());
  EXPECT_THAT(turned.notes, Contains("2 files are 1 run: their stamps go on"));
}

TEST(Recording, OtherRunsStayApart) {
  const Log log = read_log({path("split_0.mcap"), path("bag"), path("mcap_bag")}).log;
  ASSERT_THAT(log.runs, SizeIs(3));  // the bags overlap with it
  EXPECT_EQ(log.runs[0].size(), 16);
  EXPECT_EQ(log.runs[1].name, "bag");
}

TEST(Recording, HasTheSameJointsInAllMessages) {
  EXPECT_EQ(message_of({path("other_joints.mcap")}),
            path("other_joints.mcap") +
                ": message 5 of /joint_states has joints shoulder, gripper, expected shoulder, "
                "elbow as in message 1 (option 'q' names those that are wanted)");
  ReadOptions options;
  options.q = {"elbow"};
  const ReadResult elbow = read_log({path("other_joints.mcap")}, options);
  EXPECT_EQ(elbow.log.runs[0].size(), 7);
  EXPECT_THAT(elbow.notes,
              Contains(HasSubstr("passed over 1 message of /joint_states with other joints")));
  options.q = {"/joint_states/shoulder/position"};
  const Log shoulder = read_log({path("other_joints.mcap")}, options).log;
  EXPECT_EQ(shoulder.runs[0].size(), 8);
  EXPECT_THAT(shoulder.channels.joints, ElementsAre("shoulder"));
  EXPECT_THAT(shoulder.runs[0].qd, SizeIs(8));
  options.q = {"wrist"};
  EXPECT_THAT(message_of({path("other_joints.mcap")}, options),
              HasSubstr("no message of /joint_states has joint wrist, found shoulder, elbow"));
}

TEST(Recording, TakesTheInputsThatAreNamed) {
  ReadOptions options;
  options.u = {"shoulder", "elbow"};
  EXPECT_THAT(read_log({path("bag")}, options).log.channels.inputs,
              ElementsAre("/joint_states/shoulder/effort", "/joint_states/elbow/effort"));
  options.u = {"none"};
  EXPECT_THAT(read_log({path("bag")}, options).log.channels.inputs, IsEmpty());
}

TEST(Recording, WithoutStampsHasTheTimeOfReceipt) {
  const ReadResult result = read_log({path("no_stamps.mcap")});
  const Log expected = motion();
  ASSERT_THAT(result.log.runs, SizeIs(1));
  const Trajectory& run = result.log.runs[0];
  EXPECT_EQ(run.q, expected.runs[0].q);
  EXPECT_THAT(run.qd, IsEmpty());
  EXPECT_EQ(result.log.m(), 0);  // efforts that are not measured
  for (int k = 0; k < run.size(); ++k) EXPECT_NEAR(run.t[k], expected.runs[0].t[k] + 0.003, 1e-6);
  EXPECT_THAT(result.notes,
              Contains("topic /joint_states: joints shoulder, elbow; time of receipt, for the "
                       "headers' stamps are zero"));
  ReadOptions options;
  options.time = "received";
  EXPECT_EQ(read_log({path("chunks_zstd.mcap")}, options).log.runs[0].q, run.q);
}

TEST(Recording, OfListsOfNumbersHasColumns) {
  const Log expected = motion();
  ReadOptions options;
  options.columns = {"q1", "q2", "u1"};
  const Log log = read_log({path("numbers.mcap")}, options).log;
  EXPECT_EQ(log.runs[0].q, expected.runs[0].q);
  EXPECT_EQ(log.runs[0].u, expected.runs[0].u);
  options.columns = {};
  EXPECT_THAT(read_log({path("numbers.mcap")}).log.channels.joints,
              ElementsAre("data0", "data1", "data2"));
  options.q = {"data1"};
  options.u = {"data2"};
  EXPECT_EQ(read_log({path("numbers.mcap")}, options).log.runs[0].u, expected.runs[0].u);
  options.q = {"data7"};
  EXPECT_THAT(message_of({path("numbers.mcap")}, options),
              HasSubstr("no column 'data7', found received, data0, data1, data2"));
}

TEST(Recording, AsksForATopicWhereSeveralFit) {
  EXPECT_EQ(message_of({path("two_arms.mcap")}),
            path("two_arms.mcap") +
                ": several topics hold motion, /left/joint_states (sensor_msgs/msg/JointState), "
                "/right/joint_states (sensor_msgs/msg/JointState); choose with option 'topic'");
  ReadOptions options;
  options.topic = "/left/joint_states";
  EXPECT_EQ(read_log({path("two_arms.mcap")}, options).log.samples(), 4);
  options.topic = "/joint_states";
  EXPECT_THAT(message_of({path("two_arms.mcap")}, options),
              HasSubstr("no topic \"/joint_states\""));
  options.topic = "/desired/joint_states";  // by its name, not by itself
  EXPECT_EQ(read_log({path("chunks_lz4.mcap")}, options).log.samples(), 3);
  options.topic = "/rosout";
  EXPECT_THAT(message_of({path("chunks_lz4.mcap")}, options),
              HasSubstr("no messages of sensor_msgs/msg/JointState or "
                        "std_msgs/msg/Float64MultiArray, found topics /rosout "
                        "(std_msgs/msg/String)"));
}

TEST(Recording, ListsWhatItHolds) {
  EXPECT_EQ(log_contents({path("chunks_lz4.mcap")}),
            path("chunks_lz4.mcap") +
                "\n"
                "  /rosout: std_msgs/msg/String, 3 messages\n"
                "  /desired/joint_states: sensor_msgs/msg/JointState, 3 messages\n"
                "  /joint_states: sensor_msgs/msg/JointState, 36 messages\n");
  EXPECT_EQ(
      log_contents({path("json.mcap")}),
      path("json.mcap") + "\n  /joint_states: sensor_msgs/JointState, 3 messages, encoding json\n");
  EXPECT_EQ(log_contents({path("bag")}),
            path("bag/bag.db3") + "\n  /joint_states: sensor_msgs/msg/JointState, 36 messages\n");
}

TEST(Recording, InAnotherEncodingIsRefused) {
  EXPECT_EQ(message_of({path("json.mcap")}),
            path("json.mcap") +
                ": messages of /joint_states have the encoding \"json\", expected cdr as ROS 2 "
                "writes it");
}

TEST(Recording, RefusesOptionsOfTables) {
  ReadOptions options;
  options.trajectory = "run";
  EXPECT_THAT(message_of({path("bag")}, options),
              HasSubstr("option 'trajectory' does not go with messages of"));
  options = {};
  options.time_unit = TimeUnit::ms;  // stamps have their own
  for (const char* name : {"bag", "numbers.mcap"})
    EXPECT_THAT(message_of({path(name)}, options),
                HasSubstr("option 'time_unit' does not go with messages of"));
  options = {};
  options.topic = "/joint_states";
  EXPECT_EQ(message_of({path("motion.csv")}, options),
            path("motion.csv") + ": option 'topic' is for recordings of messages (MCAP, rosbag2)");
  EXPECT_THAT(message_of({std::string(MECHFIT_TEST_DATA)}),
              HasSubstr(": is a folder without a recording, expected a file"));
}

// A message of joint states without names in CDR, all positions 0.
std::string joints_without_names(std::uint32_t count) {
  std::string out("\0\1\0\0", 4);
  out.append(16, '\0');  // stamp, frame, names
  out.append(reinterpret_cast<const char*>(&count), sizeof count);
  out.append(4 + 8 * std::size_t{count} + 8, '\0');  // to a multiple of 8, positions, the others
  return out;
}

TEST(Recording, CountsJointsThatHaveNoNames) {
  RecordedTopic topic{"/joint_states", "sensor_msgs/msg/JointState", "cdr", 1, {}};
  topic.messages = {{0, 0, joints_without_names(3)}};
  const MessageTable table = joint_state_table(topic, {}, "log");
  ASSERT_EQ(table.joints.size(), 3u);
  EXPECT_EQ(table.joints[2].name, "joint2");
}

TEST(Recording, OfMoreJointsThanAMachineHasIsRefused) {
  RecordedTopic topic{"/joint_states", "sensor_msgs/msg/JointState", "cdr", 1, {}};
  topic.messages = {{0, 0, joints_without_names(20000)}};
  EXPECT_THAT([&] { (void)joint_state_table(topic, {}, "log"); },
              ThrowsMessage<InputError>(
                  "log: message 1 of /joint_states has 20000 joints, that is no machine's"));
}

using Reader = Recording (*)(std::string_view bytes, const std::string& name);

bool is_refused(Reader read, const std::string& bytes) {
  try {
    read(bytes, "log");
  } catch (const InputError& e) {
    EXPECT_THAT(e.what(), HasSubstr("log: "));
    EXPECT_EQ(std::string(e.what()).find('\n'), std::string::npos);
    return true;
  }
  return false;
}

TEST(Recording, CutAnywhereIsRefused) {
  for (const char* name : {"chunks_lz4.mcap", "chunks_zstd.mcap", "no_chunks.mcap"}) {
    const std::string bytes = read_file(path(name));
    EXPECT_FALSE(is_refused(read_mcap, bytes));
    for (std::size_t size = 0; size < bytes.size(); ++size)
      EXPECT_TRUE(is_refused(read_mcap, bytes.substr(0, size))) << name << " cut at " << size;
  }
  const std::string bag = read_file(path("bag/bag.db3"));
  EXPECT_FALSE(is_refused(read_rosbag, bag));
  for (std::size_t size = 0; size < bag.size(); size += 7)
    EXPECT_TRUE(is_refused(read_rosbag, bag.substr(0, size))) << "bag cut at " << size;
}

// Its checksums cover every byte of a file without chunks.
TEST(Recording, ChangedAnywhereIsRefused) {
  const std::string bytes = read_file(path("no_chunks.mcap"));
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    std::string changed = bytes;
    changed[at] = static_cast<char>(changed[at] ^ 0x41);
    EXPECT_TRUE(is_refused(read_mcap, changed)) << "byte " << at;
  }
}

TEST(Recording, DamagedIsReadOrRefused) {
  for (const char* name : {"chunks_lz4.mcap", "chunks_zstd.mcap"}) {
    const std::string bytes = read_file(path(name));
    for (std::size_t at = 0; at < bytes.size(); ++at) {
      std::string changed = bytes;
      changed[at] = static_cast<char>(changed[at] ^ 0x81);
      (void)is_refused(read_mcap, changed);
    }
  }
  const std::string bag = read_file(path("bag/bag.db3"));
  for (std::size_t at = 0; at < bag.size(); at += 3) {
    std::string changed = bag;
    changed[at] = static_cast<char>(changed[at] ^ 0x81);
    (void)is_refused(read_rosbag, changed);
  }
  EXPECT_TRUE(is_refused(read_rosbag, read_file(path("no_chunks.mcap"))));
  EXPECT_TRUE(is_refused(read_mcap, bag));
}

}  // namespace
}  // namespace mechfit
