#pragma once

#include <optional>
#include <string>

#include "mechfit/base/names.h"
#include "mechfit/export/c_export.h"

// A model for other programs: docs/export.md.
namespace mechfit {

enum class ExportTarget { c, fmu, casadi, mex };

template <>
inline constexpr auto kNames<ExportTarget> = names<ExportTarget>({{ExportTarget::c, "c"},
                                                                  {ExportTarget::fmu, "fmu"},
                                                                  {ExportTarget::casadi, "casadi"},
                                                                  {ExportTarget::mex, "mex"}});

struct ExportedModel {
  std::string bytes;  // of the file
  std::string note;   // what the file lacks, and why; empty: nothing
};

// What a file of this name is for: .h is C, .fmu an FMU; a .c file can be for several programs.
// InputError where the name does not tell, or is not the target's.
ExportTarget export_target(const std::string& path, std::optional<ExportTarget> wanted);

// All but the plain C file compute in double.
ExportedModel export_model(const ModelRecord& record, ExportTarget target,
                           const CExportOptions& options);

}  // namespace mechfit
