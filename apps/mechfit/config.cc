#include "config.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>

#include "mechfit/base/error.h"
#include "mechfit/files/files.h"
#include "mechfit/files/toml.h"

namespace mechfit {
namespace {

std::string toml_text(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

// Whether the word is a flag whose value is the next word.
bool takes_next(const CLI::App& command, const std::string& word) {
  if (!word.starts_with("-") || word.find('=') != std::string::npos) return false;
  const CLI::Option* option = command.get_option_no_throw(word);
  return option && option->get_items_expected_max() > 0;
}

// Whether files are named among the words after the subcommand.
bool names_files(const CLI::App& command, const std::vector<std::string>& words) {
  for (std::size_t i = 1; i < words.size(); ++i) {
    if (!words[i].starts_with("-")) return true;
    if (takes_next(command, words[i])) ++i;
  }
  return false;
}

}  // namespace

std::vector<std::string> with_config(std::vector<std::string> arguments, const CLI::App& app) {
  std::string path;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const bool joined = arguments[i].starts_with("--config=");
    if (!joined && arguments[i] != "--config") continue;
    if (!joined && i + 1 >= arguments.size()) return arguments;  // the parser complains
    path = joined ? arguments[i].substr(9) : arguments[i + 1];
    const auto first = arguments.begin() + static_cast<std::ptrdiff_t>(i);
    arguments.erase(first, first + (joined ? 1 : 2));
    break;
  }
  const auto commands = app.get_subcommands(
      [&](const CLI::App* other) { return !arguments.empty() && other->check_name(arguments[0]); });
  if (path.empty() || commands.empty()) return arguments;  // the parser complains of no subcommand
  const CLI::App* command = commands[0];
  auto given = [&](const std::string& flag) {
    return std::any_of(arguments.begin(), arguments.end(), [&](const std::string& word) {
      return word == flag || word.starts_with(flag + "=");
    });
  };
  const bool has_files = names_files(*command, arguments);
  for (const auto& table : parse_toml(read_file(path), path))
    for (const auto& [name, values, line] : table.settings) {
      const std::string flag = "--" + name;
      if (name == "config" || (name != "files" && !command->get_option_no_throw(flag)))
        throw InputError(path + ":" + std::to_string(line) + ": unknown setting '" + name +
                         "', expected a flag of mechfit " + arguments[0] + " without its --");
      if (given(flag) || (name == "output" && given("-o"))) continue;
      if (name == "files") {
        if (!has_files) arguments.insert(arguments.begin() + 1, values.begin(), values.end());
      } else if (values.size() == 1 && (values[0] == "true" || values[0] == "false")) {
        if (values[0] == "true") arguments.push_back(flag);
      } else {
        std::string joined;
        for (const auto& value : values) joined += (joined.empty() ? "" : ",") + value;
        arguments.push_back(flag);
        arguments.push_back(joined);
      }
    }
  return arguments;
}

std::string config_text(const CLI::App& command, const std::vector<std::string>& words,
                        const std::vector<std::string>& leave_out) {
  std::vector<std::string> files;
  std::string text;
  for (std::size_t i = 1; i < words.size(); ++i) {
    if (!words[i].starts_with("-")) {
      files.push_back(words[i]);
      continue;
    }
    const auto equals = words[i].find('=');
    const std::string flag = words[i].substr(0, equals);
    const CLI::Option* option = command.get_option_no_throw(flag);
    if (!option) continue;
    const bool takes_value = option->get_items_expected_max() > 0;
    std::string value;
    if (equals != std::string::npos)
      value = words[i].substr(equals + 1);
    else if (takes_value && i + 1 < words.size())
      value = words[++i];
    const std::string name = option->get_single_name();
    if (std::find(leave_out.begin(), leave_out.end(), name) != leave_out.end()) continue;
    text += name + " = " + (takes_value ? toml_text(value) : "true") + "\n";
  }
  std::string list;
  for (const auto& file : files) list += (list.empty() ? "" : ", ") + toml_text(file);
  return "files = [" + list + "]\n" + text;
}

}  // namespace mechfit
