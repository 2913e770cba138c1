#pragma once

#include <string>
#include <string_view>
#include <vector>

// The part of TOML that settings and tables of robots need: name = value with text, numbers, true
// and false, or one array of them on the line; [table] and [[table]]; comments.
namespace mechfit {

struct TomlSetting {
  std::string name;
  std::vector<std::string> values;  // without quotes; an array gives several
  int line = 0;
};

struct TomlTable {
  std::string name;  // of [name] or [[name]]; empty: what comes before the first of them
  int line = 0;
  std::vector<TomlSetting> settings;
};

// The first table is the nameless one. InputErrors begin with `path`:LINE.
std::vector<TomlTable> parse_toml(std::string_view text, const std::string& path);

}  // namespace mechfit
