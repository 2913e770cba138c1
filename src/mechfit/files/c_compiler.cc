#include "mechfit/files/c_compiler.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "mechfit/base/error.h"
#include "mechfit/files/files.h"

extern char** environ;

namespace mechfit {
namespace {

namespace fs = std::filesystem;

class TemporaryFolder {
 public:
  TemporaryFolder() : path_((fs::temp_directory_path() / "mechfit-XXXXXX").string()) {
    if (mkdtemp(path_.data()) == nullptr)
      throw InputError("cannot make a temporary folder in " + fs::temp_directory_path().string());
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  std::string file(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

// Runs a program silently; false where it cannot be run or fails.
bool run(std::vector<std::string> words) {
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t quiet;
  posix_spawn_file_actions_init(&quiet);
  for (int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    posix_spawn_file_actions_addopen(&quiet, stream, "/dev/null", O_RDWR, 0);
  pid_t child = 0;
  const int failed = posix_spawnp(&child, arguments[0], &quiet, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&quiet);
  int status = 0;
  return failed == 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) &&
         WEXITSTATUS(status) == 0;
}

}  // namespace

Compiled compile_library(const std::string& source) {
  if (fmi_platform().empty()) return {"", "binaries are made for Linux on x86-64 only"};
  const char* chosen = std::getenv("CC");
  const std::string compiler = chosen != nullptr && *chosen != '\0' ? chosen : "cc";
  const TemporaryFolder folder;
  write_file_atomically(folder.file("model.c"), source);
  if (!run({compiler, "-std=c99", "-O3", "-shared", "-fPIC", "-fvisibility=hidden",
            folder.file("model.c"), "-o", folder.file("model.so"), "-lm"}))
    return {"", "the C compiler '" + compiler + "' did not make a binary"};
  return {read_file(folder.file("model.so")), ""};
}

std::string fmi_platform() {
#if defined(__linux__) && defined(__x86_64__)
  return "linux64";
#else
  return "";
#endif
}

}  // namespace mechfit
