#include <cmath>
#include <numbers>

#include "mechfit/mechanics/families/analytic/analytic.h"

// How the systems that move in a plane are drawn.
namespace mechfit {
namespace {

// Angles are zero when hanging, so a rod of length l at angle phi leads from (x, y) to
//   (x + l sin phi, y - l cos phi)
void add_rod(std::vector<double>& points, double l, double phi) {
  const double x = points[points.size() - 2], y = points[points.size() - 1];
  points.push_back(x + l * std::sin(phi));
  points.push_back(y - l * std::cos(phi));
}

}  // namespace

std::optional<Sketch> AnalyticSystem::sketch() const {
  if (name() == "furuta") return {};
  if (name() == "cart-pole") return Sketch{{{0, 1, "rod"}}, {{0, "cart"}, {1, "bob"}}, true, 1};
  if (name() == "spring-pendulum")
    return Sketch{{{0, 1, "spring"}}, {{0, "pivot"}, {1, "bob"}}, false, 1};
  const bool masses = name() == "pendulum" || name() == "double-pendulum-points";
  Sketch sketch;
  sketch.bodies.push_back({0, "pivot"});
  for (int i = 0; i < joints(); ++i) {
    sketch.links.push_back({i, i + 1, "rod"});
    sketch.bodies.push_back({i + 1, masses ? "bob" : "joint"});
  }
  sketch.trail = joints();
  return sketch;
}

std::vector<double> AnalyticSystem::sketch_points(std::span<const double> q) const {
  std::vector<double> points{name() == "cart-pole" ? q[0] : 0.0, 0.0};
  if (name() == "cart-pole") {
    add_rod(points, constant("l"), q[1]);
  } else if (name() == "spring-pendulum") {
    add_rod(points, q[1], q[0]);
  } else if (name() == "pendulum") {
    add_rod(points, constant("l"), q[0]);
  } else {
    const bool absolute = name() == "double-pendulum-points" || name() == "double-pendulum-links";
    // Negative g: angles are zero when upright.
    const double hanging = constant("g") < 0 ? std::numbers::pi : 0;
    double phi = 0;
    for (int i = 0; i < joints(); ++i) {
      phi = absolute ? q[i] : phi + q[i];
      add_rod(points, constant("l" + std::to_string(i + 1)), phi + hanging);
    }
  }
  return points;
}

}  // namespace mechfit
