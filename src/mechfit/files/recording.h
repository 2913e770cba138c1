#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace mechfit {

// What a recorder of messages has written, whatever the container.
struct RecordedMessage {
  std::int64_t recorded = 0;   // [ns] when it was written, which orders messages
  std::int64_t published = 0;  // [ns] when it was sent, where the container knows
  std::string data;
};

struct RecordedTopic {
  std::string name;      // "/joint_states"
  std::string type;      // "sensor_msgs/msg/JointState"
  std::string encoding;  // of its messages: "cdr" is read
  long count = 0;        // of messages
  // In the order of their time; of types that hold no motion only the count is kept.
  std::vector<RecordedMessage> messages;
};

struct Recording {
  std::vector<RecordedTopic> topics;  // in the order in which the file names them
};

// Whether messages of a topic are worth keeping.
bool holds_motion(const RecordedTopic& topic);

// Counts a message, and keeps it where it holds motion. Data that the recorder has packed one by
// one (zstd) are unpacked.
void add_message(RecordedTopic& topic, std::int64_t recorded, std::int64_t published,
                 std::string_view data);

// Puts messages in the order of their time, those of the same time in the order of the file.
void sort_messages(Recording& recording);

// One line for each topic: name, type, number of messages, encoding where it is not read.
std::string topics_text(const Recording& recording);

}  // namespace mechfit
