// Any bytes as one .npy array, past the checksum that guards it in an archive.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "mechfit/base/error.h"
#include "mechfit/files/npy.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace mechfit;
  try {
    const NpzArray array = parse_npy({reinterpret_cast<const char*>(data), size}, "array");
    std::uint64_t count = 1;
    for (const auto d : array.shape) count *= static_cast<std::uint64_t>(d);
    if (count != (array.is_text ? array.text.size() : array.numbers.size())) std::abort();
  } catch (const InputError&) {
  }
  return 0;
}
