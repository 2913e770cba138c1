#include <algorithm>

#include "mechfit/base/error.h"
#include "mechfit/base/text.h"
#include "mechfit/files/number.h"
#include "mechfit/integrate/simulate.h"

namespace mechfit {
namespace {

constexpr double kRestitution = 0.5;

void add_stops(const JointStops& stops, double restitution, const Channels& channels,
               Contacts& contacts) {
  const auto found = std::find(channels.joints.begin(), channels.joints.end(), stops.joint);
  if (found == channels.joints.end()) {
    throw InputError("option 'stops': joint " + in_quotes(stops.joint) + ", expected one of " +
                     listed(channels.joints));
  }
  const int joint = static_cast<int>(found - channels.joints.begin());
  if (!stops.low && !stops.high)
    throw InputError("option 'stops': joint " + in_quotes(stops.joint) +
                     " has neither a lower nor an upper one");
  if (stops.low && stops.high && *stops.low >= *stops.high)
    throw InputError("option 'stops': joint " + in_quotes(stops.joint) +
                     " has no room, expected the lower one below the upper one");
  if (stops.low) contacts.push_back(joint_stop(channels, joint, false, *stops.low, restitution));
  if (stops.high) contacts.push_back(joint_stop(channels, joint, true, *stops.high, restitution));
}

}  // namespace

Contacts system_contacts(const AnalyticSystem& system, const ContactSettings& settings) {
  if (settings.restitution && settings.stops.empty() && !settings.floor)
    throw InputError("option 'restitution' needs option 'stops' or option 'floor'");
  if (settings.friction && !settings.floor)
    throw InputError("option 'friction' needs option 'floor'");
  const double restitution = settings.restitution.value_or(kRestitution);
  Contacts contacts;
  const Channels channels = system_channels(system);
  for (const JointStops& stops : settings.stops) add_stops(stops, restitution, channels, contacts);
  if (!settings.floor) return contacts;
  const std::size_t before = contacts.size();
  const std::vector<PlanarPoint> points = system.planar_points();
  for (std::size_t k = 0; k < points.size(); ++k)
    if (!points[k].rods.empty() || points[k].slide.size() > 2)
      contacts.push_back(
          half_plane(points.size() > 1 ? "floor under point " + std::to_string(k) : "floor",
                     points[k], 0, 1, *settings.floor, restitution, settings.friction.value_or(0)));
  if (contacts.size() == before)
    throw InputError("option 'floor': " + system.name() + " has no points that move in a plane");
  return contacts;
}

}  // namespace mechfit
