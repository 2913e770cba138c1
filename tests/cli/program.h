#pragma once

#include <sys/wait.h>

#include <cstdlib>
#include <string>

#include "mechfit/files/files.h"
#include "tests/support/scratch_folder.h"

namespace mechfit {

struct Finished {
  int code;
  std::string out, err;
};

// Runs `mechfit ARGUMENTS` (a line for the shell) with standard error away from a terminal.
inline Finished run_mechfit(const std::string& arguments) {
  const ScratchFolder scratch("cli-output");
  const std::string command = std::string(MECHFIT_PROGRAM) + " " + arguments + " >'" +
                              scratch.file("out") + "' 2>'" + scratch.file("err") + "' </dev/null";
  const int status = std::system(command.c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read_file(scratch.file("out")),
          read_file(scratch.file("err"))};
}

}  // namespace mechfit
