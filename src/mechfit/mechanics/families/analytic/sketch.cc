#include <cmath>
#include <numbers>

#include "mechfit/mechanics/families/analytic/analytic.h"

// How the systems that move in a plane are drawn.
namespace mechfit {

std::optional<Sketch> AnalyticSystem::sketch() const {
  if (name() == "furuta") return {};
  if (name() == "cart") return Sketch{{}, {{0, "cart"}}, true, 0};
  if (name() == "ball") return Sketch{{}, {{0, "bob"}}, false, 0};
  if (name() == "cart-pole") return Sketch{{{0, 1, "rod"}}, {{0, "cart"}, {1, "bob"}}, true, 1};
  if (name() == "spring-pendulum")
    return Sketch{{{0, 1, "spring"}}, {{0, "pivot"}, {1, "bob"}}, false, 1};
  const bool masses =
      name() == "pendulum" || name() == "double-pendulum-points" || name() == "chain-points";
  Sketch sketch;
  sketch.bodies.push_back({0, "pivot"});
  for (int i = 0; i < joints(); ++i) {
    sketch.links.push_back({i, i + 1, "rod"});
    sketch.bodies.push_back({i + 1, masses ? "bob" : "joint"});
  }
  sketch.trail = joints();
  return sketch;
}

std::vector<PlanarPoint> AnalyticSystem::planar_points() const {
  if (name() == "furuta" || name() == "spring-pendulum") return {};
  if (name() == "ball") return {{{1, 0, 0, 1}, {}}};
  if (name() == "cart") return {{{1, 0}, {}}};
  const std::size_t n = joints();
  const bool cart_pole = name() == "cart-pole";
  const bool absolute = name() == "double-pendulum-points" || name() == "double-pendulum-links" ||
                        name() == "chain-points";
  // Negative g: angles are zero when upright.
  const bool upright = !cart_pole && name() != "pendulum" && constant("g") < 0;
  PlanarPoint point;
  if (cart_pole) point.slide = {1, 0, 0, 0};
  std::vector<PlanarPoint> points{point};
  for (std::size_t i = cart_pole ? 1 : 0; i < n; ++i) {
    const bool alone = cart_pole || name() == "pendulum";
    std::vector<double> angle(n, 0.0);
    for (std::size_t j = absolute || alone ? i : 0; j <= i; ++j) angle[j] = 1;
    point.rods.push_back({constant(alone ? "l" : "l" + std::to_string(i + 1)), angle,
                          upright ? std::numbers::pi : 0});
    points.push_back(point);
  }
  return points;
}

std::vector<double> AnalyticSystem::sketch_points(std::span<const double> q) const {
  if (name() == "spring-pendulum") return {0, 0, q[1] * std::sin(q[0]), -q[1] * std::cos(q[0])};
  std::vector<double> out;
  for (const PlanarPoint& point : planar_points())
    for (const double x : position_of(point, q)) out.push_back(x);
  return out;
}

}  // namespace mechfit
