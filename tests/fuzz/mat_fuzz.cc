// Any bytes as a MATLAB log: read, or refused with an InputError.
#include <cstdint>
#include <string>

#include "mechfit/base/error.h"
#include "mechfit/files/npz_log.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace mechfit;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  ReadOptions options;
  options.drop_bad_rows = size % 2 == 1;
  try {
    std::vector<std::string> notes;
    parse_mat_log(bytes, "log.mat", options, notes);
  } catch (const InputError&) {
  }
  return 0;
}
