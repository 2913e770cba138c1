#pragma once

#include <optional>
#include <string>

#include "mechfit/study/methods.h"

// Results in files, one small JSON file per cell. A result says which cell, settings and data it
// belongs to, and nothing that differs between two runs of the same (no times, no machine).
namespace mechfit {

// What is known of a cell: a result, or why it failed.
struct CellRecord {
  Cell cell;
  std::optional<CellResult> result;
  std::string failure;
};

std::string format_result(const CellTask& task, const CellResult& result);
std::string format_failure(const Cell& cell, const std::string& reason);

// `path` is for messages (InputError).
CellRecord parse_record(const std::string& bytes, const std::string& path);

// Throws InputError when the result in `bytes` is of another cell, other settings or other data.
void check_result(const std::string& bytes, const std::string& path, const CellTask& task);

}  // namespace mechfit
