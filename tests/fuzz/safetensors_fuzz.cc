// Any bytes as a safetensors file: read, or refused with an InputError. What was read is written
// and read again, and must give the same bytes.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "mechfit/base/error.h"
#include "mechfit/files/safetensors.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace mechfit;
  try {
    const auto file = parse_safetensors({reinterpret_cast<const char*>(data), size}, "model");
    const std::string bytes = format_safetensors(file);
    if (format_safetensors(parse_safetensors(bytes, "again")) != bytes) std::abort();
  } catch (const InputError&) {
  }
  return 0;
}
