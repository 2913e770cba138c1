#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace mechfit {

// One self-contained HTML page from a report document of kind "fit" or "study" (docs/report.md).
// Throws InputError when the document does not fit.
std::string render_page(const nlohmann::json& document);

}  // namespace mechfit
