#include "mechfit/log/input_timing.h"

#include <fmt/format.h>

namespace mechfit {
namespace {

std::string time_in_words(double seconds, double error) {
  return error > 0 ? fmt::format("{:.4g} +- {:.1g} s", seconds, error)
                   : fmt::format("{:.4g} s", seconds);
}

}  // namespace

std::string describe_timing(const InputTiming& timing) {
  std::string text = timing.hold == InputHold::held ? "held from sample to sample"
                                                    : "changing along lines from sample to sample";
  if (timing.delay > 0)
    text +=
        ", acting " + time_in_words(timing.delay, timing.delay_error) + " after they are logged";
  if (timing.lag > 0) text += ", behind a lag of " + time_in_words(timing.lag, timing.lag_error);
  return text;
}

}  // namespace mechfit
