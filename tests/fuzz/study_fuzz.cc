// Any text as each of the JSON files of a study's folder: read, or refused with an InputError. The
// first byte chooses which.
#include <cstdint>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>

#include "mechfit/base/error.h"
#include "mechfit/study/data_files.h"
#include "mechfit/study/result_file.h"
#include "mechfit/study/study.h"
#include "mechfit/study/trajectories.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace mechfit;
  if (size == 0) return 0;
  const std::string text(reinterpret_cast<const char*>(data) + 1, size - 1);
  try {
    switch (data[0]) {
      case 'c': {
        const CellRecord record = parse_record(text, "cell.json");
        if (cell_name(record.cell).empty() || cell_text(record.cell).empty()) std::abort();
        break;
      }
      case 's':
        parse_description(text, "study.json");
        break;
      case 't':
        if (!parse_trajectories(text, "trajectories.json").is_array()) std::abort();
        break;
      default:
        parse_splits(text, "splits.json", 1, 16);
    }
  } catch (const InputError&) {
  }
  return 0;
}
