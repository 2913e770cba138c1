#include "mechfit/mechanics/families/arm/robot_file.h"

#include <algorithm>

#include "mechfit/base/constants.h"
#include "mechfit/base/error.h"
#include "mechfit/files/files.h"
#include "mechfit/files/number.h"
#include "mechfit/files/toml.h"

namespace mechfit {
namespace {

double number(const TomlSetting& setting, const std::string& text, const std::string& path) {
  double value = 0;
  if (parse_number(text, value) != NumberStatus::ok)
    throw InputError(path + ":" + std::to_string(setting.line) + ": " + setting.name + ": " +
                     in_quotes(text) + " is not a number");
  return value;
}

[[noreturn]] void unknown(const TomlSetting& setting, const std::string& path,
                          const std::string& expected) {
  throw InputError(path + ":" + std::to_string(setting.line) + ": unknown name '" + setting.name +
                   "', expected " + expected);
}

double single(const TomlSetting& setting, const std::string& path) {
  if (setting.values.size() != 1)
    throw InputError(path + ":" + std::to_string(setting.line) + ": " + setting.name +
                     ": expected one number");
  return number(setting, setting.values[0], path);
}

ArmJoint dh_joint(const TomlTable& table, const std::string& path, int index) {
  double a = 0, d = 0, alpha = 0, theta = 0;
  std::string name = "joint" + std::to_string(index + 1);
  JointKind kind = JointKind::revolute;
  for (const TomlSetting& setting : table.settings) {
    if (setting.name == "name" && setting.values.size() == 1) {
      name = setting.values[0];
    } else if (setting.name == "kind" && setting.values.size() == 1) {
      const auto value = value_of<JointKind>(setting.values[0]);
      if (!value)
        throw InputError(path + ":" + std::to_string(setting.line) + ": kind '" +
                         setting.values[0] + "', expected revolute or prismatic");
      kind = *value;
    } else if (setting.name == "a") {
      a = single(setting, path);
    } else if (setting.name == "d") {
      d = single(setting, path);
    } else if (setting.name == "alpha") {
      alpha = single(setting, path);
    } else if (setting.name == "alpha_deg") {
      alpha = single(setting, path) * kTurn / 360;
    } else if (setting.name == "theta") {
      theta = single(setting, path);
    } else if (setting.name == "theta_deg") {
      theta = single(setting, path) * kTurn / 360;
    } else {
      unknown(setting, path,
              "name, kind, a, d, alpha, alpha_deg, theta or theta_deg, each with one value");
    }
  }
  ArmJoint joint = modified_dh(a, d, alpha, theta);
  joint.name = name;
  joint.kind = kind;
  joint.parent = index - 1;
  return joint;
}

}  // namespace

ArmDescription parse_dh_table(const std::string& text, const std::string& path) {
  ArmDescription robot;
  for (const TomlTable& table : parse_toml(text, path)) {
    if (table.name == "joint") {
      robot.kinematics.joints.push_back(dh_joint(table, path, robot.kinematics.n()));
      continue;
    }
    if (!table.name.empty())
      throw InputError(path + ":" + std::to_string(table.line) + ": table '" + table.name +
                       "', expected [[joint]]");
    for (const TomlSetting& setting : table.settings) {
      if (setting.name != "gravity") unknown(setting, path, "gravity or [[joint]]");
      if (setting.values.size() != 3)
        throw InputError(path + ":" + std::to_string(setting.line) +
                         ": gravity: expected three numbers");
      for (int k = 0; k < 3; ++k)
        robot.kinematics.gravity[k] = number(setting, setting.values[k], path);
    }
  }
  if (robot.kinematics.joints.empty()) throw InputError(path + ": no [[joint]]");
  check_kinematics(robot.kinematics, path);
  return robot;
}

ArmDescription read_robot(const std::string& path) {
  const std::string text = read_file(path);
  const auto first = text.find_first_not_of(" \t\r\n\xEF\xBB\xBF");
  if (first != std::string::npos && text[first] == '<')
    return is_mjcf(text) ? parse_mjcf(text, path) : parse_urdf(text, path);
  return parse_dh_table(text, path);
}

}  // namespace mechfit
