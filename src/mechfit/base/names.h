#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "mechfit/base/error.h"

// The words for the values of an enumeration: on the command line, in files and in messages. The
// one table of each stands beside its enumeration:
//
//   template <>
//   inline constexpr auto kNames<Colour> = names<Colour>({{Colour::red, "red"}, ...});
namespace mechfit {

template <class E>
struct Name {
  E value;
  const char* text;
};

template <class E, std::size_t N>
constexpr std::array<Name<E>, N> names(const Name<E> (&table)[N]) {
  return std::to_array(table);
}

template <class E>
inline constexpr auto kNames = nullptr;  // no table

template <class E>
std::string name_of(E value) {
  for (const auto& [known, text] : kNames<E>)
    if (known == value) return text;
  MECHFIT_CHECK(false);
}

template <class E>
std::optional<E> value_of(std::string_view text) {
  for (const auto& [value, known] : kNames<E>)
    if (text == known) return value;
  return std::nullopt;
}

// All words, in the order of the table.
template <class E>
std::string all_names(const char* between = ", ") {
  std::string out;
  for (const auto& name : kNames<E>) out += (out.empty() ? "" : between) + std::string(name.text);
  return out;
}

}  // namespace mechfit
