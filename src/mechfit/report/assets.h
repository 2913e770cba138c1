#pragma once

#include <string_view>

// Text of the page that is read at build time (assets.cmake).
namespace mechfit::assets {

extern const std::string_view kStyle;    // assets/report.css
extern const std::string_view kScript;   // assets/*.js, in order
extern const std::string_view kLibrary;  // D3, as the system's package has it, and its licence

}  // namespace mechfit::assets
