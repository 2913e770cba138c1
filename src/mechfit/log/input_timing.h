#pragma once

#include <string>

#include "mechfit/base/names.h"

namespace mechfit {

// What an input does between two samples of the log.
enum class InputHold {
  held,    // u_k acts from t_k until t_{k+1}
  linear,  // the samples are points of a line
};
template <>
inline constexpr auto kNames<InputHold> = names<InputHold>({{InputHold::held, "held"},
                                                            {InputHold::linear, "linear"}});

// The longest delay or lag of an input [s]: more is a slip, such as milliseconds.
inline constexpr double kLongestInputTime = 100;

// How the inputs of a log act on the machine: with u(t) the held or linear signal through the
// samples, the machine sees x(t) = u(t - delay), or behind an actuator of first order the x with
//   lag x' = u(t - delay) - x
struct InputTiming {
  InputHold hold = InputHold::held;
  double delay = 0, lag = 0;              // [s]
  double delay_error = 0, lag_error = 0;  // standard errors where they were estimated [s]

  bool operator==(const InputTiming&) const = default;
  // Whether u_k acts from t_k to t_{k+1} as it stands in the log.
  bool as_logged() const { return hold == InputHold::held && delay == 0 && lag == 0; }
  // Time from the first sample of a run until what acts is known: before it the first values are
  // taken to have stood for ever, and a lag forgets all but a twentieth of that in three times
  // itself.
  double settling() const { return delay + 3 * lag; }
};

// "held from sample to sample, acting 0.0121 +- 0.0002 s after they are logged"
std::string describe_timing(const InputTiming& timing);

}  // namespace mechfit
