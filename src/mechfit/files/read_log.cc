#include "mechfit/files/read_log.h"

#include <algorithm>
#include <cmath>

#include "mechfit/base/error.h"
#include "mechfit/base/text.h"
#include "mechfit/files/bag_folder.h"
#include "mechfit/files/csv.h"
#include "mechfit/files/files.h"
#include "mechfit/files/mat.h"
#include "mechfit/files/mcap.h"
#include "mechfit/files/npz_log.h"
#include "mechfit/files/number.h"
#include "mechfit/files/outputs.h"
#include "mechfit/files/recorded_log.h"
#include "mechfit/files/rosbag.h"
#include "mechfit/files/unpack.h"
#include "mechfit/files/utf.h"
#include "mechfit/log/arrange.h"
#include "mechfit/log/continue_runs.h"
#include "mechfit/log/prepare.h"

namespace mechfit {
namespace {

// A kind of file that holds logs. Its reader returns the runs as they are written there;
// prepare_log makes them ready for use.
struct LogFormat {
  const char* extension;  // in lower case
  // Whether a file without a known extension is of this kind, by its first bytes.
  bool (*recognises)(std::string_view bytes);
  Log (*parse)(std::string_view bytes, const std::string& name, const ReadOptions& options,
               std::vector<std::string>& notes);
  std::string (*format)(const Log& log);  // null: is only read
  // What the file holds, one thing in a line, for whoever has to name what is wanted.
  std::string (*contents)(std::string_view bytes, const std::string& name);
  bool recording = false;  // of messages, which recorders split into several files
};

// All formats, those that are recognised by their content first; the last one takes what is left.
constexpr LogFormat kFormats[] = {
    {".npz", [](std::string_view bytes) { return bytes.starts_with("PK\x03\x04"); }, parse_npz_log,
     format_npz_log, npz_contents},
    {".mat", MatReader::recognises, parse_mat_log, nullptr, mat_contents},
    {".mcap", is_mcap, parse_mcap_log, nullptr, mcap_contents, true},
    {".db3", is_sqlite, parse_rosbag_log, nullptr, rosbag_contents, true},
    {".csv", [](std::string_view) { return true; }, parse_csv, format_csv, csv_contents},
};

const LogFormat* format_of_name(const std::string& path) {
  const std::string extension = lower_extension(path);
  for (const LogFormat& format : kFormats)
    if (extension == format.extension) return &format;
  return nullptr;
}

const LogFormat& format_of_file(const std::string& path, std::string_view bytes) {
  if (const LogFormat* format = format_of_name(path)) return *format;
  return *std::find_if(std::begin(kFormats), std::end(kFormats) - 1,
                       [&](const LogFormat& format) { return format.recognises(bytes); });
}

std::vector<std::string> recording_extensions() {
  std::vector<std::string> out;
  for (const LogFormat& format : kFormats)
    if (format.recording) out.push_back(format.extension);
  return out;
}

// A file's bytes, unpacked where the whole file is packed by zstd, as rosbag2 does.
std::string read_bytes(const std::string& name) {
  std::string bytes = read_file(name);
  if (!is_zstd(bytes)) return bytes;
  try {
    return unpack_zstd(bytes, bytes.max_size());
  } catch (const InputError& e) {
    throw InputError(name + ": " + e.what());
  }
}

void expect_same(const std::string& file, const char* what, const std::vector<std::string>& found,
                 const std::vector<std::string>& expected, const std::string& first) {
  if (found != expected)
    throw InputError(file + ": " + what + " " + listed(found) + ", expected " + listed(expected) +
                     " as in " + first);
}

// Steps below a picosecond are no clock's, and divisions by them overflow.
constexpr double kShortestStep = 1e-12;

void check_numbers(const Log& log, const std::string& file) {
  for (const auto& run : log.runs) {
    const auto fail = [&](std::size_t row, const std::string& what) {
      throw InputError(file + ": run '" + printable_name(run.name) + "', sample " +
                       std::to_string(row + 1) + ": " + what);
    };
    // Times that repeat or go back are the clock's (log/clock.h).
    for (std::size_t k = 1; k < run.t.size(); ++k)
      if (const double h = run.t[k] - run.t[k - 1]; h > 0 && h < kShortestStep)
        fail(k, "time is less than 1e-12 s after the sample before");
    for (const auto* values : {&run.t, &run.q, &run.u, &run.qd, &run.qdd})
      for (std::size_t k = 0; k < values->size(); ++k)
        if (std::fabs((*values)[k]) > kLargestNumber)
          fail(k / (values->size() / run.t.size()), "a number is too large, expected at most 1e50");
  }
}

void clean_names(Log& log) {
  for (auto* names : {&log.channels.joints, &log.channels.inputs, &log.channels.units})
    for (std::string& name : *names) name = printable_name(name);
  for (auto& run : log.runs) run.name = printable_name(run.name);
}

}  // namespace

std::string log_extensions() {
  std::string text;
  for (const LogFormat& format : kFormats)
    if (format.format) text = format.extension + (text.empty() ? "" : " or " + text);
  return text;
}

ReadResult read_log(const std::vector<std::string>& files, const ReadOptions& options) {
  ReadResult result;
  const auto names = expand_folders(expand_globs(files), recording_extensions());
  expect_distinct(names);
  bool all_recorded = true;
  for (const auto& name : names) {
    const std::string bytes = read_bytes(name);
    const LogFormat& format = format_of_file(name, bytes);
    all_recorded = all_recorded && format.recording;
    if (!options.topic.empty() && !format.recording)
      throw InputError(name + ": option 'topic' is for recordings of messages (MCAP, rosbag2)");
    std::vector<std::string> notes;
    Log log = format.parse(bytes, name, options, notes);
    for (auto& note : notes)  // many files tell the same
      if (std::find(result.notes.begin(), result.notes.end(), note) == result.notes.end())
        result.notes.push_back(std::move(note));
    for (auto& run : log.runs) {
      if (run.name.empty())
        run.name = file_stem(name);
      else if (names.size() > 1)
        run.name = file_stem(name) + "/" + run.name;
    }
    check_numbers(log, name);
    if (name == names.front() && result.log.runs.empty()) {
      result.log = std::move(log);
      continue;
    }
    const Channels& first = result.log.channels;
    arrange_as(first, log);
    expect_same(name, "joints", log.channels.joints, first.joints, names.front());
    expect_same(name, "units", log.channels.units, first.units, names.front());
    expect_same(name, "inputs", log.channels.inputs, first.inputs, names.front());
    expect_same(name, "clock in", {log.channels.time_unit}, {first.time_unit}, names.front());
    if (log.channels.joint_types != first.joint_types)
      throw InputError(name + ": joint types differ from those of " + names.front());
    std::move(log.runs.begin(), log.runs.end(), std::back_inserter(result.log.runs));
  }
  clean_names(result.log);
  if (all_recorded) {
    continue_runs(result.log, result.notes);
    if (options.u.empty() && options.columns.empty())
      leave_out_idle_inputs(result.log, result.notes);
  }
  prepare_log(result.log, options, result.notes);
  if (result.log.runs.empty())
    throw InputError(names.front() + ": no run of three samples or more");
  return result;
}

std::string log_contents(const std::vector<std::string>& files) {
  std::string out;
  for (const auto& name : expand_folders(expand_globs(files), recording_extensions())) {
    const std::string bytes = read_bytes(name);
    out += name + "\n" + format_of_file(name, bytes).contents(bytes, name);
  }
  return out;
}

void write_log(const std::string& path, const Log& log) {
  const LogFormat* format = format_of_name(path);
  if (!format || !format->format)
    throw InputError(path + ": cannot tell the format, expected a name ending in " +
                     log_extensions());
  write_file_atomically(path, format->format(log));
}

}  // namespace mechfit
