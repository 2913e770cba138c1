#include "examples/control/spread.h"

#include "mechfit/base/random.h"

namespace control {
namespace {

// Streams of a seed's random numbers; machine.cc has those of encoders and of starts.
constexpr std::uint64_t kMachineStream = 3, kDrawingStream = 4;

}  // namespace

mechfit::AnalyticSystem machine_of(const mechfit::AnalyticSystem& nominal, std::uint64_t seed) {
  mechfit::AnalyticSystem machine = nominal;
  mechfit::Random random(seed, kMachineStream);
  for (const auto& constant : nominal.constants())
    if (constant.name != "g")
      machine.set_constant(constant.name,
                           nominal.constant(constant.name) * random.uniform(0.8, 1.2));
  return machine;
}

mechfit::AnalyticSystem drawing_of(const mechfit::AnalyticSystem& machine, std::uint64_t seed) {
  mechfit::AnalyticSystem drawing = machine;
  mechfit::Random random(seed, kDrawingStream);
  for (const auto& constant : machine.constants()) {
    if (constant.name == "g" || constant.name.starts_with("eta")) continue;
    const double off = random.uniform(0.1, 0.3), sign = random.uniform() < 0.5 ? -1 : 1;
    drawing.set_constant(constant.name, machine.constant(constant.name) * (1 + sign * off));
  }
  return drawing;
}

}  // namespace control
