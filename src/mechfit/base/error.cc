#include "mechfit/base/error.h"

#include <cstring>

namespace mechfit {

void check_failed(const char* condition, const char* file, int line, const std::string& detail) {
  const char* slash = std::strrchr(file, '/');
  std::string text = std::string(slash ? slash + 1 : file) + ":" + std::to_string(line) +
                     ": expected " + condition;
  if (!detail.empty()) text += " (" + detail + ")";
  throw CheckError(text);
}

}  // namespace mechfit
