#include "mechfit/files/utf.h"

namespace mechfit {
namespace {

constexpr char32_t kReplacement = 0xFFFD;

bool is_character(std::uint32_t point) {
  return point <= 0x10FFFF && (point < 0xD800 || point > 0xDFFF);
}

}  // namespace

void append_utf8(std::string& out, std::uint32_t point) {
  if (!is_character(point)) point = kReplacement;
  const auto tail = [&](int shift) { out += static_cast<char>(0x80 | (point >> shift & 0x3F)); };
  if (point < 0x80) {
    out += static_cast<char>(point);
  } else if (point < 0x800) {
    out += static_cast<char>(0xC0 | point >> 6);
    tail(0);
  } else if (point < 0x10000) {
    out += static_cast<char>(0xE0 | point >> 12);
    tail(6);
    tail(0);
  } else {
    out += static_cast<char>(0xF0 | point >> 18);
    tail(12);
    tail(6);
    tail(0);
  }
}

std::u32string decode_utf8(std::string_view text) {
  constexpr std::uint32_t kSmallest[] = {0, 0x80, 0x800, 0x10000};
  std::u32string out;
  for (std::size_t i = 0; i < text.size();) {
    const auto first = static_cast<unsigned char>(text[i++]);
    const int more = first < 0x80    ? 0
                     : first >= 0xF0 ? 3
                     : first >= 0xE0 ? 2
                     : first >= 0xC0 ? 1
                                     : -1;
    if (more < 0) {
      out += kReplacement;
      continue;
    }
    std::uint32_t point = more == 0 ? first : first & (0x3Fu >> more);
    int taken = 0;
    while (taken < more && i < text.size() &&
           (static_cast<unsigned char>(text[i]) & 0xC0) == 0x80) {
      point = point << 6 | (static_cast<unsigned char>(text[i++]) & 0x3Fu);
      ++taken;
    }
    const bool good = taken == more && is_character(point) && point >= kSmallest[more];
    out += good ? static_cast<char32_t>(point) : kReplacement;
  }
  return out;
}

}  // namespace mechfit
