#include "mechfit/files/recording.h"

#include <fmt/format.h>

#include <algorithm>

#include "mechfit/base/text.h"
#include "mechfit/files/ros_message.h"
#include "mechfit/files/unpack.h"

namespace mechfit {

bool holds_motion(const RecordedTopic& topic) {
  return is_joint_state(topic.type) || is_number_list(topic.type);
}

void add_message(RecordedTopic& topic, std::int64_t recorded, std::int64_t published,
                 std::string_view data) {
  ++topic.count;
  if (!holds_motion(topic)) return;
  constexpr std::size_t kLargest = 1 << 26;  // bytes: a million joints
  topic.messages.push_back(
      {recorded, published, is_zstd(data) ? unpack_zstd(data, kLargest) : std::string(data)});
}

void sort_messages(Recording& recording) {
  for (RecordedTopic& topic : recording.topics)
    std::stable_sort(topic.messages.begin(), topic.messages.end(),
                     [](const auto& a, const auto& b) { return a.recorded < b.recorded; });
}

std::string topics_text(const Recording& recording) {
  std::string out;
  for (const RecordedTopic& topic : recording.topics)
    out += fmt::format("  {}: {}, {}{}\n", topic.name, topic.type, counted(topic.count, "message"),
                       topic.encoding == "cdr" ? "" : ", encoding " + topic.encoding);
  return out;
}

}  // namespace mechfit
