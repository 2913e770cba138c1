#include "mechfit/report/document.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "mechfit/base/constants.h"
#include "mechfit/base/error.h"
#include "mechfit/files/json_fields.h"

namespace mechfit {

Node::Node(const nlohmann::json& value, std::string path)
    : value_(&value), path_(std::move(path)) {}

void Node::fail(const std::string& found, const std::string& expected) const {
  throw InputError(fmt::format("report document: {}: found {}, expected {}",
                               path_.empty() ? "top level" : path_, found, expected));
}

void Node::only(std::initializer_list<std::string_view> keys) const {
  if (!value_->is_object()) fail(value_->type_name(), "an object");
  for (const auto& [key, unused] : value_->items())
    if (std::find(keys.begin(), keys.end(), key) == keys.end())
      fail("key \"" + key + "\"", fmt::format("one of {}", fmt::join(keys, ", ")));
}

Node Node::at(const std::string& key) const {
  if (!value_->is_object()) fail(value_->type_name(), "an object");
  const auto member = value_->find(key);
  if (member == value_->end()) fail("nothing", "a member \"" + key + "\"");
  return Node(*member, path_.empty() ? key : path_ + "." + key);
}

std::optional<Node> Node::find(const std::string& key) const {
  if (!value_->is_object()) fail(value_->type_name(), "an object");
  const auto member = value_->find(key);
  if (member == value_->end() || member->is_null()) return {};
  return at(key);
}

std::vector<Node> Node::items() const {
  if (!value_->is_array()) fail(value_->type_name(), "an array");
  std::vector<Node> result;
  result.reserve(value_->size());
  for (std::size_t i = 0; i < value_->size(); ++i)
    result.emplace_back((*value_)[i], fmt::format("{}[{}]", path_, i));
  return result;
}

std::string Node::text() const {
  if (!value_->is_string()) fail(value_->type_name(), "a string");
  return value_->get<std::string>();
}

double Node::number() const {
  if (value_->is_null()) return kNan;
  if (!value_->is_number()) fail(value_->type_name(), "a number");
  const double number = value_->get<double>();
  return std::isfinite(number) ? number : kNan;
}

int Node::count() const {
  if (!value_->is_number_integer() || value_->get<long long>() < 0 ||
      value_->get<long long>() > std::numeric_limits<int>::max())
    fail(to_text(*value_), "a count");
  return value_->get<int>();
}

bool Node::flag() const {
  if (!value_->is_boolean()) fail(value_->type_name(), "true or false");
  return value_->get<bool>();
}

std::vector<double> Node::numbers(std::optional<std::size_t> size) const {
  if (!value_->is_array()) fail(value_->type_name(), "an array of numbers");
  if (size && value_->size() != *size)
    fail(fmt::format("{} numbers", value_->size()), fmt::format("{}", *size));
  std::vector<double> result;
  result.reserve(value_->size());
  for (std::size_t i = 0; i < value_->size(); ++i) {
    const auto& item = (*value_)[i];
    if (!item.is_number() && !item.is_null())
      Node(item, fmt::format("{}[{}]", path_, i)).fail(item.type_name(), "a number or null");
    result.push_back(Node(item).number());
  }
  return result;
}

Band Node::band(std::size_t size) const {
  if (value_->is_array()) return {numbers(size)};
  only({"y", "low", "high", "inner_low", "inner_high"});
  Band band{at("y").numbers(size)};
  const auto pair = [&](const char* low, const char* high, std::vector<double>& lows,
                        std::vector<double>& highs) {
    if (!find(low) && !find(high)) return;
    lows = at(low).numbers(size);
    highs = at(high).numbers(size);
  };
  pair("low", "high", band.low, band.high);
  pair("inner_low", "inner_high", band.inner_low, band.inner_high);
  return band;
}

std::pair<double, double> Node::range() const {
  const auto ends = numbers(2);
  return {ends[0], ends[1]};
}

std::string Node::word(std::initializer_list<std::string_view> words) const {
  const std::string found = text();
  if (std::find(words.begin(), words.end(), found) == words.end())
    fail('"' + found + '"', fmt::format("one of {}", fmt::join(words, ", ")));
  return found;
}

}  // namespace mechfit
