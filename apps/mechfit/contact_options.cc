#include "contact_options.h"

#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>

#include "commands.h"
#include "mechfit/files/number.h"
#include "numbers.h"

namespace mechfit {
namespace {

double to_position(const std::string& text, const std::string& whole) {
  double value = 0;
  if (parse_number(text, value) != NumberStatus::ok)
    throw UsageError("--stops: " + in_quotes(whole) + ": " + in_quotes(text) +
                     " is not a number, expected JOINT=LOW:HIGH");
  return value;
}

void add_stops(const std::string& text, const ContactFlags& flags, const Channels& channels,
               Contacts& contacts) {
  const auto equal = text.find('='), colon = text.find(':');
  if (equal == std::string::npos || colon == std::string::npos || colon < equal)
    throw UsageError("--stops: " + in_quotes(text) + ", expected JOINT=LOW:HIGH");
  const std::string name = text.substr(0, equal);
  const auto found = std::find(channels.joints.begin(), channels.joints.end(), name);
  if (found == channels.joints.end()) {
    std::string valid;
    for (const auto& joint : channels.joints) valid += (valid.empty() ? "" : ", ") + joint;
    throw UsageError("--stops: joint " + in_quotes(name) + ", expected one of " + valid);
  }
  const int joint = static_cast<int>(found - channels.joints.begin());
  const std::string low = text.substr(equal + 1, colon - equal - 1), high = text.substr(colon + 1);
  if (low.empty() && high.empty())
    throw UsageError("--stops: " + in_quotes(text) + " has neither LOW nor HIGH");
  for (const bool upper : {false, true}) {
    const std::string& end = upper ? high : low;
    if (!end.empty())
      contacts.push_back(
          joint_stop(channels, joint, upper, to_position(end, text), flags.restitution));
  }
  if (!low.empty() && !high.empty() &&
      contacts[contacts.size() - 2].position > contacts.back().position)
    throw UsageError("--stops: " + in_quotes(text) + " is empty, expected LOW below HIGH");
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
  command.add_option("--floor", flags.floor, "Height of a floor under the moving points")
      ->check(number_between(-1e9, 1e9))
      ->type_name("Y")
      ->group(group);
  command
      .add_option("--restitution", flags.restitution,
                  "Share of the speed that is left after an impact")
      ->check(number_between(0, 1))
      ->capture_default_str()
      ->type_name("E")
      ->group(group);
  command.add_option("--friction", flags.friction, "Coulomb friction on the floor")
      ->check(number_between(0, 1e9))
      ->capture_default_str()
      ->type_name("MU")
      ->group(group);
}

Contacts make_contacts(const ContactFlags& flags, const AnalyticSystem& system) {
  Contacts contacts;
  const Channels channels = system_channels(system);
  for (const auto& text : flags.stops) add_stops(text, flags, channels, contacts);
  if (!flags.floor) return contacts;
  const std::vector<PlanarPoint> points = system.planar_points();
  for (std::size_t k = 0; k < points.size(); ++k)
    if (!points[k].rods.empty() || points[k].slide.size() > 2)
      contacts.push_back(
          half_plane(points.size() > 1 ? "floor under point " + std::to_string(k) : "floor",
                     points[k], 0, 1, *flags.floor, flags.restitution, flags.friction));
  if (contacts.empty())
    throw UsageError("--floor: " + system.name() + " has no points that move in a plane");
  return contacts;
}

}  // namespace mechfit
