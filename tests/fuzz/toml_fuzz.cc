// Any text as a config file or a table of a robot: read, or refused with an InputError.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "mechfit/base/error.h"
#include "mechfit/files/toml.h"
#include "mechfit/mechanics/families/arm/robot_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace mechfit;
  const std::string text(reinterpret_cast<const char*>(data), size);
  try {
    for (const TomlTable& table : parse_toml(text, "config.toml"))
      for (const TomlSetting& setting : table.settings)
        if (setting.name.empty() || setting.line < 1) std::abort();
    parse_dh_table(text, "robot.toml");
  } catch (const InputError&) {
  }
  return 0;
}
