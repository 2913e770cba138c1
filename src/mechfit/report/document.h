#pragma once

#include <initializer_list>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mechfit {

// A curve and, where the source has one, its band.
struct Band {
  std::vector<double> y;
  std::vector<double> low = {}, high = {};              // empty without a band
  std::vector<double> inner_low = {}, inner_high = {};  // a narrower one within; empty without
};

// One value of a report document together with its path, so that every complaint (InputError) says
// where the document does not fit: "report document: rollouts[0].t: found a string, expected ...".
class Node {
 public:
  explicit Node(const nlohmann::json& value, std::string path = "");

  // Members. `only` refuses an object with a key that is not in the list: a misspelt section would
  // otherwise vanish from the page.
  void only(std::initializer_list<std::string_view> keys) const;
  Node at(const std::string& key) const;
  std::optional<Node> find(const std::string& key) const;  // nothing when missing or null

  std::vector<Node> items() const;
  std::string text() const;
  double number() const;  // null and non-finite numbers are NaN
  int count() const;      // an integer >= 0
  bool flag() const;
  std::vector<double> numbers(std::optional<std::size_t> size = {}) const;
  // Numbers, or {"y": .., "low": .., "high": .., "inner_low": .., "inner_high": ..}.
  Band band(std::size_t size) const;
  std::pair<double, double> range() const;                          // [low, high]
  std::string word(std::initializer_list<std::string_view>) const;  // one of these

  [[noreturn]] void fail(const std::string& found, const std::string& expected) const;

 private:
  const nlohmann::json* value_;
  std::string path_;
};

}  // namespace mechfit
