// Any checkpoint whose container and checksum are right (archive_text.h): read, or refused with an
// InputError. What was read is written and read again, and must give the same bytes.
#include <cstdint>
#include <cstdlib>

#include "mechfit/base/error.h"
#include "mechfit/fit/checkpoint.h"
#include "mechfit/fit/state.h"
#include "tests/fuzz/archive_text.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace mechfit;
  try {
    const std::string bytes = archive_bytes({reinterpret_cast<const char*>(data), size});
    const std::string own = format_checkpoint(parse_checkpoint(bytes, "owner", "c"), "owner");
    if (format_checkpoint(parse_checkpoint(own, "owner", "again"), "owner") != own) std::abort();
  } catch (const InputError&) {
  }
  return 0;
}
