#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace mechfit {

// The messages of ROS 2 that hold motion. Types are called as in sensor_msgs/msg/JointState; the
// middle part may be missing.
bool is_joint_state(std::string_view type);
bool is_number_list(std::string_view type);  // std_msgs/msg/Float64MultiArray

struct JointStateMessage {
  std::int32_t sec = 0;  // header.stamp
  std::uint32_t nanosec = 0;
  std::vector<std::string> joints;                 // [n]
  std::vector<double> position, velocity, effort;  // [n] or empty
};

// A message in CDR. What is wrong with it, null for nothing.
const char* decode(std::string_view message, JointStateMessage& out);
const char* decode(std::string_view message, std::vector<double>& numbers);

}  // namespace mechfit
