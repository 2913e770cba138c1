// Any text as a CSV log: it is read, prepared and inspected, or refused with an InputError. What
// was read is written and read again, and must be the same.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "mechfit/base/error.h"
#include "mechfit/files/csv.h"
#include "mechfit/log/inspect.h"
#include "mechfit/log/prepare.h"

namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace mechfit;
  if (size == 0) return 0;
  const std::string text(reinterpret_cast<const char*>(data) + 1, size - 1);
  ReadOptions options;
  options.drop_bad_rows = data[0] & 1;
  options.degrees = data[0] & 2;
  if (data[0] & 4) options.joint_types = {JointType::plain};
  if (data[0] & 16) options.gap = 2.0;
  options.reclock = data[0] & 32;
  try {
    std::vector<std::string> notes;
    Log log = parse_csv(text, "log.csv", options, notes);
    const Log again = parse_csv(format_csv(log), "again.csv", {}, notes);
    require(again.runs.size() == log.runs.size());
    for (std::size_t r = 0; r < log.runs.size(); ++r)
      require(again.runs[r].t == log.runs[r].t && again.runs[r].q == log.runs[r].q &&
              again.runs[r].u == log.runs[r].u && again.runs[r].qd == log.runs[r].qd);
    prepare_log(log, options, notes);
    for (const auto& run : log.runs)
      for (std::size_t k = 1; k < run.t.size(); ++k) require(run.t[k] > run.t[k - 1]);
    for (const auto& run : log.runs)
      require(run.size() >= 3 && run.q.size() == run.t.size() * static_cast<std::size_t>(log.n()) &&
              run.u.size() == run.t.size() * static_cast<std::size_t>(log.m()));
    if (!log.runs.empty()) inspect_log(log);
  } catch (const InputError&) {
  }
  return 0;
}
