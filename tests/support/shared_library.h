#pragma once

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>

namespace mechfit::testing {

// A folder of its own, gone with the object.
class OwnFolder {
 public:
  OwnFolder() {
    static int made = 0;
    path_ = std::filesystem::temp_directory_path() /
            ("mechfit_export_" + std::to_string(getpid()) + "_" + std::to_string(++made));
    std::filesystem::create_directories(path_);
  }
  ~OwnFolder() { std::filesystem::remove_all(path_); }
  OwnFolder(const OwnFolder&) = delete;
  OwnFolder& operator=(const OwnFolder&) = delete;

  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }
  std::string text() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

// A shared library, open as long as the object lives.
class SharedLibrary {
 public:
  SharedLibrary() = default;
  ~SharedLibrary() {
    if (handle_ != nullptr) dlclose(handle_);
  }
  SharedLibrary(const SharedLibrary&) = delete;
  SharedLibrary& operator=(const SharedLibrary&) = delete;

  // `arguments` of the C compiler, which makes `file` with all its warnings as errors.
  void compile(const std::string& arguments, const std::string& file) {
    const std::string command = "cc -std=c99 -Wall -Wextra -Wpedantic -Werror -shared -fPIC " +
                                arguments + " -lm -o " + file;
    EXPECT_EQ(std::system(command.c_str()), 0) << command;
    open(file);
  }
  void open(const std::string& file) {
    handle_ = dlopen(file.c_str(), RTLD_LAZY | RTLD_LOCAL);
    if (handle_ == nullptr) ADD_FAILURE() << dlerror();
  }
  bool loaded() const { return handle_ != nullptr; }

  template <class Function>
  Function* get(const std::string& name) const {
    void* found = dlsym(handle_, name.c_str());
    if (found == nullptr) ADD_FAILURE() << name << " is missing";
    return reinterpret_cast<Function*>(found);
  }

 private:
  void* handle_ = nullptr;
};

}  // namespace mechfit::testing
