#pragma once

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <map>
#include <string>

namespace mechfit {

// Turns one of a few words into the value of an enum: option->transform(choice(words)).
template <class Enum>
CLI::Validator choice(const std::map<std::string, Enum>& words) {
  return CLI::Validator(
      [words](std::string& text) {
        const auto found = words.find(text);
        if (found != words.end()) {
          text = std::to_string(static_cast<int>(found->second));
          return std::string();
        }
        std::string expected;
        for (const auto& [word, value] : words) expected += (expected.empty() ? "" : ", ") + word;
        return "'" + text + "', expected one of " + expected;
      },
      "");
}

}  // namespace mechfit
