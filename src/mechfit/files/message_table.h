#pragma once

#include <string>
#include <vector>

#include "mechfit/files/recording.h"
#include "mechfit/log/read_options.h"

namespace mechfit {

// The messages of one topic as a table: a row for each, a column for each number in it.
struct MessageTable {
  std::vector<std::string> header;
  std::vector<double> values;  // [rows][header]
  std::vector<long> messages;  // [rows], from 1
  // Of joint states, in their order: names, and their columns, -1 where there is none.
  struct Joint {
    std::string name;
    int position = -1, velocity = -1, effort = -1;
  };
  std::vector<Joint> joints;
  bool stamped = false;  // has a column kStampColumn
  long passed_over = 0;  // messages of other joints

  std::size_t rows() const { return messages.size(); }
};

inline constexpr const char* kStampColumn = "header.stamp";
inline constexpr const char* kReceivedColumn = "received";

// `where` starts messages: "arm.mcap". Joints that the options name are wanted in all messages that
// have any of them; without such names all messages have the same joints, in any order.
MessageTable joint_state_table(const RecordedTopic& topic, const ReadOptions& options,
                               const std::string& where);
// Columns are called data0, data1 ..., or as options.columns says.
MessageTable number_list_table(const RecordedTopic& topic, const ReadOptions& options,
                               const std::string& where);

}  // namespace mechfit
