// Any model file whose container and checksum are right (archive_text.h): read, or refused with an
// InputError. What was read is written and read again, and must give the same bytes.
#include <cstdint>
#include <cstdlib>

#include "mechfit/base/error.h"
#include "mechfit/mechanics/model_file.h"
#include "tests/fuzz/archive_text.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace mechfit;
  try {
    const std::string bytes = archive_bytes({reinterpret_cast<const char*>(data), size});
    const std::string own = format_model(parse_model(bytes, "model"));
    if (format_model(parse_model(own, "again")) != own) std::abort();
  } catch (const InputError&) {
  }
  return 0;
}
