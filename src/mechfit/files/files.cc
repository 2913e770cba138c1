#include "mechfit/files/files.h"

#include <fcntl.h>
#include <glob.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include "mechfit/base/error.h"
#include "mechfit/files/outputs.h"

namespace mechfit {
namespace {

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }
  int close() { return ::close(std::exchange(fd_, -1)); }

 private:
  int fd_;
};

[[noreturn]] void fail(const std::string& path, const char* what, int error) {
  throw InputError(path + ": " + what + ": " + std::strerror(error));
}

// 0 or errno.
int write_all(int fd, std::string_view bytes) {
  constexpr std::size_t kLargest = std::size_t{1} << 30;  // of one write call
  while (!bytes.empty()) {
    const ssize_t n = ::write(fd, bytes.data(), std::min(bytes.size(), kLargest));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return errno;
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  return 0;
}

// A new file beside `path`, readable by whom the umask allows. Its name goes to `name`.
int create_beside(const std::string& path, std::string& name) {
  for (int attempt = 0;; ++attempt) {
    name = path + partial_mark() + std::to_string(::getpid()) + "-" + std::to_string(attempt);
    const int fd = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd >= 0 || errno != EEXIST || attempt == 100) return fd;
  }
}

}  // namespace

std::string read_file(const std::string& path) {
  Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) fail(path, "cannot open", errno);
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) fail(path, "cannot read", errno);
  if (S_ISDIR(status.st_mode)) throw InputError(path + ": is a folder, expected a file");

  std::string bytes;
  std::size_t filled = 0;
  bytes.resize(static_cast<std::size_t>(std::max<off_t>(status.st_size, 0)) + 1);
  for (;;) {
    const ssize_t n = ::read(file.get(), bytes.data() + filled, bytes.size() - filled);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) fail(path, "cannot read", errno);
    if (n == 0) break;
    // Reading /dev/zero would end with the memory.
    if (S_ISCHR(status.st_mode)) throw InputError(path + ": is a device, expected a file");
    filled += static_cast<std::size_t>(n);
    if (filled == bytes.size()) bytes.resize(std::max<std::size_t>(2 * filled, 1 << 16));
  }
  bytes.resize(filled);
  return bytes;
}

void write_file_atomically(const std::string& path, std::string_view bytes) {
  struct stat status {};
  if (::stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode)) {
    Descriptor device(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
    if (device.get() < 0) fail(path, "cannot write", errno);
    int error = write_all(device.get(), bytes);
    if (device.close() != 0 && error == 0) error = errno;
    if (error != 0) fail(path, "cannot write", error);
    return;
  }

  std::string beside;
  Descriptor file(create_beside(path, beside));
  if (file.get() < 0) fail(path, "cannot write", errno);
  int error = write_all(file.get(), bytes);
  if (error == 0 && ::fsync(file.get()) != 0) error = errno;
  if (file.close() != 0 && error == 0) error = errno;
  if (error == 0 && ::rename(beside.c_str(), path.c_str()) != 0) error = errno;
  if (error != 0) {
    ::unlink(beside.c_str());
    fail(path, "cannot write", error);
  }
  // The rename itself survives a power cut once the folder is on disk too; not all file systems
  // can do that, so its outcome is not looked at.
  const auto folder = std::filesystem::path(path).parent_path();
  Descriptor parent(
      ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (parent.get() >= 0) ::fsync(parent.get());
}

void make_folders(const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error || !std::filesystem::is_directory(path))
    throw InputError(path + ": cannot make this folder: " +
                     (error ? error.message() : std::string("a file has its name")));
}

std::vector<std::string> list_folder(const std::string& path) {
  std::vector<std::string> names;
  if (!path_exists(path)) return names;
  std::error_code error;
  std::filesystem::directory_iterator entry(path, error);
  while (!error && entry != std::filesystem::directory_iterator()) {
    names.push_back(entry->path().filename().string());
    entry.increment(error);
  }
  if (error) throw InputError(path + ": cannot list this folder: " + error.message());
  std::sort(names.begin(), names.end());
  return names;
}

bool path_exists(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0;
}

void remove_file(const std::string& path) {
  if (::unlink(path.c_str()) != 0 && errno != ENOENT) fail(path, "cannot remove", errno);
}

void refuse_overwrite(const std::string& path, bool overwrite) {
  struct stat status {};
  if (!overwrite && ::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode))
    throw InputError(path + ": exists already (option 'overwrite' replaces it)");
}

std::vector<std::string> expand_globs(const std::vector<std::string>& names) {
  std::vector<std::string> out;
  for (const auto& name : names) {
    struct stat status {};
    if (name.find_first_of("*?[") == std::string::npos || ::stat(name.c_str(), &status) == 0) {
      out.push_back(name);
      continue;
    }
    glob_t found{};
    const int result = ::glob(name.c_str(), 0, nullptr, &found);
    for (std::size_t i = 0; result == 0 && i < found.gl_pathc; ++i)
      out.emplace_back(found.gl_pathv[i]);
    ::globfree(&found);
    if (result != 0) throw InputError(name + ": no file matches this pattern");
  }
  if (out.empty()) throw InputError("no file was named, expected at least one");
  return out;
}

std::string lower_extension(const std::string& path) {
  std::string extension = std::filesystem::path(path).extension().string();
  for (char& c : extension)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return extension;
}

std::string file_stem(const std::string& path) {
  return std::filesystem::path(path).stem().string();
}

}  // namespace mechfit
