// Any text as the document of a report (report.json): drawn, or refused with an InputError.
#include <cstdint>
#include <nlohmann/json.hpp>

#include "mechfit/base/error.h"
#include "mechfit/files/json.h"
#include "mechfit/report/page.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace mechfit;
  try {
    const auto document = parse_json({reinterpret_cast<const char*>(data), size});
    if (!document.is_discarded()) render_page(document);
  } catch (const InputError&) {
  }
  return 0;
}
