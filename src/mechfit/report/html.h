#pragma once

#include <string>
#include <string_view>

#include "mechfit/report/blocks.h"

namespace mechfit {

std::string escape_html(std::string_view text);

// JSON that can stand inside a <script> element: no "<" survives.
std::string script_json(const nlohmann::json& value);

// Three significant digits for a reader: 58.0, 0.271, 1234, 3.10e-05; an en dash for NaN.
std::string short_number(double x);

// A whole page, with style, script and plotting library inside.
std::string render_html(const Page& page);

}  // namespace mechfit
