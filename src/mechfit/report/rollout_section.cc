#include <fmt/format.h>

#include <cmath>

#include "mechfit/base/constants.h"
#include "mechfit/report/sections.h"

namespace mechfit {
namespace {

// The predicted positions at the samples next to impacts, NaN elsewhere.
std::vector<double> at_impacts(const std::vector<double>& t, const std::vector<double>& predicted,
                               const std::vector<double>& impacts) {
  std::vector<double> out(t.size(), kNan);
  for (const double time : impacts) {
    std::size_t nearest = 0;
    for (std::size_t k = 0; k < t.size(); ++k)
      if (std::fabs(t[k] - time) < std::fabs(t[nearest] - time)) nearest = k;
    out[nearest] = predicted[nearest];
  }
  return out;
}

// What the joint may hit, and where the prediction does.
void add_stops(const Node& joint, const std::vector<double>& t, int x, Table& data,
               nlohmann::json& lines) {
  if (const auto stops = joint.find("stops"))
    for (const Node& stop : stops->items()) {
      stop.only({"name", "position"});
      const std::vector<double> y(t.size(), stop.at("position").number());
      lines["series"].push_back(series(data, x, stop.at("name").text(), y, {"c3", "dash"}));
    }
  if (const auto impacts = joint.find("impacts"))
    lines["series"].push_back(
        series(data, x, "impacts",
               at_impacts(t, joint.at("predicted").band(t.size()).y, impacts->numbers()),
               {"c1", "points"}));
}

// Panels of one run's motion, a joint each; their numbers go to `figure`.
nlohmann::json motion_panels(const Node& rollout, std::size_t r, const Joints& joints,
                             Figure& figure) {
  const std::string name = rollout.at("name").text();
  const auto t = rollout.at("t").numbers();
  const auto curves = per_joint(rollout.at("joints"), joints);
  nlohmann::json panels = nlohmann::json::array();
  for (std::size_t i = 0; i < joints.size(); ++i) {
    curves[i].only({"observed", "measured", "predicted", "stops", "impacts"});
    Table data{fmt::format("rollouts-data-{}-{}", r, i), name + ": " + label(joints[i])};
    const int x = data.add("time [s]", t);
    auto lines = panel(data, "time [s]", label(joints[i]));
    if (const auto observed = curves[i].find("observed"))
      lines["series"].push_back(
          series(data, x, "observed", observed->numbers(t.size()), {"faint", "points"}));
    lines["series"].push_back(
        series(data, x, "measured", curves[i].at("measured").numbers(t.size()), kMeasured));
    lines["series"].push_back(
        series(data, x, "predicted", curves[i].at("predicted").band(t.size()), kModel));
    add_stops(curves[i], t, x, data, lines);
    panels.push_back(std::move(lines));
    figure.tables.push_back(std::move(data));
  }
  return panels;
}

// Energy along one run, its numbers in `data`.
nlohmann::json energy_panel(const Node& lines, const std::vector<double>& t, Table& data) {
  const int x = data.add("time [s]", t);
  auto curve = panel(data, "time [s]", "energy");
  for (const Node& item : lines.items()) {
    item.only({"name", "y"});
    const std::size_t number = curve["series"].size();
    const Look look = number == 0 ? kMeasured : Look{fmt::format("c{}", number - 1)};
    curve["series"].push_back(
        series(data, x, item.at("name").text(), item.at("y").numbers(t.size()), look));
  }
  return curve;
}

}  // namespace

void add_rollouts(const Node& document, const Joints& joints, Page& page) {
  const auto rollouts = document.find("rollouts");
  if (!rollouts) return;
  Figure figure{"rollouts",
                "",
                "Measured motion and the model's prediction from the start of the window on",
                plot(1, "x"),
                {}};
  const auto items = rollouts->items();
  for (std::size_t r = 0; r < items.size(); ++r) {
    items[r].only({"name", "t", "joints", "energy"});
    figure.drawing["views"].push_back({{"name", items[r].at("name").text()},
                                       {"panels", motion_panels(items[r], r, joints, figure)}});
  }
  if (items.empty()) return;
  figure.caption += bands_in_words(figure.drawing, "the true positions") + ".";
  if (items.size() > 1) figure.caption += " Choose another run above the figure.";
  page.sections.push_back({"rollouts-section",
                           "Rollouts",
                           "The model alone, started on held-out runs and left to itself.",
                           {}});
  page.sections.back().blocks.emplace_back(std::move(figure));
}

void add_energy(const Node& document, Page& page) {
  const auto rollouts = document.find("rollouts");
  if (!rollouts) return;
  Figure figure{"energy",
                "",
                "Energy of the learned model along the motion. A machine without friction or "
                "inputs keeps it.",
                plot(1, "x"),
                {}};
  const auto items = rollouts->items();
  for (std::size_t r = 0; r < items.size(); ++r) {
    const auto lines = items[r].find("energy");
    if (!lines) continue;
    const std::string name = items[r].at("name").text();
    Table data{fmt::format("energy-data-{}", r), name + ": energy"};
    const auto curve = energy_panel(*lines, items[r].at("t").numbers(), data);
    figure.drawing["views"].push_back({{"name", name}, {"panels", {curve}}});
    figure.tables.push_back(std::move(data));
  }
  if (figure.tables.empty()) return;
  page.sections.push_back({"energy-section",
                           "Energy",
                           "Does the prediction gain or lose energy that the machine does not?",
                           {}});
  page.sections.back().blocks.emplace_back(std::move(figure));
}

}  // namespace mechfit
