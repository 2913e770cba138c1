#include <algorithm>

#include "mechfit/files/csv.h"

namespace mechfit {

bool split_fields(std::string_view line, char delimiter, std::vector<std::string>& fields) {
  const auto is_blank = [&](char c) { return (c == ' ' || c == '\t') && c != delimiter; };
  fields.clear();
  std::size_t i = 0;
  for (;;) {
    while (i < line.size() && (is_blank(line[i]) || (delimiter == ' ' && line[i] == ' '))) ++i;
    if (delimiter == ' ' && i == line.size() && !fields.empty()) return true;
    std::string& field = fields.emplace_back();
    if (i < line.size() && line[i] == '"') {
      for (++i;; ++i) {
        if (i >= line.size()) return false;
        if (line[i] != '"')
          field += line[i];
        else if (i + 1 < line.size() && line[i + 1] == '"')
          field += line[i++];
        else
          break;
      }
      ++i;
    }
    while (i < line.size() && line[i] != delimiter) field += line[i++];
    while (!field.empty() && is_blank(field.back())) field.pop_back();
    if (i >= line.size()) return true;
    ++i;
  }
}

char guess_delimiter(std::string_view header) {
  const auto first = std::min(header.find_first_not_of(' '), header.size());
  char best = header.find(' ', first) == std::string_view::npos ? ',' : ' ';
  long most = 0;
  for (const char candidate : {',', ';', '\t'}) {
    bool inside = false;
    long count = 0;
    for (const char c : header) {
      if (c == '"') inside = !inside;
      if (c == candidate && !inside) ++count;
    }
    if (count > most) {
      best = candidate;
      most = count;
    }
  }
  return best;
}

}  // namespace mechfit
