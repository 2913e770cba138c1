#pragma once

#include <gtest/gtest.h>

#include <ostream>
#include <string>

namespace mechfit::testing {

// A built-in system as the parameter of a test.
struct SystemCase {
  std::string name;
  int joints;

  friend std::ostream& operator<<(std::ostream& out, const SystemCase& c) { return out << c.name; }
};

inline std::string system_case_name(const ::testing::TestParamInfo<SystemCase>& info) {
  std::string text = info.param.name + std::to_string(info.param.joints);
  std::erase(text, '-');
  return text;
}

}  // namespace mechfit::testing
