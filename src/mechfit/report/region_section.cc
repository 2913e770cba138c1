#include <fmt/format.h>

#include "mechfit/report/sections.h"

namespace mechfit {
namespace {

// Held-out states of one joint around the box of its region.
nlohmann::json region_panel(const Node& own, std::size_t i, const Joint& joint, Figure& figure) {
  Table data{fmt::format("region-data-{}", i), "Held-out states of " + joint.name};
  auto cloud = panel(data, label(joint), label(joint, "velocity of ", "/s"));
  const auto add = [&](const char* key, const char* name, const char* color) {
    const Node states = own.at(key);
    states.only({"q", "v"});
    const auto q = states.at("q").numbers();
    auto v = states.at("v").numbers(q.size());
    if (q.empty()) return;
    const int x = data.add(std::string("position, ") + name, q);
    cloud["series"].push_back(series(data, x, name, std::move(v), {color, "points"}));
  };
  add("inside", "inside of the region", "c0");
  add("outside", "outside", "c1");
  const auto q = own.at("q").range(), v = own.at("v").range();
  cloud["boxes"] = {{{"x", {q.first, q.second}}, {"y", {v.first, v.second}}}};
  cloud["cloud"] = true;
  figure.tables.push_back(std::move(data));
  return cloud;
}

Table region_table(const Node& region, const std::vector<Node>& own, const Joints& joints) {
  std::vector<std::string> names, from, to;
  const auto add = [&](const std::string& name, const std::pair<double, double>& range) {
    names.push_back(name);
    from.push_back(fmt::format("{:.3g}", range.first));
    to.push_back(fmt::format("{:.3g}", range.second));
  };
  for (std::size_t i = 0; i < joints.size(); ++i) {
    own[i].only({"q", "v", "full_turn", "inside", "outside"});
    add(label(joints[i], "position of "), own[i].at("q").range());
    if (own[i].at("full_turn").flag()) from.back() = "full turn", to.back() = "";
    add(label(joints[i], "velocity of ", "/s"), own[i].at("v").range());
  }
  for (const Node& input : region.at("inputs").items()) {
    input.only({"name", "range"});
    add("input " + input.at("name").text(), input.at("range").range());
  }
  Table table{"region-table", "The region that the model was fitted to"};
  table.add("Quantity", names);
  table.add("From", from);
  table.add("To", to);
  return table;
}

}  // namespace

void add_region(const Node& document, const Joints& joints, Page& page) {
  const auto region = document.find("region");
  if (!region) return;
  region->only({"joints", "inputs", "outside"});
  const auto own = per_joint(region->at("joints"), joints);
  const double outside = region->at("outside").number();
  Section section{"region-section",
                  "Where it knows something",
                  outside > 0
                      ? fmt::format("{:.2g} % of the held-out samples lie outside of the states "
                                    "and inputs that the model was fitted to. It guesses there.",
                                    100 * outside)
                      : "All held-out samples lie inside of the states and inputs that the model "
                        "was fitted to. Elsewhere it guesses.",
                  {}};
  section.blocks.emplace_back(region_table(*region, own, joints));
  Figure figure{
      "region",
      "",
      "Held-out states, and the box that the states of the training runs fill. A state "
      "is outside when a joint or an input is farther from its box than a twentieth of its "
      "width.",
      plot(2, "xy"),
      {}};
  nlohmann::json panels = nlohmann::json::array();
  for (std::size_t i = 0; i < joints.size(); ++i)
    panels.push_back(region_panel(own[i], i, joints[i], figure));
  figure.drawing["views"].push_back({{"panels", std::move(panels)}});
  section.blocks.emplace_back(std::move(figure));
  page.sections.push_back(std::move(section));
}

}  // namespace mechfit
