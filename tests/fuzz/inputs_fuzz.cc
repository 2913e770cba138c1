// Any text as the inputs of a rollout (mechfit rollout --u): read as read_inputs_for reads them and
// taken up to a horizon, or refused with an InputError.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "mechfit/base/error.h"
#include "mechfit/evaluate/rollouts.h"
#include "mechfit/files/csv.h"
#include "mechfit/log/prepare.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace mechfit;
  ReadOptions options;
  options.q = {"u1", "u2"};
  options.joint_types = {JointType::plain};
  options.gap = 0;
  try {
    std::vector<std::string> notes;
    Log log = parse_csv({reinterpret_cast<const char*>(data), size}, "inputs.csv", options, notes);
    prepare_log(log, options, notes);
    if (log.runs.empty()) return 0;
    RolloutStart start;
    take_inputs(log, {}, 1.5, start);
    if (start.t.size() < 2 || !start.input) std::abort();
  } catch (const InputError&) {
  }
  return 0;
}
