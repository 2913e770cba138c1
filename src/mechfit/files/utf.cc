#include "mechfit/files/utf.h"

namespace mechfit {
namespace {

constexpr char32_t kReplacement = 0xFFFD;

bool is_character(std::uint32_t point) {
  return point <= 0x10FFFF && (point < 0xD800 || point > 0xDFFF);
}

// Bytes that follow `first` in a character, -1 where no character begins with it.
int more_bytes(unsigned char first) {
  if (first < 0x80) return 0;
  if (first < 0xC2 || first > 0xF4) return -1;
  return first >= 0xF0 ? 3 : first >= 0xE0 ? 2 : 1;
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
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  std::u32string out;
  for (std::size_t i = 0; i < text.size();) {
    const unsigned char first = byte(i++);
    int more = more_bytes(first);
    if (more < 0) {
      out += kReplacement;
      continue;
    }
    std::uint32_t point = more == 0 ? first : first & (0x3Fu >> more);
    // The second byte rules out longer forms than needed, surrogates and what is above U+10FFFF.
    unsigned char low = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80;
    unsigned char high = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF;
    for (; more > 0 && i < text.size() && low <= byte(i) && byte(i) <= high; --more, ++i) {
      point = point << 6 | (byte(i) & 0x3Fu);
      low = 0x80;
      high = 0xBF;
    }
    out += more == 0 ? static_cast<char32_t>(point) : kReplacement;
  }
  return out;
}

std::string replace_invalid_utf8(std::string_view text) {
  std::string out;
  for (const char32_t point : decode_utf8(text)) append_utf8(out, point);
  return out;
}

std::string printable_name(std::string_view name) {
  std::string out = replace_invalid_utf8(name);
  for (char& c : out)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) c = ' ';
  return out;
}

}  // namespace mechfit
