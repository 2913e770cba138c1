#pragma once

#include <filesystem>
#include <string>

namespace mechfit::testing {

// Records and published data that are too large for the repository: a file or folder of
// shared/data beside the source folder or one above. Empty where it is not there; tests then skip.
inline std::string shared_data(const std::string& name) {
  for (const char* up : {"/../shared/data/", "/../../shared/data/"}) {
    const std::string path = MECHFIT_SOURCE_DIR + (up + name);
    if (std::filesystem::exists(path)) return path;
  }
  return "";
}

}  // namespace mechfit::testing
