#include "mechfit/export/export.h"

#include "mechfit/base/error.h"
#include "mechfit/export/c_parts.h"
#include "mechfit/export/shells.h"
#include "mechfit/files/files.h"

namespace mechfit {
namespace {

const char* extension_of(ExportTarget target) {
  switch (target) {
    case ExportTarget::c:
      return ".h";
    case ExportTarget::fmu:
      return ".fmu";
    default:
      return ".c";
  }
}

}  // namespace

ExportTarget export_target(const std::string& path, std::optional<ExportTarget> wanted) {
  const std::string extension = lower_extension(path);
  if (wanted) {
    if (extension != extension_of(*wanted))
      throw InputError("option 'output': '" + path + "', expected a name that ends in " +
                       extension_of(*wanted) + " for " + name_of(*wanted));
    return *wanted;
  }
  if (extension == extension_of(ExportTarget::c)) return ExportTarget::c;
  if (extension == extension_of(ExportTarget::fmu)) return ExportTarget::fmu;
  if (extension == ".c")
    throw InputError("option 'output': '" + path +
                     "': a .c file is for casadi or for mex, say which by option 'for'");
  throw InputError("option 'output': '" + path + "', expected a name that ends in .h, .fmu, or .c");
}

ExportedModel export_model(const ModelRecord& record, ExportTarget target,
                           const CExportOptions& options) {
  if (target == ExportTarget::c) return {export_c(record, options), ""};
  if (options.precision != Precision::float64)
    throw InputError("option 'precision': " + name_of(target) +
                     " computes in double, float32 is for a C header");
  ExportedModel out;
  if (target == ExportTarget::fmu) {
    out.bytes = fmu_archive(record, options, out.note);
  } else {
    const char* shell = target == ExportTarget::casadi ? kCasadiShell : kMexShell;
    out.bytes = export_c(record, options) + filled_in(shell, options.name, {});
  }
  return out;
}

}  // namespace mechfit
