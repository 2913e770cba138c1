#include <fmt/format.h>

#include "mechfit/export/c_parts.h"
#include "mechfit/export/shells.h"
#include "mechfit/files/c_compiler.h"
#include "mechfit/files/deflate.h"
#include "mechfit/files/zip_writer.h"

namespace mechfit {
namespace {

// Longest inner step of co-simulation where the model does not say on which steps it was fitted
// [s]: RK4 errs by (omega h)^5 / 120 in such a step, 1e-10 for a machine of 5 Hz.
constexpr double kStep = 1e-3;

// The same model has the same one: four checksums of its text.
std::string guid_of(const std::string& text) {
  std::string out = "{";
  for (int part = 0; part < 4; ++part)
    out += fmt::format("{:08x}", crc_32(std::to_string(part) + text));
  for (int at : {9, 14, 19, 24}) out.insert(static_cast<std::size_t>(at), "-");
  return out + "}";
}

}  // namespace

std::string fmu_archive(const ModelRecord& record, const CExportOptions& options,
                        std::string& note) {
  const std::string model = export_c(record, options);
  const std::string guid = guid_of(model);
  const double grid = record.knowledge ? record.knowledge->grid : 0;
  const std::string numbers = fmt::format("\n#define $_GUID \"{}\"\n#define $_STEP {}\n", guid,
                                          CStyle{}.number(grid > 0 ? grid : kStep));
  const std::string source = model + filled_in(numbers + kFmuTypes + kFmuModel + kFmuContacts +
                                                   kFmuDynamics + kFmuInterface,
                                               options.name, {});

  ZipWriter zip(/*deflate=*/true);
  zip.add("modelDescription.xml", fmu_description(record, options.name, guid));
  zip.add("sources/" + options.name + ".c", source);
  const Compiled compiled = compile_library(source);
  if (!compiled.library.empty())
    zip.add("binaries/" + fmi_platform() + "/" + options.name + ".so", compiled.library);
  else
    note = "sources only: " + compiled.problem;
  return zip.finish();
}

}  // namespace mechfit
