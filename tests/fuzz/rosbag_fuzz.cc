// Any bytes as a bag of rosbag2: read, or refused with an InputError. Behind a first byte of
// options.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "mechfit/base/error.h"
#include "mechfit/files/recorded_log.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace mechfit;
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  ReadOptions options;
  options.drop_bad_rows = data[0] & 1;
  if (data[0] & 2) options.q = {"shoulder"};
  if (data[0] & 4) options.topic = "/joint_states";
  if (data[0] & 8) options.time = "received";
  try {
    std::vector<std::string> notes;
    Log log = parse_rosbag_log(bytes, "log.db3", options, notes);
    leave_out_idle_inputs(log, notes);
    const Trajectory& run = log.runs.at(0);
    const auto rows = static_cast<std::size_t>(run.size());
    if (rows == 0 || run.q.size() != rows * static_cast<std::size_t>(log.n()) ||
        run.u.size() != rows * static_cast<std::size_t>(log.m()))
      std::abort();
  } catch (const InputError&) {
  }
  return 0;
}
