#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mechfit/base/constants.h"
#include "mechfit/report/sections.h"

namespace mechfit {
namespace {

// One joint of one run with its stops; nothing where it has none.
void add_panel(const Node& run, const Node& own, std::size_t r, std::size_t joint,
               const Joints& joints, nlohmann::json& panels, Figure& figure) {
  const auto t = run.at("t").numbers();
  Table data{fmt::format("contacts-data-{}-{}", r, joint),
             run.at("name").text() + ": " + label(joints[joint])};
  const int x = data.add("time [s]", t);
  auto lines = panel(data, "time [s]", label(joints[joint]));
  lines["series"].push_back(
      series(data, x, "observed", own.at("observed").numbers(t.size()), {"faint", "points"}));
  bool any = false;
  for (const Node& contact : run.at("contacts").items()) {
    contact.only({"name", "joint", "position", "impacts"});
    if (static_cast<std::size_t>(contact.at("joint").count()) != joint) continue;
    any = true;
    const std::string name = contact.at("name").text();
    const double position = contact.at("position").number();
    lines["series"].push_back(
        series(data, x, name, std::vector<double>(t.size(), position), {"c3", "dash"}));
    std::vector<double> hits(t.size(), kNan);
    for (const double time : contact.at("impacts").numbers()) {
      const auto next = std::lower_bound(t.begin(), t.end(), time);
      if (next != t.end()) hits[next - t.begin()] = position;
    }
    lines["series"].push_back(series(data, x, "impacts on it, " + name, hits, {"c1", "points"}));
  }
  if (!any) return;
  panels.push_back(std::move(lines));
  figure.tables.push_back(std::move(data));
}

}  // namespace

void add_contacts(const Node& document, const Joints& joints, Page& page) {
  const auto runs = document.find("contacts");
  if (!runs) return;
  Figure figure{"contacts",
                "",
                "Observed positions, the stops that were found, and the impacts on them.",
                plot(1, "x"),
                {}};
  const auto items = runs->items();
  for (std::size_t r = 0; r < items.size(); ++r) {
    items[r].only({"name", "t", "joints", "contacts"});
    const auto own = per_joint(items[r].at("joints"), joints);
    nlohmann::json panels = nlohmann::json::array();
    for (std::size_t i = 0; i < joints.size(); ++i) {
      own[i].only({"observed"});
      add_panel(items[r], own[i], r, i, joints, panels, figure);
    }
    if (!panels.empty())
      figure.drawing["views"].push_back({{"name", items[r].at("name").text()}, {"panels", panels}});
  }
  if (figure.tables.empty()) return;
  if (items.size() > 1) figure.caption += " Choose another run above the figure.";
  page.sections.push_back({"contacts-section",
                           "Contacts",
                           "What the machine hits. The model holds between impacts.",
                           {}});
  page.sections.back().blocks.emplace_back(std::move(figure));
}

}  // namespace mechfit
