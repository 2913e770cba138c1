#include "mechfit/files/number.h"

#include <charconv>
#include <cmath>
#include <cstdint>

#include "mechfit/base/error.h"

namespace mechfit {
namespace {

// Whether a number that from_chars found out of range is large, not tiny: the decimal exponent of
// its first non-zero digit.
bool is_large(std::string_view text) {
  long exponent = 0;
  const auto e = text.find_first_of("eE");
  if (e != std::string_view::npos) {
    std::string_view digits = text.substr(e + 1);
    if (digits.starts_with('+')) digits.remove_prefix(1);
    const auto result = std::from_chars(digits.data(), digits.data() + digits.size(), exponent);
    if (result.ec == std::errc::result_out_of_range) return !digits.starts_with('-');
  }
  const std::string_view mantissa = text.substr(0, e);
  const auto point = mantissa.find('.');
  const auto first = mantissa.find_first_of("123456789");
  const long ahead = static_cast<long>(point == std::string_view::npos ? mantissa.size() : point);
  return ahead - static_cast<long>(first) + exponent > 0;
}

constexpr double kPowersOfTen[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                   1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                   1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

}  // namespace

// A decimal whose digits fit in 53 bits, over a power of ten that is a double too, is one correctly
// rounded division; most of what a logger prints is of that kind.
const char* parse_number_prefix(const char* p, const char* end, double& value) {
  const char* const start = p;
  const bool negative = p < end && *p == '-';
  if (negative) ++p;
  std::uint64_t digits = 0;
  const char* const first = p;
  const auto is_digit = [&] { return p < end && static_cast<unsigned char>(*p - '0') < 10; };
  for (; is_digit(); ++p) digits = 10 * digits + static_cast<std::uint64_t>(*p - '0');
  long count = p - first, decimals = 0;
  if (p < end && *p == '.') {
    const char* const behind = ++p;
    for (; is_digit(); ++p) digits = 10 * digits + static_cast<std::uint64_t>(*p - '0');
    decimals = p - behind;
    count += decimals;
  }
  const bool exponent = p < end && (*p == 'e' || *p == 'E');
  if (count > 0 && count < 19 && digits < (std::uint64_t{1} << 53) && !exponent) {
    const double magnitude = static_cast<double>(digits) / kPowersOfTen[decimals];
    value = negative ? -magnitude : magnitude;
    return p;
  }
  const auto result = std::from_chars(start, end, value);
  return result.ec == std::errc() ? result.ptr : nullptr;
}

NumberStatus parse_number(std::string_view text, double& value) {
  const auto is_blank = [](char c) { return c == ' ' || c == '\t'; };
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  if (text.empty()) return NumberStatus::empty;
  if (text.front() == '+') {
    text.remove_prefix(1);
    if (text.starts_with('-')) return NumberStatus::not_a_number;
  }
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
  if (result.ptr != text.data() + text.size() || result.ec == std::errc::invalid_argument)
    return NumberStatus::not_a_number;
  if (result.ec == std::errc::result_out_of_range) {
    if (is_large(text)) return NumberStatus::too_large;
    value = text.starts_with('-') ? -0.0 : 0.0;
  }
  return std::isfinite(value) ? NumberStatus::ok : NumberStatus::not_finite;
}

std::string in_quotes(std::string_view text) {
  constexpr std::size_t kMost = 40;
  std::string out = "\"";
  for (const char c : text.substr(0, kMost)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7F) {
      constexpr char kHex[] = "0123456789abcdef";
      out += {'\\', 'x', kHex[byte >> 4], kHex[byte & 15]};
    } else {
      out += c;
    }
  }
  if (text.size() > kMost) out += "...";
  return out + "\"";
}

void append_number(std::string& out, double value) {
  MECHFIT_CHECK(std::isfinite(value));
  char buffer[32];
  const auto result = std::to_chars(buffer, buffer + sizeof buffer, value);
  out.append(buffer, result.ptr);
}

}  // namespace mechfit
