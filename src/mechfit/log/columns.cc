#include "mechfit/log/columns.h"

#include <algorithm>
#include <array>
#include <map>
#include <string_view>

#include "mechfit/base/error.h"
#include "mechfit/base/text.h"
#include "mechfit/log/clock.h"
#include "mechfit/log/joint_state.h"

namespace mechfit {
namespace {

constexpr std::array<std::string_view, 9> kUnits = {"rad", "deg", "m",  "cm", "mm",
                                                    "s",   "ms",  "us", "ns"};
constexpr std::array<std::string_view, 8> kTimeNames = {"t",     "time",    "timestamp", "stamp",
                                                        "clock", "seconds", "__time",    "%time"};
constexpr std::array<std::string_view, 4> kTrajectoryNames = {"trajectory", "run", "episode",
                                                              "traj"};

constexpr std::array<std::string_view, 6> kInputNames = {"tau",     "torque",  "effort",
                                                         "current", "voltage", "force"};
// What a unit of forces and torques looks like behind a name.
constexpr std::array<std::string_view, 6> kForceEndings = {"_N",   "_Nm", "[N]",
                                                           "[Nm]", "(N)", "(Nm)"};

bool is_digits(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

std::string lower(std::string text) {
  for (char& c : text)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return text;
}

class Chooser {
 public:
  Chooser(const std::vector<std::string>& header, const std::string& where)
      : header_(header), where_(where), used_(header.size(), false) {}

  // The column of this name, -1 when there is none.
  int find(const std::string& name) const {
    const auto at = std::find(header_.begin(), header_.end(), name);
    return at == header_.end() ? -1 : static_cast<int>(at - header_.begin());
  }

  int take(int column) {
    const std::string& name = header_[static_cast<std::size_t>(column)];
    if (std::count(header_.begin(), header_.end(), name) > 1)
      throw InputError(where_ + ": column '" + name + "' appears twice");
    if (used_[static_cast<std::size_t>(column)])
      throw InputError(where_ + ": column '" + name + "' is chosen twice");
    used_[static_cast<std::size_t>(column)] = true;
    return column;
  }

  int take(const std::string& name) {
    const int column = find(name);
    if (column < 0)
      throw UnclearLog(where_ + ": no column '" + name + "', found " + listed(header_, kMostNames));
    return take(column);
  }

  std::vector<int> take(const std::vector<std::string>& names) {
    std::vector<int> columns;
    for (const auto& name : names) columns.push_back(take(name));
    return columns;
  }

  // prefix1, prefix2 ... (or from 0, or just prefix) with any of the suffixes that `plain` removes.
  template <class Plain>
  std::vector<int> take_numbered(const std::string& prefix, const std::string& option,
                                 Plain plain) {
    std::map<long, int> numbered;
    for (std::size_t i = 0; i < header_.size(); ++i) {
      const std::string name = plain(header_[i]);
      if (!name.starts_with(prefix) || used_[i]) continue;
      const std::string digits = name.substr(prefix.size());
      if (!is_digits(digits) || digits.size() > 4) continue;
      const long number = digits.empty() ? -1 : std::stol(digits);
      if (!numbered.emplace(number, static_cast<int>(i)).second)
        throw InputError(where_ + ": two columns for '" + name + "', choose with " + option);
    }
    if (numbered.size() > 1) numbered.erase(-1);  // q beside q1, q2
    std::vector<int> columns;
    long expected = numbered.empty() ? 0 : numbered.begin()->first;
    for (const auto& [number, column] : numbered) {
      if (number != expected++ || numbered.begin()->first > 1)
        throw InputError(where_ + ": columns '" + prefix + "1', '" + prefix +
                         "2' ... have a hole before '" + header_[static_cast<std::size_t>(column)] +
                         "', choose with " + option);
      columns.push_back(take(column));
    }
    return columns;
  }

  // All of name(0) .. name(n-1), or none.
  template <class Name>
  std::vector<int> take_all_or_none(std::size_t n, Name name) {
    std::vector<int> columns;
    for (std::size_t i = 0; i < n; ++i) {
      const int column = find(name(i));
      if (column < 0 || used_[static_cast<std::size_t>(column)]) return {};
      columns.push_back(column);
    }
    for (const int column : columns) take(column);
    return columns;
  }

  std::vector<int> take(const std::vector<int>& columns) {
    for (const int column : columns) take(column);
    return columns;
  }

  bool is_free(int column) const { return !used_[static_cast<std::size_t>(column)]; }

  std::vector<std::string> names(const std::vector<int>& columns) const {
    std::vector<std::string> out;
    for (const int column : columns) out.push_back(header_[static_cast<std::size_t>(column)]);
    return out;
  }

  std::vector<std::string> unused() const {
    std::vector<std::string> out;
    for (std::size_t i = 0; i < header_.size(); ++i)
      if (!used_[i] && !header_[i].empty()) out.push_back(header_[i]);
    return out;
  }

 private:
  const std::vector<std::string>& header_;
  const std::string& where_;
  std::vector<bool> used_;
};

template <std::size_t N>
bool is_one_of(const std::string& name, const std::array<std::string_view, N>& names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

void expect_count(const std::string& where, const char* option, std::size_t found, std::size_t n) {
  if (found != 0 && found != n)
    throw InputError(where + ": " + option + " names " + std::to_string(found) +
                     " columns, expected one for each of the " + std::to_string(n) + " joints");
}

std::string without_unit(const std::string& name) { return split_unit(name).name; }

// Stamps in the header of a ROS message: when it was made, not when it was received.
bool guess_header_stamp(const std::vector<std::string>& header, Chooser& chooser, Columns& c) {
  const auto take_both = [&](const char* seconds, const char* nanoseconds) {
    const int whole = chooser.find(seconds), fraction = chooser.find(nanoseconds);
    if (whole < 0 || fraction < 0) return false;
    c.time = chooser.take(whole);
    c.time_fraction = chooser.take(fraction);
    c.channels.time_unit = "s";
    return true;
  };
  if (take_both("header.stamp.secs", "header.stamp.nsecs")) return true;  // bagpy
  if (take_both("header.stamp.sec", "header.stamp.nanosec")) return true;
  if (const int stamp = chooser.find("field.header.stamp"); stamp >= 0) {  // rostopic echo -p
    c.time = chooser.take(stamp);
    c.channels.time_unit = "ns";
    return true;
  }
  for (std::size_t i = 0; i < header.size(); ++i)  // PlotJuggler
    if (header[i].ends_with("joint_states/header/stamp")) {
      c.time = chooser.take(static_cast<int>(i));
      return true;
    }
  return false;
}

void guess_time_and_runs(const std::vector<std::string>& header, const std::string& where,
                         Chooser& chooser, Columns& c) {
  if (c.time < 0) guess_header_stamp(header, chooser, c);
  for (std::size_t i = 0; i < header.size() && c.time < 0; ++i)
    if (is_one_of(lower(without_unit(header[i])), kTimeNames))
      c.time = chooser.take(static_cast<int>(i));
  if (c.time < 0)
    throw UnclearLog(where + ": no column looks like time, found " + listed(header, kMostNames) +
                     "; name it with option 'time'");
  for (std::size_t i = 0; i < header.size() && c.trajectory < 0; ++i)
    if (is_one_of(lower(header[i]), kTrajectoryNames))
      c.trajectory = chooser.take(static_cast<int>(i));
}

// Positions of a JointState message, with velocities and efforts where the options name none.
void guess_joint_states(const std::vector<std::string>& header, const ReadOptions& options,
                        Chooser& chooser, Columns& c) {
  const JointStates found = find_joint_states(header);
  c.channels.joints = found.joints;
  c.q = chooser.take(found.position);
  if (options.qd.empty()) c.qd = chooser.take(found.velocity);
  if (options.u.empty()) c.u = chooser.take(found.effort);
}

void guess_joints_and_inputs(const std::vector<std::string>& header, const ReadOptions& options,
                             const std::string& where, Chooser& chooser, Columns& c) {
  if (c.q.empty()) c.q = chooser.take_numbered("q", "option 'q'", without_unit);
  if (c.q.empty()) guess_joint_states(header, options, chooser, c);
  if (c.q.empty()) {
    for (std::size_t i = 0; i < header.size(); ++i)
      if (chooser.is_free(static_cast<int>(i)) && looks_like_joint(header[i]))
        c.q.push_back(chooser.take(static_cast<int>(i)));
  }
  if (c.q.empty())
    throw UnclearLog(
        where + ": no column looks like a joint (q1, q2 ... or a name ending in _rad), found " +
        listed(header, kMostNames) + "; name them with option 'q'");
  if (c.u.empty() && options.u.empty())
    c.u = chooser.take_numbered("u", "option 'u'", [](const std::string& name) {
      return name.substr(0, name.find_first_of("_ [("));
    });
}

// Velocities, accelerations and standard deviations of the joints.
void guess_derived(const std::vector<std::string>& header, Chooser& chooser, Columns& c) {
  const std::size_t n = c.q.size();
  // The number of each joint, as its derivatives carry it: q0 has qd0, and joints of other names
  // count from 1.
  std::vector<std::string> number;
  for (std::size_t i = 0; i < n; ++i) {
    const std::string name = without_unit(header[static_cast<std::size_t>(c.q[i])]);
    const bool numbered = name.starts_with("q") && is_digits(name.substr(1));
    number.push_back(numbered ? name.substr(1) : std::to_string(i + 1));
  }
  const auto derived = [&](const std::string& before, const std::string& after) {
    return chooser.take_all_or_none(n, [&](std::size_t i) { return before + number[i] + after; });
  };
  if (c.qd.empty()) c.qd = derived("qd", "");
  if (c.qdd.empty()) c.qdd = derived("qdd", "");
  c.q_sd = derived("q", "_sd");
  c.qd_sd = derived("qd", "_sd");
  c.qdd_sd = derived("qdd", "_sd");
}

// What the options, else the column's name, say about the clock's unit.
void settle_time_unit(const std::string& column, const ReadOptions& options, Columns& c,
                      std::vector<std::string>& notes) {
  std::optional<TimeUnit> unit = value_of<TimeUnit>(split_unit(column).unit);
  if (!unit) unit = value_of<TimeUnit>(c.channels.time_unit);
  if (options.time_unit) unit = options.time_unit;
  if (!unit) return;
  c.channels.time_unit = name_of(*unit);
  c.time_scale = seconds_per(*unit);
  if (*unit != TimeUnit::s) notes.push_back("time " + column + " converted to seconds");
}

}  // namespace

NameAndUnit split_unit(const std::string& column) {
  std::string_view name = column;
  std::string_view unit;
  const auto cut = [&](std::string_view open, std::string_view close) {
    const auto at = name.rfind(open);
    if (at == std::string_view::npos || at == 0 || !name.ends_with(close)) return;
    const auto inside =
        name.substr(at + open.size(), name.size() - at - open.size() - close.size());
    if (std::find(kUnits.begin(), kUnits.end(), inside) == kUnits.end()) return;
    unit = inside;
    name = name.substr(0, at);
    while (name.size() > 1 && name.ends_with(' ')) name.remove_suffix(1);
  };
  if (name.ends_with(']'))
    cut("[", "]");
  else if (name.ends_with(')'))
    cut("(", ")");
  else
    cut("_", "");
  return {std::string(name), std::string(unit)};
}

bool looks_like_joint(const std::string& column) {
  if (is_reference(column)) return false;
  const auto state = parse_joint_state(column);
  if (state) return state->quantity == JointQuantity::position;
  const std::string unit = split_unit(column).unit;
  return unit == "rad" || unit == "deg" || unit == "m" || unit == "cm" || unit == "mm";
}

bool looks_like_input(const std::string& column) {
  if (is_reference(column)) return false;
  const auto state = parse_joint_state(column);
  if (state) return state->quantity == JointQuantity::effort;
  const std::string name = lower(column);
  return std::any_of(kInputNames.begin(), kInputNames.end(),
                     [&](std::string_view known) { return name.starts_with(known); }) ||
         std::any_of(kForceEndings.begin(), kForceEndings.end(),
                     [&](std::string_view unit) { return column.ends_with(unit); });
}

Columns choose_columns(const std::vector<std::string>& header, const ReadOptions& options,
                       const std::string& where, std::vector<std::string>& notes) {
  Chooser chooser(header, where);
  Columns c;
  if (!options.time.empty()) c.time = chooser.take(options.time);
  if (!options.trajectory.empty()) c.trajectory = chooser.take(options.trajectory);
  c.q = chooser.take(options.q);
  if (!options.no_inputs()) c.u = chooser.take(options.u);
  c.qd = chooser.take(options.qd);
  c.qdd = chooser.take(options.qdd);
  guess_time_and_runs(header, where, chooser, c);
  guess_joints_and_inputs(header, options, where, chooser, c);
  expect_count(where, "option 'qd'", c.qd.size(), c.q.size());
  expect_count(where, "option 'qdd'", c.qdd.size(), c.q.size());
  guess_derived(header, chooser, c);

  const std::string& time = header[static_cast<std::size_t>(c.time)];
  settle_time_unit(time, options, c, notes);
  const bool named = !c.channels.joints.empty();
  for (const auto& name : chooser.names(c.q)) {
    auto [joint, unit] = split_unit(name);
    if (!named) c.channels.joints.push_back(joint);
    c.channels.units.push_back(unit);
  }
  c.channels.inputs = chooser.names(c.u);
  c.channels.unused = chooser.unused();

  if (options.time.empty() || options.q.empty()) {
    std::string note =
        "columns: time " + time + "; joints " + listed(chooser.names(c.q), kMostNames);
    if (!c.u.empty()) note += "; inputs " + listed(chooser.names(c.u), kMostNames);
    if (c.trajectory >= 0) note += "; runs " + header[static_cast<std::size_t>(c.trajectory)];
    if (const auto& unused = c.channels.unused; !unused.empty())
      note += "; not used " + listed(unused, kMostNames);
    notes.push_back(note);
  }
  return c;
}

}  // namespace mechfit
