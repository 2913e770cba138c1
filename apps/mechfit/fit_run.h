#pragma once

#include <optional>
#include <string>
#include <vector>

#include "log_options.h"
#include "mechfit/fit/fit.h"

namespace mechfit {

struct FitCommand {
  LogOptions log;
  FitOptions fit;
  std::string output = "model.safetensors", run = "run";
  std::vector<std::string> validation, fix;
  std::string robot;                      // file that describes the machine
  std::vector<std::string> robot_joints;  // of that file, one for each of the log's
  std::optional<double> barrier_weight;
  int threads = default_threads();
  bool says_threads = false;  // else several processes have one each
  bool resume = false, overwrite = false, json = false;
  std::string config_file;  // replaced by its content before parsing (config.h)
  std::string config;       // the flags given, as a config file
};

// Reads, fits, scores and writes; the exit code.
int run_fit(const FitCommand& command);

}  // namespace mechfit
