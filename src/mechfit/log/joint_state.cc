#include "mechfit/log/joint_state.h"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <string_view>

namespace mechfit {
namespace {

constexpr std::array<std::string_view, 3> kQuantities = {"position", "velocity", "effort"};

bool is_digits(std::string_view text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// The number in "0", "_0", "[0]" or ".0"; none otherwise.
std::optional<std::string> index_of(std::string_view text) {
  if (text.starts_with('[') && text.ends_with(']'))
    text = text.substr(1, text.size() - 2);
  else if (text.starts_with('_') || text.starts_with('.'))
    text.remove_prefix(1);
  if (!is_digits(text)) return std::nullopt;
  return std::string(text);
}

// A name and the number behind it.
struct Counted {
  std::string stem;
  long number = -1;
};

Counted counted_name(const std::string& name) {
  std::size_t begin = name.size();
  while (begin > 0 && name.size() - begin < 9 && is_digits(std::string_view(&name[begin - 1], 1)))
    --begin;
  if (begin == name.size()) return {name, -1};
  return {name.substr(0, begin), std::stol(name.substr(begin))};
}

std::string choose_topic(const std::vector<std::optional<JointStateColumn>>& columns) {
  const JointStateColumn* first = nullptr;
  for (const auto& column : columns) {
    if (!column || column->quantity != JointQuantity::position || is_reference(column->topic))
      continue;
    if (column->topic.find("joint_states") != std::string::npos) return column->topic;
    if (first == nullptr) first = &*column;
  }
  return first != nullptr ? first->topic : "";
}

}  // namespace

std::vector<std::size_t> joint_order(const std::vector<std::string>& joints) {
  std::vector<std::size_t> order(joints.size());
  std::iota(order.begin(), order.end(), 0);
  std::vector<Counted> names;
  for (const auto& joint : joints) names.push_back(counted_name(joint));
  const bool alike = std::all_of(names.begin(), names.end(), [&](const Counted& name) {
    return name.number >= 0 && name.stem == names.front().stem;
  });
  if (alike)
    std::stable_sort(order.begin(), order.end(),
                     [&](auto a, auto b) { return names[a].number < names[b].number; });
  return order;
}

bool is_reference(const std::string& column) {
  constexpr std::array<std::string_view, 11> kWords = {"ref",    "reference", "des",      "desired",
                                                       "cmd",    "command",   "commands", "goal",
                                                       "target", "setpoint",  "error"};
  std::string word;
  const auto wanted = [&] {
    return std::any_of(kWords.begin(), kWords.end(),
                       [&](std::string_view known) { return word.ends_with(known); });
  };
  for (const char c : column + "_") {
    const char small = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    if (small >= 'a' && small <= 'z') {
      word += small;
      continue;
    }
    if (wanted()) return true;
    word.clear();
  }
  return false;
}

std::optional<JointStateColumn> parse_joint_state(const std::string& column) {
  std::string topic, last = column;
  if (const auto slash = column.rfind('/'); slash != std::string::npos) {
    topic = column.substr(0, slash);
    last = column.substr(slash + 1);
  } else if (const auto dot = column.rfind("field."); dot == 0) {
    topic = "field";
    last = column.substr(6);
  }
  for (std::size_t i = 0; i < kQuantities.size(); ++i) {
    if (!last.starts_with(kQuantities[i])) continue;
    const auto quantity = static_cast<JointQuantity>(i);
    const std::string_view behind = std::string_view(last).substr(kQuantities[i].size());
    if (const auto index = index_of(behind))
      return JointStateColumn{quantity, topic, "joint" + *index};
    if (!behind.empty()) return std::nullopt;
    const auto slash = topic.rfind('/');
    if (slash == std::string::npos || slash == 0)  // of one joint alone
      return JointStateColumn{quantity, topic, topic.empty() ? "joint" : topic.substr(slash + 1)};
    return JointStateColumn{quantity, topic.substr(0, slash), topic.substr(slash + 1)};
  }
  return std::nullopt;
}

JointStates find_joint_states(const std::vector<std::string>& header) {
  std::vector<std::optional<JointStateColumn>> columns;
  for (const auto& name : header) columns.push_back(parse_joint_state(name));
  const std::string topic = choose_topic(columns);
  std::vector<std::string> joints;
  std::map<std::string, int> at[3];  // of each quantity, by joint
  for (std::size_t i = 0; i < header.size(); ++i) {
    if (!columns[i] || columns[i]->topic != topic || is_reference(header[i])) continue;
    const bool is_new =
        at[static_cast<int>(columns[i]->quantity)].emplace(columns[i]->joint, i).second;
    if (is_new && columns[i]->quantity == JointQuantity::position)
      joints.push_back(columns[i]->joint);
  }
  JointStates out;
  for (const std::size_t i : joint_order(joints)) out.joints.push_back(joints[i]);
  const auto all = [&](JointQuantity quantity) {
    std::vector<int> found;
    const auto& known = at[static_cast<int>(quantity)];
    for (const auto& joint : out.joints)
      if (const auto column = known.find(joint); column != known.end())
        found.push_back(column->second);
    return found.size() == out.joints.size() ? found : std::vector<int>();
  };
  out.position = all(JointQuantity::position);
  out.velocity = all(JointQuantity::velocity);
  out.effort = all(JointQuantity::effort);
  return out;
}

}  // namespace mechfit
