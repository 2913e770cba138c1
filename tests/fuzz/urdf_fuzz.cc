// Any text as a robot's description, in URDF or as a MuJoCo model: read, or refused with an
// InputError.
#include <cstdint>

#include "mechfit/base/error.h"
#include "mechfit/mechanics/families/arm/robot_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace mechfit;
  const std::string text(reinterpret_cast<const char*>(data), size);
  try {
    is_mjcf(text) ? parse_mjcf(text, "robot.xml") : parse_urdf(text, "robot.urdf");
  } catch (const InputError&) {
  }
  return 0;
}
