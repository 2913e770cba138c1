#pragma once

#include <optional>
#include <string>
#include <vector>

#include "mechfit/base/error.h"
#include "mechfit/log/log.h"

namespace mechfit {

enum class TimeUnit { s, ms, us, ns };
template <>
inline constexpr auto kNames<TimeUnit> = names<TimeUnit>(
    {{TimeUnit::s, "s"}, {TimeUnit::ms, "ms"}, {TimeUnit::us, "us"}, {TimeUnit::ns, "ns"}});

// How to read a log. Empty names are guessed from the header (docs/logs.md).
struct ReadOptions {
  std::vector<std::string> columns;  // names of the columns of a file without a header
  std::string topic;                 // of a recording of messages
  std::string time;
  std::optional<TimeUnit> time_unit;   // of the clock; none: what the name or the stamps say
  std::vector<std::string> q, u;       // [n], [m]; u = {"none"}: no inputs
  std::vector<std::string> qd, qdd;    // [n] each, or empty
  std::string trajectory;              // names the run of each row
  std::vector<JointType> joint_types;  // one per joint, or one for all; empty: guessed from units
  bool degrees = false;                // joints whose names give no unit are in degrees
  bool drop_bad_rows = false;          // count them instead of refusing the file
  bool reclock = false;  // the samples are evenly spaced, whatever their stamps say (reclock.h)
  // A step longer than this many median steps ends a run; 0: never; none: one that the motion does
  // not bridge (gaps.h).
  std::optional<double> gap;

  bool no_inputs() const { return u.size() == 1 && u[0] == "none"; }
};

// What a file holds does not say where the motion is, or not what the options name.
class UnclearLog : public InputError {
 public:
  using InputError::InputError;
};

}  // namespace mechfit
