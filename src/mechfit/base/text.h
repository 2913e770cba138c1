#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace mechfit {

// "1 run", "3 runs"
inline std::string counted(long count, const std::string& thing) {
  return std::to_string(count) + " " + thing + (count == 1 ? "" : "s");
}

// More names than this do not fit into a message.
inline constexpr std::size_t kMostNames = 12;

// "a, b, c", or "a, b and 7 more" where there are more than `most`; "none" for none.
inline std::string listed(const std::vector<std::string>& names,
                          std::size_t most = static_cast<std::size_t>(-1)) {
  std::string out;
  for (std::size_t i = 0; i < names.size() && i < most; ++i) out += (i > 0 ? ", " : "") + names[i];
  if (names.size() > most) out += " and " + std::to_string(names.size() - most) + " more";
  return out.empty() ? "none" : out;
}

}  // namespace mechfit
