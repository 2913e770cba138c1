#pragma once

#include <string>

namespace mechfit {

// The page of whatever results a folder holds.
std::string report_page(const std::string& folder);

}  // namespace mechfit
