#include <fmt/format.h>

#include <cmath>

#include "mechfit/report/pages.h"

namespace mechfit {
namespace {

int point_index(const Node& node, std::size_t points) {
  const int index = node.count();
  if (static_cast<std::size_t>(index) >= points)
    node.fail(fmt::format("point {}", index), fmt::format("a point below {}", points));
  return index;
}

}  // namespace

Figure animation_figure(const Node& animation) {
  animation.only({"t", "actors", "links", "bodies", "rail", "trail"});
  const auto t = animation.at("t").numbers();
  const auto actors = animation.at("actors").items();
  if (t.empty() || actors.empty()) animation.fail("nothing to move", "times and actors");
  Figure figure{
      "animation", "", "Play, or drag the slider. The pale shape is the measured motion.", {}, {}};
  figure.drawing = {{"kind", "animation"}, {"actors", nlohmann::json::array()}};

  std::size_t points = 0;
  for (std::size_t a = 0; a < actors.size(); ++a) {
    actors[a].only({"name", "points"});
    const std::string name = actors[a].at("name").text();
    const auto frames = actors[a].at("points").items();
    if (frames.size() != t.size())
      actors[a].at("points").fail(fmt::format("{} frames", frames.size()),
                                  fmt::format("{}", t.size()));
    if (a == 0) points = frames[0].numbers().size() / 2;
    if (points == 0) frames[0].fail("no points", "x0, y0, x1, y1, ...");
    std::vector<std::vector<double>> columns(2 * points);
    for (const Node& frame : frames) {
      const auto row = frame.numbers(2 * points);
      for (std::size_t k = 0; k < row.size(); ++k) columns[k].push_back(row[k]);
    }
    Table table{fmt::format("animation-data-{}", a), "Points of the mechanism: " + name};
    table.add("time [s]", t);
    for (std::size_t k = 0; k < columns.size(); ++k)
      table.add(fmt::format("{}{}", k % 2 == 0 ? "x" : "y", k / 2), std::move(columns[k]));
    figure.drawing["actors"].push_back({{"name", name}, {"table", table.id}});
    figure.tables.push_back(std::move(table));
  }

  figure.drawing["points"] = points;
  figure.drawing["links"] = nlohmann::json::array();
  for (const Node& link : animation.at("links").items()) {
    link.only({"from", "to", "kind"});
    figure.drawing["links"].push_back({{"from", point_index(link.at("from"), points)},
                                       {"to", point_index(link.at("to"), points)},
                                       {"kind", link.at("kind").word({"rod", "spring"})}});
  }
  figure.drawing["bodies"] = nlohmann::json::array();
  for (const Node& body : animation.at("bodies").items()) {
    body.only({"point", "kind"});
    figure.drawing["bodies"].push_back(
        {{"point", point_index(body.at("point"), points)},
         {"kind", body.at("kind").word({"pivot", "joint", "bob", "cart"})}});
  }
  if (const auto rail = animation.find("rail")) figure.drawing["rail"] = rail->number();
  if (const auto trail = animation.find("trail"))
    figure.drawing["trail"] = point_index(*trail, points);
  return figure;
}

}  // namespace mechfit
