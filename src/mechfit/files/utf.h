#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace mechfit {

// What is not a character becomes U+FFFD, the replacement character.
void append_utf8(std::string& out, std::uint32_t point);
std::u32string decode_utf8(std::string_view text);

// The same text with every piece that is not UTF-8 replaced by U+FFFD, one for each longest start
// of a character (The Unicode Standard, section 3.9), as the JSON writer does.
std::string replace_invalid_utf8(std::string_view text);

// A name as it may be printed and stored: UTF-8 without control characters.
std::string printable_name(std::string_view name);

}  // namespace mechfit
