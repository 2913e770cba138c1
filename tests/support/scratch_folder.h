#pragma once

#include <stdlib.h>

#include <filesystem>
#include <string>

namespace mechfit {

// A folder of its own for one test, removed at the end.
class ScratchFolder {
 public:
  explicit ScratchFolder(const std::string& name) {
    std::string path =
        (std::filesystem::temp_directory_path() / ("mechfit-" + name + "-XXXXXX")).string();
    path_ = mkdtemp(path.data());
  }
  ~ScratchFolder() { std::filesystem::remove_all(path_); }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  std::string file(const std::string& name) const { return (path_ / name).string(); }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace mechfit
