#pragma once

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <string>

#include "mechfit/base/names.h"

namespace mechfit {

// Turns a name (base/names.h) into the value of its enum: option->transform(choice<Enum>()).
template <class Enum>
CLI::Validator choice() {
  return CLI::Validator(
      [](std::string& text) {
        const auto value = value_of<Enum>(text);
        if (!value) return "'" + text + "', expected one of " + all_names<Enum>();
        text = std::to_string(static_cast<int>(*value));
        return std::string();
      },
      "");
}

// The end of a help text: " (default: red)".
template <class Enum>
std::string by_default(Enum value) {
  return " (default: " + name_of(value) + ")";
}

// How the help shows the values: red|green|blue.
template <class Enum>
std::string choices() {
  return all_names<Enum>("|");
}

}  // namespace mechfit
