// Any text as a robot's description in URDF: read, or refused with an InputError.
#include <cstdint>

#include "mechfit/base/error.h"
#include "mechfit/mechanics/families/arm/robot_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace mechfit;
  try {
    parse_urdf(std::string(reinterpret_cast<const char*>(data), size), "robot.urdf");
  } catch (const InputError&) {
  }
  return 0;
}
