#include "mechfit/files/ros_message.h"

#include "mechfit/files/cdr.h"

namespace mechfit {
namespace {

bool is_type(std::string_view type, std::string_view package, std::string_view name) {
  if (!type.starts_with(package) || !type.ends_with(name)) return false;
  const std::string_view between =
      type.substr(package.size(), type.size() - package.size() - name.size());
  return between == "/" || between == "/msg/";
}

}  // namespace

bool is_joint_state(std::string_view type) { return is_type(type, "sensor_msgs", "JointState"); }

bool is_number_list(std::string_view type) {
  return is_type(type, "std_msgs", "Float64MultiArray");
}

const char* decode(std::string_view message, JointStateMessage& out) {
  CdrReader cdr(message);
  out.sec = cdr.number<std::int32_t>();
  out.nanosec = cdr.number<std::uint32_t>();
  cdr.text();  // header.frame_id
  out.joints.resize(cdr.length(sizeof(std::uint32_t)));
  for (std::string& joint : out.joints) joint = cdr.text();
  out.position = cdr.doubles();
  out.velocity = cdr.doubles();
  out.effort = cdr.doubles();
  return cdr.fault();
}

const char* decode(std::string_view message, std::vector<double>& numbers) {
  CdrReader cdr(message);
  const std::size_t dimensions = cdr.length(3 * sizeof(std::uint32_t));
  for (std::size_t i = 0; i < dimensions; ++i) {
    cdr.text();                   // label
    cdr.number<std::uint32_t>();  // size
    cdr.number<std::uint32_t>();  // stride
  }
  cdr.number<std::uint32_t>();  // data_offset
  numbers = cdr.doubles();
  return cdr.fault();
}

}  // namespace mechfit
