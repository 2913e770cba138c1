#include "input_options.h"

#include <string>

#include "choice.h"
#include "mechfit/files/number.h"

namespace mechfit {
namespace {

const char* const kGroup = "How inputs act";
const char* const kAuto = "auto";

void add_hold(CLI::App& app, std::optional<InputHold>& hold, bool automatic,
              const std::string& help) {
  app.add_option_function<std::string>(
         "--input-hold",
         [&hold](const std::string& text) {
           hold.reset();
           if (text != kAuto) hold = value_of<InputHold>(text);
         },
         help)
      ->check(CLI::Validator(
          [automatic](std::string& text) {
            if ((automatic && text == kAuto) || value_of<InputHold>(text)) return std::string();
            return "'" + text + "', expected one of " + (automatic ? "auto, " : "") +
                   all_names<InputHold>();
          },
          ""))
      ->type_name((automatic ? "auto|" : "") + choices<InputHold>())
      ->group(kGroup);
}

void add_time(CLI::App& app, const char* flag, std::optional<double>& seconds, bool automatic,
              const std::string& help) {
  app.add_option_function<std::string>(
         flag,
         [&seconds](const std::string& text) {
           seconds.reset();
           double value = 0;
           if (text != kAuto && parse_number(text, value) == NumberStatus::ok) seconds = value;
         },
         help)
      ->check(CLI::Validator(
          [automatic](std::string& text) {
            double value = 0;
            const bool good = parse_number(text, value) == NumberStatus::ok && value >= 0 &&
                              value <= kLongestInputTime;
            if (good || (automatic && text == kAuto)) return std::string();
            return "expected seconds from 0 to " +
                   std::to_string(static_cast<int>(kLongestInputTime)) +
                   (automatic ? " or auto" : "") + ", not '" + text + "'";
          },
          ""))
      ->type_name(automatic ? "auto|T" : "T")
      ->group(kGroup);
}

}  // namespace

void add_input_options(CLI::App& app, std::optional<InputHold>& hold, std::optional<double>& delay,
                       std::optional<double>& lag) {
  add_hold(app, hold, true,
           "What inputs do between samples; held: u_k acts from t_k to t_k+1; linear: they change "
           "along lines (default: auto, what is more likely)");
  add_time(app, "--input-delay", delay, true,
           "Seconds from the logging of an input until it acts (default: auto, what is most "
           "likely)");
  add_time(app, "--input-lag", lag, true,
           "Seconds T of a first-order actuator, T x' = u - x, between the inputs and the machine "
           "(default: 0, none)");
}

void add_input_options(CLI::App& app, InputOverrule& overrule) {
  const std::string by_model = " (default: as in the model's own log)";
  add_hold(app, overrule.hold, false, "What inputs do between samples" + by_model);
  add_time(app, "--input-delay", overrule.delay, false,
           "Seconds from the logging of an input until it acts" + by_model);
  add_time(app, "--input-lag", overrule.lag, false,
           "Seconds of a first-order actuator between the inputs and the machine" + by_model);
}

InputTiming InputOverrule::of(InputTiming timing) const {
  if (hold) timing.hold = *hold;
  if (delay && *delay != timing.delay) timing.delay_error = 0;
  if (lag && *lag != timing.lag) timing.lag_error = 0;
  timing.delay = delay.value_or(timing.delay);
  timing.lag = lag.value_or(timing.lag);
  return timing;
}

}  // namespace mechfit
