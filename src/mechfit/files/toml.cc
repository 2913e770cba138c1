#include "mechfit/files/toml.h"

#include <algorithm>

#include "mechfit/base/error.h"

namespace mechfit {
namespace {

std::string trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return "";
  return std::string(text.substr(first, text.find_last_not_of(" \t\r") - first + 1));
}

// One value, from `at` on: quoted text, or a word up to a comma, bracket or comment.
std::string scalar(const std::string& line, std::size_t& at, const std::string& where) {
  at = line.find_first_not_of(" \t", at);
  if (at == std::string::npos) throw InputError(where + ": expected a value after '='");
  if (line[at] == '"' || line[at] == '\'') {
    const char quote = line[at++];
    std::string text;
    for (; at < line.size() && line[at] != quote; ++at) {
      if (quote == '"' && line[at] == '\\' && at + 1 < line.size()) ++at;
      text += line[at];
    }
    if (at >= line.size()) throw InputError(where + ": text without a closing quote");
    ++at;
    return text;
  }
  const auto end = std::min(line.find_first_of(",]#", at), line.size());
  const std::string word = trimmed(std::string_view(line).substr(at, end - at));
  if (word.empty()) throw InputError(where + ": expected a value");
  at = end;
  return word;
}

TomlSetting parse_line(const std::string& line, const std::string& where) {
  const auto equals = line.find('=');
  if (equals == std::string::npos)
    throw InputError(where + ": found \"" + line + "\", expected name = value");
  TomlSetting setting{trimmed(std::string_view(line).substr(0, equals)), {}};
  if (setting.name.empty()) throw InputError(where + ": expected a name before '='");
  std::size_t at = line.find_first_not_of(" \t", equals + 1);
  if (at != std::string::npos && line[at] == '[') {
    ++at;
    while ((at = line.find_first_not_of(" \t,", at)) != std::string::npos && line[at] != ']')
      setting.values.push_back(scalar(line, at, where));
    if (at == std::string::npos) throw InputError(where + ": array without a closing bracket");
    ++at;
  } else {
    setting.values.push_back(scalar(line, equals + 1 > at ? at = equals + 1 : at, where));
  }
  const std::string rest = at < line.size() ? trimmed(std::string_view(line).substr(at)) : "";
  if (!rest.empty() && rest[0] != '#')
    throw InputError(where + ": found \"" + rest + "\" after the value");
  return setting;
}

// [name] or [[name]], a comment behind it.
std::string table_name(const std::string& line, const std::string& where) {
  const std::size_t open = line.starts_with("[[") ? 2 : 1;
  const auto close = line.find(']');
  const std::string name =
      close == std::string::npos ? "" : trimmed(std::string_view(line).substr(open, close - open));
  const std::string rest =
      name.empty() ? ""
                   : trimmed(std::string_view(line).substr(std::min(close + open, line.size())));
  if (name.empty() || line.substr(close, open) != std::string(open, ']') ||
      (!rest.empty() && rest[0] != '#'))
    throw InputError(where + ": found \"" + line + "\", expected [table] or [[table]]");
  return name;
}

}  // namespace

std::vector<TomlTable> parse_toml(std::string_view text, const std::string& path) {
  std::vector<TomlTable> tables(1);
  int number = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    const auto end = std::min(text.find('\n', begin), text.size());
    const std::string line = trimmed(text.substr(begin, end - begin));
    begin = end + 1;
    ++number;
    if (line.empty() || line[0] == '#') continue;
    const std::string where = path + ":" + std::to_string(number);
    if (line[0] == '[') {
      tables.push_back({table_name(line, where), number, {}});
      continue;
    }
    TomlSetting setting = parse_line(line, where);
    setting.line = number;
    for (const TomlSetting& other : tables.back().settings)
      if (other.name == setting.name)
        throw InputError(where + ": '" + setting.name + "' is set twice, first in line " +
                         std::to_string(other.line));
    tables.back().settings.push_back(std::move(setting));
  }
  return tables;
}

}  // namespace mechfit
