#pragma once

#include <string>

#include "mechfit/mechanics/model_file.h"

// A model as one C99 file, to be included by controllers and simulators: docs/export.md.
namespace mechfit {

struct CExportOptions {
  std::string name = "model";                // prefix of all names
  Precision precision = Precision::float64;  // float32: float instead of double
};

// InputError where the name is none of C, or the family cannot be written down.
std::string export_c(const ModelRecord& record, const CExportOptions& options);

// A name for C made of a file's: what stands before the first dot, other characters as _.
std::string c_name(const std::string& path);

}  // namespace mechfit
