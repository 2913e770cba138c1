#include "mechfit/base/text_table.h"

#include <algorithm>
#include <cstdio>

namespace mechfit {
namespace {

// Characters, not bytes, of UTF-8 text.
std::size_t width(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
}

}  // namespace

std::string TextTable::text() const {
  std::vector<std::size_t> widths;
  for (const auto& row : rows_) {
    widths.resize(std::max(widths.size(), row.size()), 0);
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width(row[i]));
  }
  std::string out;
  for (const auto& row : rows_) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string pad(widths[i] - width(row[i]), ' ');
      if (i > 0) out += "  " + pad + row[i];
      if (i == 0) out += row.size() > 1 ? row[i] + pad : row[i];
    }
    out += '\n';
  }
  return out;
}

std::string four_digits(double x) {
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "%.4g", x);
  return buffer;
}

}  // namespace mechfit
