#pragma once

#include <string>

namespace mechfit {

// "1 run", "3 runs"
inline std::string counted(long count, const std::string& thing) {
  return std::to_string(count) + " " + thing + (count == 1 ? "" : "s");
}

}  // namespace mechfit
