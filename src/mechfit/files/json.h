#pragma once

#include <nlohmann/json.hpp>
#include <string_view>

namespace mechfit {

// Deeper text is refused: JSON values are copied and destroyed level by level, on the stack. Our
// files have at most ten levels.
inline constexpr int kDeepestJson = 100;

inline bool too_deep(std::string_view text) {
  int depth = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"') quoted = !quoted;
    if (quoted && text[i] == '\\') ++i;
    if (!quoted && (text[i] == '[' || text[i] == '{') && ++depth > kDeepestJson) return true;
    if (!quoted && (text[i] == ']' || text[i] == '}')) --depth;
  }
  return false;
}

// Text from anywhere as JSON; a discarded value where it is none.
template <class Json = nlohmann::json>
Json parse_json(std::string_view text) {
  if (too_deep(text)) return Json(nlohmann::json::value_t::discarded);
  return Json::parse(text, nullptr, /*allow_exceptions=*/false);
}

}  // namespace mechfit
