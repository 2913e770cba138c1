#include "mechfit/files/outputs.h"

#include <signal.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>

#include "mechfit/base/error.h"
#include "mechfit/files/files.h"

namespace mechfit {
namespace {

namespace fs = std::filesystem;

std::string folder_of(const std::string& path) {
  const std::string folder = fs::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

// Whether a process of this machine has this number.
bool is_alive(pid_t process) { return ::kill(process, 0) == 0 || errno != ESRCH; }

// The nearest folder on the way to `path` that exists.
std::string existing(std::string path) {
  while (!path_exists(path) && folder_of(path) != path) path = folder_of(path);
  return path;
}

}  // namespace

bool same_file(const std::string& a, const std::string& b) {
  std::error_code error;
  if (fs::equivalent(a, b, error)) return true;
  return fs::weakly_canonical(a, error) == fs::weakly_canonical(b, error);
}

void expect_distinct(const std::vector<std::string>& files) {
  for (std::size_t i = 0; i < files.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (same_file(files[i], files[j]))
        throw InputError(files[i] + ": named twice" +
                         (files[i] == files[j] ? "" : ", also as " + files[j]));
}

void expect_output(const std::string& path, bool overwrite,
                   const std::vector<std::string>& inputs) {
  const std::string folder = folder_of(path);
  std::error_code error;
  if (fs::is_directory(path, error))
    throw InputError(path + ": cannot write: a folder has this name");
  if (!path_exists(folder)) throw InputError(path + ": cannot write: there is no folder " + folder);
  if (!fs::is_directory(folder, error))
    throw InputError(path + ": cannot write: " + folder + " is not a folder");
  for (const auto& input : inputs)
    if (same_file(path, input))
      throw InputError(path + ": cannot write: it is also read, choose another name");
  refuse_overwrite(path, overwrite);
  // Files are written beside and renamed; devices and pipes are opened themselves.
  const bool special = path_exists(path) && !fs::is_regular_file(path, error);
  if (::access(special ? path.c_str() : folder.c_str(), special ? W_OK : W_OK | X_OK) != 0)
    throw InputError(path + ": cannot write: " + std::strerror(errno));
  if (!special) remove_leftovers(folder, fs::path(path).filename().string());
}

void expect_space(const std::string& path, double bytes) {
  struct statvfs status {};
  if (::statvfs(existing(path).c_str(), &status) != 0) return;  // writing will tell
  const double left = static_cast<double>(status.f_bavail) * static_cast<double>(status.f_frsize);
  if (left >= bytes) return;
  const auto megabytes = [](double x) {
    return std::to_string(static_cast<long long>(x / 1e6 + 0.5)) + " MB";
  };
  throw InputError(path + ": the disk is nearly full: " + megabytes(left) + " are left, about " +
                   megabytes(bytes) + " are needed");
}

std::string partial_mark() {
  char host[256] = "";
  ::gethostname(host, sizeof host - 1);
  return ".partial-" + std::string(host) + "-";
}

void remove_leftovers(const std::string& folder, const std::string& name) {
  const std::string mark = partial_mark();
  std::error_code ignored;  // a folder that cannot be listed keeps them
  fs::directory_iterator entry(folder, ignored);
  for (; !ignored && entry != fs::directory_iterator(); entry.increment(ignored)) {
    const std::string file = entry->path().filename().string();
    const auto at = file.rfind(mark);
    if (at == std::string::npos || (!name.empty() && file.substr(0, at) != name)) continue;
    pid_t process = 0;
    const char *begin = file.data() + at + mark.size(), *end = file.data() + file.size();
    const auto [stop, error] = std::from_chars(begin, end, process);
    if (error != std::errc() || stop == end || *stop != '-' || process <= 0) continue;
    if (!is_alive(process)) ::unlink((folder + "/" + file).c_str());
  }
}

}  // namespace mechfit
