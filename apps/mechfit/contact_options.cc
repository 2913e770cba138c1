#include "contact_options.h"

#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "commands.h"
#include "mechfit/base/text.h"
#include "mechfit/files/number.h"
#include "numbers.h"

namespace mechfit {
namespace {

std::optional<double> to_position(const std::string& text, const std::string& whole) {
  if (text.empty()) return std::nullopt;
  double value = 0;
  if (parse_number(text, value) != NumberStatus::ok)
    throw UsageError("--stops: " + in_quotes(whole) + ": " + in_quotes(text) +
                     " is not a number, expected JOINT=LOW:HIGH");
  return value;
}

JointStops to_stops(const std::string& text) {
  const auto equal = text.find('='), colon = text.find(':');
  if (equal == std::string::npos || colon == std::string::npos || colon < equal)
    throw UsageError("--stops: " + in_quotes(text) + ", expected JOINT=LOW:HIGH");
  return {text.substr(0, equal), to_position(text.substr(equal + 1, colon - equal - 1), text),
          to_position(text.substr(colon + 1), text)};
}

}  // namespace

void add_contact_options(CLI::App& command, ContactFlags& flags) {
  const std::string group = "Contacts";
  command
      .add_option("--stops", flags.stops,
                  "Stops of joints; one end may be left out: q1=:0.5 has no lower one")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("JOINT=LOW:HIGH,...")
      ->group(group);
  command.add_option("--floor", flags.settings.floor, "Height of a floor under the moving points")
      ->check(number_between(-1e9, 1e9))
      ->type_name("Y")
      ->group(group);
  command
      .add_option("--restitution", flags.settings.restitution,
                  "With --stops or --floor: share of the speed that is left after an impact "
                  "(default: 0.5)")
      ->check(number_between(0, 1))
      ->type_name("E")
      ->group(group);
  command
      .add_option("--friction", flags.settings.friction,
                  "With --floor: Coulomb friction on it (default: 0)")
      ->check(number_between(0, 1e9))
      ->type_name("MU")
      ->group(group);
}

Contacts make_contacts(const ContactFlags& flags, const AnalyticSystem& system) {
  ContactSettings settings = flags.settings;
  for (const auto& text : flags.stops) settings.stops.push_back(to_stops(text));
  return system_contacts(system, settings);
}

}  // namespace mechfit
