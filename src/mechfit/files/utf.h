#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace mechfit {

// What is not a character becomes U+FFFD, the replacement character.
void append_utf8(std::string& out, std::uint32_t point);
std::u32string decode_utf8(std::string_view text);

}  // namespace mechfit
