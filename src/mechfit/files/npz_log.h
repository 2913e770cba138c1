#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "mechfit/log/log.h"
#include "mechfit/log/read_options.h"

namespace mechfit {

// A log as numpy arrays, samples of all runs one after the other:
//
//   t [N]  q [N, n]  u [N, m]  qd, qdd, q_sd, qd_sd, qdd_sd [N, n]   what is missing is left out
//   run [N]            number of the run, from 0, never falling
//   run_names [runs]   joints, joint_types, units [n]   inputs [m]   text
//
// Reading needs t and q (one-dimensional for a single joint) or the arrays named by the options,
// whose columns are put side by side; all else is optional.
Log parse_npz_log(std::string_view bytes, const std::string& name, const ReadOptions& options,
                  std::vector<std::string>& notes);

// The same of a MATLAB file (mat.h).
Log parse_mat_log(std::string_view bytes, const std::string& name, const ReadOptions& options,
                  std::vector<std::string>& notes);

// Arrays with their shapes, one in a line.
std::string npz_contents(std::string_view bytes, const std::string& name);
std::string mat_contents(std::string_view bytes, const std::string& name);

std::string format_npz_log(const Log& log);

}  // namespace mechfit
