#include "mechfit/fit/contact/propose_planes.h"

#include <algorithm>

namespace mechfit {
namespace {

// Impacts that a contact must have of its own.
constexpr int kFewest = 3;
// Until both sides of impacts tell it.
constexpr double kFirstRestitution = 0.5;

// Where the points are, as a log of its own: x and y of each.
Log coordinates(const Log& log, const std::vector<PlanarPoint>& points) {
  Log out;
  for (std::size_t p = 0; p < points.size(); ++p)
    for (const char* axis : {"x", "y"}) {
      out.channels.joints.push_back(axis + std::to_string(p));
      out.channels.joint_types.push_back(JointType::plain);
      out.channels.units.push_back("m");
    }
  const std::size_t n = log.n();
  for (const Trajectory& run : log.runs) {
    Trajectory moved;
    moved.name = run.name;
    moved.t = run.t;
    for (int k = 0; k < run.size(); ++k)
      for (const PlanarPoint& point : points) {
        const auto [x, y] = position_of(point, std::span(run.q).subspan(k * n, n));
        moved.q.push_back(x);
        moved.q.push_back(y);
      }
    out.runs.push_back(std::move(moved));
  }
  return out;
}

bool slides_only(const PlanarPoint& point) { return point.rods.empty(); }

// One side of the room of point p: along y (`up`) or x, the lower or the upper end of it.
Contact side_of(const std::vector<PlanarPoint>& points, std::size_t p, bool up, bool upper,
                double place, double restitution) {
  const double sign = upper ? -1 : 1;
  const std::string side =
      up ? (upper ? "ceiling" : "floor") : (upper ? "right wall" : "left wall");
  const std::string of = points.size() > 1 ? " of point " + std::to_string(p + 1) : "";
  return half_plane(side + of, points[p], up ? 0 : sign, up ? sign : 0, sign * place, restitution,
                    0);
}

bool overlap(const Impact& a, const Impact& b) {
  return a.run == b.run && a.before < b.after && b.before < a.after;
}

}  // namespace

void add_proposal(const Proposal& other, Proposal& all) {
  const std::vector<Impact> claimed = all.impacts;
  for (int c = 0; c < static_cast<int>(other.contacts.size()); ++c) {
    std::vector<Impact> own;
    for (Impact impact : other.impacts)
      if (impact.contact == c && std::none_of(claimed.begin(), claimed.end(), [&](const Impact& x) {
            return overlap(impact, x);
          })) {
        impact.contact = static_cast<int>(all.contacts.size());
        own.push_back(impact);
      }
    if (static_cast<int>(own.size()) < kFewest) continue;
    all.contacts.push_back(other.contacts[c]);
    all.impacts.insert(all.impacts.end(), own.begin(), own.end());
  }
  put_in_order(all.impacts);
}

std::vector<PlanarPoint> moving_points(const std::vector<PlanarPoint>& known,
                                       const Channels& channels) {
  std::vector<PlanarPoint> out;
  for (const PlanarPoint& point : known)
    if (!point.rods.empty() || point.slide.size() > 2) out.push_back(point);
  const auto slides = [&](std::size_t j) {
    return channels.joint_types[j] == JointType::plain && channels.units[j] != "rad" &&
           channels.units[j] != "deg";
  };
  if (out.empty() && channels.n() == 2 && slides(0) && slides(1)) out.push_back({{1, 0, 0, 1}, {}});
  return out;
}

Contacts planes_of(const std::vector<PlanarPoint>& points) {
  Contacts out;
  for (std::size_t p = 0; p < points.size(); ++p)
    for (const bool up : {true, false})
      for (const bool upper : {false, true})
        out.push_back(side_of(points, p, up, upper, 0, kFirstRestitution));
  return out;
}

Proposal propose_planes(const Log& log, const std::vector<PlanarPoint>& points, ThreadPool& pool) {
  if (points.empty()) return {};
  Proposal out = propose_stops(coordinates(log, points), pool);
  for (Contact& contact : out.contacts)
    contact =
        side_of(points, contact.joint / 2, contact.joint % 2 == 1,
                contact.shape == ContactShape::upper_stop, contact.position, contact.restitution);
  for (const PlanarPoint& point : points)
    if (!slides_only(point)) out.hanging.push_back(point);
  return out;
}

Proposal propose_both(const Log& log, const std::vector<PlanarPoint>& points, ThreadPool& pool) {
  std::vector<PlanarPoint> sliding, hanging;
  for (const PlanarPoint& point : points) (slides_only(point) ? sliding : hanging).push_back(point);
  Proposal all = propose_planes(log, sliding, pool);
  add_proposal(propose_stops(log, pool), all);
  return all.contacts.empty() ? propose_planes(log, hanging, pool) : all;
}

}  // namespace mechfit
