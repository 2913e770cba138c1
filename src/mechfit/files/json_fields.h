#pragma once

#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "mechfit/base/error.h"
#include "mechfit/base/names.h"
#include "mechfit/files/json.h"
#include "mechfit/files/number.h"

namespace mechfit {

// Takes the fields of a JSON object one by one; an InputError names the field and what was
// expected. `where` starts the messages.
class JsonFields {
 public:
  using Json = nlohmann::ordered_json;

  JsonFields(const std::string& text, std::string where)
      : JsonFields(parse_json<Json>(text), std::move(where)) {}
  JsonFields(Json object, std::string where)
      : object_(std::move(object)), where_(std::move(where)) {
    if (!object_.is_object()) throw InputError(where_ + " is not a JSON object");
  }

  bool has(const std::string& key) const { return object_.contains(key); }
  JsonFields object(const std::string& key) const {
    return JsonFields(field(key), where_ + ": '" + key + "'");
  }
  std::vector<JsonFields> objects(const std::string& key) const {
    std::vector<JsonFields> out;
    for (const auto& value : list(key, "a list of objects"))
      out.emplace_back(value, where_ + ": '" + key + "': item " + std::to_string(out.size()));
    return out;
  }
  // All fields, in the order of the file.
  const Json& all() const { return object_; }

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

  // The object in field `key`, where there is one.
  std::optional<JsonFields> object_if_any(const std::string& key) const {
    const auto& value = field(key);
    if (!value.is_object()) return std::nullopt;
    return JsonFields(value, where_ + ": '" + key + "'");
  }

  std::vector<std::string> texts(const std::string& key) const {
    std::vector<std::string> out;
    for (const auto& value : list(key, "a list of text")) {
      if (!value.is_string()) fail(key, "a list of text");
      out.push_back(value.get<std::string>());
    }
    return out;
  }

  // Finite.
  double number(const std::string& key) const {
    const auto& value = field(key);
    if (!value.is_number() || !std::isfinite(value.get<double>())) fail(key, "a finite number");
    return value.get<double>();
  }

  // The same, where null stands for `null_value`.
  double number(const std::string& key, double null_value) const {
    return field(key).is_null() ? null_value : number(key);
  }

  // Finite ones.
  std::vector<double> numbers(const std::string& key) const {
    std::vector<double> out;
    for (const auto& value : list(key, "a list of finite numbers")) {
      if (!value.is_number() || !std::isfinite(value.get<double>()))
        fail(key, "a list of finite numbers");
      out.push_back(value.get<double>());
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

  // One of an enumeration's names (base/names.h).
  template <class E>
  E choice(const std::string& key) const {
    return find<E>(key, text(key));
  }

  template <class E>
  std::vector<E> choices(const std::string& key) const {
    std::vector<E> out;
    for (const auto& word : texts(key)) out.push_back(find<E>(key, word));
    return out;
  }

  // Where the fields stand, as messages begin.
  const std::string& where() const { return where_; }

 private:
  JsonFields(nlohmann::json object, std::string where)
      : object_(std::move(object)), where_(std::move(where)) {}

  [[noreturn]] void fail(const std::string& key, const std::string& expected) const {
    throw InputError(where_ + ": '" + key + "': expected " + expected);
  }

  const Json& field(const std::string& key) const {
    const auto found = object_.find(key);
    if (found == object_.end()) throw InputError(where_ + ": no '" + key + "'");
    return *found;
  }

  const Json& list(const std::string& key, const std::string& expected) const {
    const auto& value = field(key);
    if (!value.is_array()) fail(key, expected);
    return value;
  }

  template <class E>
  E find(const std::string& key, const std::string& word) const {
    if (const auto value = value_of<E>(word)) return *value;
    fail(key, "one of " + all_names<E>() + ", not " + in_quotes(word));
  }

  Json object_;
  std::string where_;
};

template <class E>
std::vector<std::string> names_of(const std::vector<E>& values) {
  std::vector<std::string> out;
  for (const E value : values) out.push_back(name_of(value));
  return out;
}

// One line; bytes that are not UTF-8 are replaced.
inline std::string to_text(const nlohmann::json& value) {
  return value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace mechfit
