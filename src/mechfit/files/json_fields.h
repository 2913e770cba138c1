#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "mechfit/base/error.h"
#include "mechfit/files/number.h"
#include "mechfit/log/log.h"

namespace mechfit {

// Text names of an enumeration's values.
template <class E>
using EnumNames = std::vector<std::pair<E, const char*>>;

template <class E>
std::string enum_name(const EnumNames<E>& names, E value) {
  for (const auto& [known, name] : names)
    if (known == value) return name;
  MECHFIT_CHECK(false);
}

// Takes the fields of a JSON object one by one; an InputError names the field and what was
// expected. `where` starts the messages.
class JsonFields {
 public:
  JsonFields(const std::string& text, std::string where) : where_(std::move(where)) {
    object_ = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
    if (!object_.is_object()) throw InputError(where_ + " is not a JSON object");
  }

  std::string text(const std::string& key) const {
    const auto& value = field(key);
    if (!value.is_string()) fail(key, "text");
    return value.get<std::string>();
  }

  bool flag(const std::string& key) const {
    const auto& value = field(key);
    if (!value.is_boolean()) fail(key, "true or false");
    return value.get<bool>();
  }

  std::vector<std::string> texts(const std::string& key) const {
    std::vector<std::string> out;
    for (const auto& value : list(key, "a list of text")) {
      if (!value.is_string()) fail(key, "a list of text");
      out.push_back(value.get<std::string>());
    }
    return out;
  }

  // Integers from `lowest` to `highest`.
  std::vector<int> integers(const std::string& key, int lowest, int highest) const {
    const std::string expected =
        "a list of integers from " + std::to_string(lowest) + " to " + std::to_string(highest);
    std::vector<int> out;
    for (const auto& value : list(key, expected)) {
      if (!value.is_number_unsigned() || value.get<std::uint64_t>() > std::uint64_t(highest) ||
          value.get<int>() < lowest)
        fail(key, expected);
      out.push_back(value.get<int>());
    }
    return out;
  }

  int integer(const std::string& key, int lowest, int highest) const {
    const auto& value = field(key);
    if (!value.is_number_unsigned() || value.get<std::uint64_t>() > std::uint64_t(highest) ||
        value.get<int>() < lowest)
      fail(key, "an integer from " + std::to_string(lowest) + " to " + std::to_string(highest));
    return value.get<int>();
  }

  template <class E>
  E choice(const std::string& key, const EnumNames<E>& names) const {
    return find(key, text(key), names);
  }

  template <class E>
  std::vector<E> choices(const std::string& key, const EnumNames<E>& names) const {
    std::vector<E> out;
    for (const auto& word : texts(key)) out.push_back(find(key, word, names));
    return out;
  }

 private:
  [[noreturn]] void fail(const std::string& key, const std::string& expected) const {
    throw InputError(where_ + ": '" + key + "': expected " + expected);
  }

  const nlohmann::json& field(const std::string& key) const {
    const auto found = object_.find(key);
    if (found == object_.end()) throw InputError(where_ + ": no '" + key + "'");
    return *found;
  }

  const nlohmann::json& list(const std::string& key, const std::string& expected) const {
    const auto& value = field(key);
    if (!value.is_array()) fail(key, expected);
    return value;
  }

  template <class E>
  E find(const std::string& key, const std::string& word, const EnumNames<E>& names) const {
    std::string valid;
    for (const auto& [value, name] : names) {
      if (word == name) return value;
      valid += (valid.empty() ? "" : ", ") + std::string(name);
    }
    fail(key, "one of " + valid + ", not " + in_quotes(word));
  }

  nlohmann::json object_;
  std::string where_;
};

inline const EnumNames<JointType>& joint_type_names() {
  static const EnumNames<JointType> names = {{JointType::plain, "plain"},
                                             {JointType::periodic, "periodic"}};
  return names;
}

inline std::vector<std::string> names_of(const std::vector<JointType>& types) {
  std::vector<std::string> out;
  for (const JointType type : types) out.push_back(enum_name(joint_type_names(), type));
  return out;
}

// One line; bytes that are not UTF-8 are replaced.
inline std::string to_text(const nlohmann::json& value) {
  return value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace mechfit
