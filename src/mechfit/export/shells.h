#pragma once

#include <string>

#include "mechfit/export/c_export.h"

// What stands behind a model's C file so that other programs can call it. In texts `$` is the
// model's name.
namespace mechfit {

extern const char* const kCasadiShell;
extern const char* const kMexShell;
extern const char* const kFmuTypes;
extern const char* const kFmuModel;
extern const char* const kFmuContacts;
extern const char* const kFmuDynamics;
extern const char* const kFmuInterface;

// modelDescription.xml of FMI 2.0.
std::string fmu_description(const ModelRecord& record, const std::string& name,
                            const std::string& guid);

// The archive; `note` says why it has no binary, where it has none.
std::string fmu_archive(const ModelRecord& record, const CExportOptions& options,
                        std::string& note);

}  // namespace mechfit
