#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace mechfit {

// The document (docs/report.md) of a study from the folder of its results.
nlohmann::json study_document(const std::string& folder);

}  // namespace mechfit
