#pragma once

#include <optional>
#include <string>
#include <vector>

namespace mechfit {

// Columns that programs write of ROS's sensor_msgs/JointState:
//   /joint_states/elbow/position   PlotJuggler
//   field.position0                rostopic echo -p
//   position_0, position[0]        bagpy and others
enum class JointQuantity { position, velocity, effort };

struct JointStateColumn {
  JointQuantity quantity = JointQuantity::position;
  std::string topic;  // what the columns of one message have in common, "" for none
  std::string joint;  // its name, or joint0, joint1 ...
};

std::optional<JointStateColumn> parse_joint_state(const std::string& column);

// The positions of one message's joints, and their velocities and efforts where all joints have
// them: indices of columns, in the order of the joints. Names that count joints are put in the
// order of their numbers. Messages of wanted motion (is_reference) are passed over.
struct JointStates {
  std::vector<std::string> joints;    // [n]
  std::vector<int> position;          // [n]
  std::vector<int> velocity, effort;  // [n] or empty
};
JointStates find_joint_states(const std::vector<std::string>& header);

// The order of joints: by number where their names count them, else as they stand.
std::vector<std::size_t> joint_order(const std::vector<std::string>& joints);

// Whether a name is that of a wanted value or an error: q1_ref, /controller/desired/q ...
bool is_reference(const std::string& column);

}  // namespace mechfit
