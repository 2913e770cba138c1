#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mechfit/base/constants.h"
#include "mechfit/report/fit_scores.h"
#include "mechfit/report/pages.h"
#include "mechfit/report/sections.h"

namespace mechfit {
namespace {

Section learning_section(const Node& learning) {
  learning.only({"epoch", "series", "selected"});
  const auto epoch = learning.at("epoch").numbers();
  Table data{"learning-data", "Loss by epoch"};
  const int x = data.add("epoch", epoch);
  // A panel each: losses and scores have units of their own.
  nlohmann::json panels = nlohmann::json::array();
  for (const Node& item : learning.at("series").items()) {
    item.only({"name", "y"});
    auto y = item.at("y").numbers(epoch.size());
    const std::string name = item.at("name").text();
    auto curve = panel(data, "epoch", name);
    double least = kInfinity, most = -least;
    bool gaps = false;
    for (double value : y) {
      gaps = gaps || std::isnan(value);
      least = std::fmin(least, value);
      most = std::fmax(most, value);
    }
    curve["ylog"] = least > 0 && most > 3 * least;
    const Look look{fmt::format("c{}", panels.size() % 8), gaps ? "points" : "line"};
    curve["series"].push_back(series(data, x, name, std::move(y), look));
    if (const auto selected = learning.find("selected"))
      curve["marks"] = {{{"x", selected->number()}, {"text", "selected"}}};
    panels.push_back(std::move(curve));
  }
  auto drawing = plot(static_cast<int>(std::min<std::size_t>(panels.size(), 2)), "x");
  drawing["views"].push_back({{"panels", std::move(panels)}});
  Section section{
      "learning", "Learning", "The model is the one that did best on validation runs.", {}};
  section.blocks.emplace_back(Figure{"learning-curves",
                                     "",
                                     "Loss on training runs and score on validation runs.",
                                     std::move(drawing),
                                     {std::move(data)}});
  return section;
}

Section landscape_section(const Node& landscape, const std::vector<Joint>& joints, bool physical) {
  const auto items = per_joint(landscape, joints);
  Figure figure{
      "landscape",
      "",
      "Left: eigenvalues of M(q). Right: V(q). One joint moves, the others stay where the "
      "data have their middle.",
      plot(2, "x"),
      {}};
  nlohmann::json panels = nlohmann::json::array();
  for (std::size_t i = 0; i < joints.size(); ++i) {
    items[i].only({"q", "eigenvalues", "V", "true_eigenvalues", "true_V"});
    const auto q = items[i].at("q").numbers();
    Table data{fmt::format("landscape-data-{}", i), "Along " + label(joints[i])};
    const int x = data.add(label(joints[i]), q);
    auto mass = panel(data, label(joints[i]), "eigenvalues of M");
    auto potential = panel(data, label(joints[i]), "V");
    const auto add = [&](nlohmann::json& to, const Node& values, const char* name, const char* what,
                         const Look& look) {
      auto curve = series(data, x, std::string(name) + what, values.band(q.size()), look);
      curve["name"] = name;
      to["series"].push_back(std::move(curve));
    };
    if (const auto known = items[i].find("true_eigenvalues"))
      for (const Node& values : known->items()) add(mass, values, "true", " eigenvalue", kMeasured);
    for (const Node& values : items[i].at("eigenvalues").items())
      add(mass, values, "learned", " eigenvalue", kModel);
    if (const auto known = items[i].find("true_V")) add(potential, *known, "true", " V", kMeasured);
    add(potential, items[i].at("V"), "learned", " V", kModel);
    mass["zero"] = true;
    mass["group"] = potential["group"] = i;
    panels.push_back(std::move(mass));
    panels.push_back(std::move(potential));
    figure.tables.push_back(std::move(data));
  }
  figure.drawing["views"].push_back({{"panels", std::move(panels)}});
  Section section{"landscape-section",
                  "What was learned",
                  physical
                      ? "Mass matrix and potential in physical units; the inputs fix their scale."
                      : "Mass matrix and potential. Without inputs of known size their common "
                        "scale is free: only their shape carries meaning.",
                  {}};
  section.blocks.emplace_back(std::move(figure));
  return section;
}

}  // namespace

Page fit_page(const Node& document) {
  document.only({"kind", "title", "subtitle", "settings", "joints", "verdict", "warnings", "scores",
                 "coverage", "learning", "accelerations", "errors", "rollouts", "region",
                 "landscape", "scale", "animation", "contacts"});
  const auto joints = read_joints(document);
  Page page;
  page.kind = "Fit";
  add_verdict(document, joints, page);
  add_scores(document, joints, page);
  if (const auto animation = document.find("animation")) {
    page.sections.push_back(
        {"animation-section",
         "Motion",
         "The mechanism as it moved and as the model has it move from the same start.",
         {}});
    page.sections.back().blocks.emplace_back(animation_figure(*animation));
  }
  add_contacts(document, joints, page);
  add_rollouts(document, joints, page);
  add_accelerations(document, joints, page);
  add_errors(document, joints, page);
  add_calibration(document, page);
  add_region(document, joints, page);
  if (const auto landscape = document.find("landscape")) {
    const auto scale = document.find("scale");
    const bool physical = scale && scale->word({"physical", "free"}) == "physical";
    page.sections.push_back(landscape_section(*landscape, joints, physical));
  }
  add_energy(document, page);
  if (const auto learning = document.find("learning"))
    page.sections.push_back(learning_section(*learning));
  return page;
}

}  // namespace mechfit
