#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "mechfit/log/log.h"

namespace mechfit::testing {

// A log without runs: joints q1, q2 ... in rad, inputs u1, u2 ...
inline Log empty_log(int joints, JointType type = JointType::plain, int inputs = 0) {
  Log log;
  for (int i = 0; i < joints; ++i) log.channels.joints.push_back("q" + std::to_string(i + 1));
  for (int i = 0; i < inputs; ++i) log.channels.inputs.push_back("u" + std::to_string(i + 1));
  log.channels.joint_types.assign(joints, type);
  log.channels.units.assign(joints, "rad");
  return log;
}

// Runs begin to end - 1.
inline Log part(const Log& log, int begin, int end) {
  Log out;
  out.channels = log.channels;
  out.runs.assign(log.runs.begin() + begin, log.runs.begin() + end);
  return out;
}

// Root mean square of a - b.
inline double rms_error(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t k = 0; k < a.size(); ++k) sum += (a[k] - b[k]) * (a[k] - b[k]);
  return std::sqrt(sum / static_cast<double>(a.size()));
}

}  // namespace mechfit::testing
