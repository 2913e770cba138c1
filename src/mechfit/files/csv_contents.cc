#include <algorithm>

#include "mechfit/files/csv.h"
#include "mechfit/files/number.h"
#include "mechfit/files/utf.h"

namespace mechfit {
namespace {

// The next line that is not blank, without its ending.
bool next_line(std::string_view& text, std::string_view& line) {
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    const auto first = line.find_first_not_of(" \t");
    if (first == std::string_view::npos) continue;
    line.remove_prefix(first);
    return true;
  }
  return false;
}

bool is_comment(std::string_view line) { return line[0] == '#' || line[0] == '%'; }

bool starts_with_number(const std::vector<std::string>& fields) {
  double value;
  return !fields.empty() && parse_number(fields[0], value) == NumberStatus::ok;
}

}  // namespace

std::string csv_contents(std::string_view text, const std::string&) {
  constexpr std::size_t kMostLines = 1000;  // of comments
  std::vector<std::string> names, values;
  std::string_view line, comment;
  char delimiter = ',';
  for (std::size_t i = 0; i < kMostLines && values.empty() && next_line(text, line); ++i) {
    if (is_comment(line)) {
      if (names.empty()) comment = line.substr(1);
      continue;
    }
    if (names.empty()) delimiter = guess_delimiter(line);
    split_fields(line, delimiter, names.empty() ? names : values);
    if (values.empty() && starts_with_number(names)) values.swap(names);
  }
  // A header behind a comment sign
  if (names.empty() && !comment.empty()) split_fields(comment, delimiter, names);
  if (names.size() != values.size() && !values.empty()) names.clear();
  std::string out;
  for (std::size_t i = 0; i < std::max(names.size(), values.size()); ++i) {
    out += "  " + (names.empty() ? "column " + std::to_string(i + 1) : printable_name(names[i]));
    if (i < values.size()) out += ": first " + printable_name(values[i]);
    out += "\n";
  }
  return out;
}

}  // namespace mechfit
