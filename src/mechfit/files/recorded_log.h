#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "mechfit/log/log.h"
#include "mechfit/log/read_options.h"

namespace mechfit {

// The run in a recording of ROS messages, as it was recorded: one topic of sensor_msgs/JointState
// (positions are joints, velocities qd, efforts inputs) or std_msgs/Float64MultiArray, named by
// options.topic or the only one that fits. Time is that of the messages' headers, else that of
// their sending; options.time says `header.stamp` or `received`. Joints are found by name in each
// message. Names in options are those of joints, or columns as PlotJuggler calls them:
// /joint_states/elbow/position.
Log parse_mcap_log(std::string_view bytes, const std::string& name, const ReadOptions& options,
                   std::vector<std::string>& notes);
Log parse_rosbag_log(std::string_view bytes, const std::string& name, const ReadOptions& options,
                     std::vector<std::string>& notes);

// The topics, one in a line.
std::string mcap_contents(std::string_view bytes, const std::string& name);
std::string rosbag_contents(std::string_view bytes, const std::string& name);

// Efforts that are zero throughout are those of joints without a motor: inputs of a recording that
// the options do not name are left out then.
void leave_out_idle_inputs(Log& log, std::vector<std::string>& notes);

}  // namespace mechfit
