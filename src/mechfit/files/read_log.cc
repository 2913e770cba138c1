#include "mechfit/files/read_log.h"

#include <algorithm>

#include "mechfit/base/error.h"
#include "mechfit/files/csv.h"
#include "mechfit/files/files.h"
#include "mechfit/files/npz_log.h"
#include "mechfit/log/prepare.h"

namespace mechfit {
namespace {

std::string list(const std::vector<std::string>& names) {
  std::string out;
  for (const auto& name : names) out += (out.empty() ? "" : ", ") + name;
  return out.empty() ? "none" : out;
}

void expect_same(const std::string& file, const char* what, const std::vector<std::string>& found,
                 const std::vector<std::string>& expected, const std::string& first) {
  if (found != expected)
    throw InputError(file + ": " + what + " " + list(found) + ", expected " + list(expected) +
                     " as in " + first);
}

}  // namespace

ReadResult read_log(const std::vector<std::string>& files, const ReadOptions& options) {
  ReadResult result;
  const auto names = expand_globs(files);
  for (const auto& name : names) {
    const bool npz = lower_extension(name) == ".npz";
    const std::string bytes = read_file(name);
    std::vector<std::string> notes;
    Log log =
        npz ? parse_npz_log(bytes, name, options, notes) : parse_csv(bytes, name, options, notes);
    for (auto& note : notes)  // many files tell the same
      if (std::find(result.notes.begin(), result.notes.end(), note) == result.notes.end())
        result.notes.push_back(std::move(note));
    for (auto& run : log.runs) {
      if (run.name.empty())
        run.name = file_stem(name);
      else if (names.size() > 1)
        run.name = file_stem(name) + "/" + run.name;
    }
    if (name == names.front() && result.log.runs.empty()) {
      result.log = std::move(log);
      continue;
    }
    const Channels& first = result.log.channels;
    expect_same(name, "joints", log.channels.joints, first.joints, names.front());
    expect_same(name, "units", log.channels.units, first.units, names.front());
    expect_same(name, "inputs", log.channels.inputs, first.inputs, names.front());
    if (log.channels.joint_types != first.joint_types)
      throw InputError(name + ": joint types differ from those of " + names.front());
    std::move(log.runs.begin(), log.runs.end(), std::back_inserter(result.log.runs));
  }
  prepare_log(result.log, options, result.notes);
  if (result.log.runs.empty())
    throw InputError(names.front() + ": no run of three samples or more");
  return result;
}

void write_log(const std::string& path, const Log& log) {
  const std::string extension = lower_extension(path);
  if (extension == ".npz")
    write_file_atomically(path, format_npz_log(log));
  else if (extension == ".csv")
    write_file_atomically(path, format_csv(log));
  else
    throw InputError(path + ": cannot tell the format, expected a name ending in .csv or .npz");
}

}  // namespace mechfit
