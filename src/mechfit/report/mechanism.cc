#include "mechfit/report/mechanism.h"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "mechfit/base/error.h"

namespace mechfit {
namespace {

using Json = nlohmann::json;

// Angles are zero when hanging, so a rod of length l at angle phi leads from (x, y) to
//   (x + l sin phi, y - l cos phi)
void add_rod(std::vector<double>& points, double l, double phi) {
  const double x = points[points.size() - 2], y = points[points.size() - 1];
  points.push_back(x + l * std::sin(phi));
  points.push_back(y - l * std::cos(phi));
}

Json link(std::size_t from, const char* kind = "rod") {
  return {{"from", from}, {"to", from + 1}, {"kind", kind}};
}

Json body(std::size_t point, const char* kind) { return {{"point", point}, {"kind", kind}}; }

// What stays the same over time: links and bodies.
Json shape(const AnalyticSystem& system) {
  const std::string& name = system.name();
  const std::size_t n = static_cast<std::size_t>(system.joints());
  Json result = {{"links", Json::array()}, {"bodies", Json::array()}};
  if (name == "cart-pole") {
    result["links"] = {link(0)};
    result["bodies"] = {body(0, "cart"), body(1, "bob")};
    result["rail"] = 0.0;
    result["trail"] = 1;
    return result;
  }
  if (name == "spring-pendulum") {
    result["links"] = {link(0, "spring")};
    result["bodies"] = {body(0, "pivot"), body(1, "bob")};
    result["trail"] = 1;
    return result;
  }
  const bool masses = name == "pendulum" || name == "double-pendulum-points";
  result["bodies"].push_back(body(0, "pivot"));
  for (std::size_t i = 0; i < n; ++i) {
    result["links"].push_back(link(i));
    result["bodies"].push_back(body(i + 1, masses ? "bob" : "joint"));
  }
  result["trail"] = n;
  return result;
}

// The points at one time: x0, y0, x1, y1, ...
std::vector<double> points_at(const AnalyticSystem& system, const double* q) {
  const std::string& name = system.name();
  std::vector<double> points{name == "cart-pole" ? q[0] : 0.0, 0.0};
  if (name == "cart-pole") {
    add_rod(points, system.constant("l"), q[1]);
  } else if (name == "spring-pendulum") {
    add_rod(points, q[1], q[0]);
  } else if (name == "pendulum") {
    add_rod(points, system.constant("l"), q[0]);
  } else {
    const bool absolute = name == "double-pendulum-points" || name == "double-pendulum-links";
    // Negative g: angles are zero when upright.
    const double hanging = system.constant("g") < 0 ? std::numbers::pi : 0;
    double phi = 0;
    for (int i = 0; i < system.joints(); ++i) {
      phi = absolute ? q[i] : phi + q[i];
      add_rod(points, system.constant(fmt::format("l{}", i + 1)), phi + hanging);
    }
  }
  return points;
}

}  // namespace

std::optional<Json> animate(const AnalyticSystem& system, std::span<const double> t,
                            const std::vector<Motion>& motions) {
  if (system.name() == "furuta") return {};
  Json animation = shape(system);
  animation["t"] = std::vector<double>(t.begin(), t.end());
  animation["actors"] = Json::array();
  const std::size_t n = static_cast<std::size_t>(system.joints());
  for (const Motion& motion : motions) {
    MECHFIT_CHECK(motion.q.size() == t.size() * n);
    Json frames = Json::array();
    for (std::size_t k = 0; k < t.size(); ++k)
      frames.push_back(points_at(system, motion.q.data() + k * n));
    animation["actors"].push_back({{"name", motion.name}, {"points", std::move(frames)}});
  }
  return animation;
}

}  // namespace mechfit
