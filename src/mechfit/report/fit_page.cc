#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mechfit/base/constants.h"
#include "mechfit/report/drawing.h"
#include "mechfit/report/fit_scores.h"
#include "mechfit/report/pages.h"

namespace mechfit {
namespace {

const Look kMeasured{"ink"}, kModel{"c0"};

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

Section acceleration_section(const Node& accelerations, const std::vector<Joint>& joints) {
  const auto items = accelerations.items();
  if (items.size() != joints.size())
    accelerations.fail(fmt::format("{} entries", items.size()), "one per joint");
  Figure figure{"accelerations",
                "",
                "Each point is a held-out sample; a perfect model puts all of them on the line.",
                plot(static_cast<int>(std::min<std::size_t>(joints.size(), 3)), "xy"),
                {}};
  nlohmann::json panels = nlohmann::json::array();
  for (std::size_t i = 0; i < joints.size(); ++i) {
    items[i].only({"measured", "predicted"});
    const auto measured = items[i].at("measured").numbers();
    Table data{fmt::format("accelerations-data-{}", i),
               "Acceleration of " + label(joints[i], "", "/s²")};
    const int x = data.add("measured", measured);
    auto cloud = panel(data, "measured", label(joints[i], "", "/s²") + ", predicted");
    cloud["identity"] = true;
    cloud["series"].push_back(series(data, x, "predicted",
                                     items[i].at("predicted").numbers(measured.size()),
                                     {fmt::format("c{}", i % 8), "points"}));
    panels.push_back(std::move(cloud));
    figure.tables.push_back(std::move(data));
  }
  figure.drawing["legend"] = false;
  figure.drawing["views"].push_back({{"panels", std::move(panels)}});
  Section section{"accelerations-section",
                  "Accelerations",
                  "Predicted against measured acceleration, joint by joint.",
                  {}};
  section.blocks.emplace_back(std::move(figure));
  return section;
}

// Panels of one run's motion, a joint each; their numbers go to `figure`.
nlohmann::json motion_panels(const Node& rollout, std::size_t r, const std::vector<Joint>& joints,
                             Figure& figure) {
  const std::string name = rollout.at("name").text();
  const auto t = rollout.at("t").numbers();
  const auto curves = rollout.at("joints").items();
  if (curves.size() != joints.size())
    rollout.at("joints").fail(fmt::format("{} entries", curves.size()), "one per joint");
  nlohmann::json panels = nlohmann::json::array();
  for (std::size_t i = 0; i < joints.size(); ++i) {
    curves[i].only({"observed", "measured", "predicted"});
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

void add_rollouts(const Node& rollouts, const std::vector<Joint>& joints, Page& page) {
  Figure motion{
      "rollouts",
      "",
      "Measured motion and the model's prediction from the start of the window on. Choose "
      "another run above the figure.",
      plot(1, "x"),
      {}};
  Figure energy{
      "energy",
      "",
      "Energy of the learned model along the motion. A machine without friction or inputs "
      "keeps it.",
      plot(1, "x"),
      {}};
  const auto items = rollouts.items();
  for (std::size_t r = 0; r < items.size(); ++r) {
    const Node& rollout = items[r];
    rollout.only({"name", "t", "joints", "energy"});
    const std::string name = rollout.at("name").text();
    const auto t = rollout.at("t").numbers();
    motion.drawing["views"].push_back(
        {{"name", name}, {"panels", motion_panels(rollout, r, joints, motion)}});
    if (const auto lines = rollout.find("energy")) {
      Table data{fmt::format("energy-data-{}", r), name + ": energy"};
      const auto curve = energy_panel(*lines, t, data);
      energy.drawing["views"].push_back({{"name", name}, {"panels", {curve}}});
      energy.tables.push_back(std::move(data));
    }
  }
  if (items.empty()) return;
  page.sections.push_back({"rollouts-section",
                           "Rollouts",
                           "The model alone, started on held-out runs and left to itself.",
                           {}});
  page.sections.back().blocks.emplace_back(std::move(motion));
  if (energy.tables.empty()) return;
  page.sections.push_back({"energy-section",
                           "Energy",
                           "Does the prediction gain or lose energy that the machine does not?",
                           {}});
  page.sections.back().blocks.emplace_back(std::move(energy));
}

Section landscape_section(const Node& landscape, const std::vector<Joint>& joints, bool physical) {
  const auto items = landscape.items();
  if (items.size() != joints.size())
    landscape.fail(fmt::format("{} entries", items.size()), "one per joint");
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
  document.only({"kind", "title", "subtitle", "settings", "joints", "scores", "coverage",
                 "learning", "accelerations", "rollouts", "landscape", "scale", "animation"});
  const auto joints = read_joints(document);
  Page page;
  page.kind = "Fit";
  add_scores(document, joints, page);
  if (const auto animation = document.find("animation")) {
    page.sections.push_back(
        {"animation-section",
         "Motion",
         "The mechanism as it moved and as the model has it move from the same start.",
         {}});
    page.sections.back().blocks.emplace_back(animation_figure(*animation));
  }
  if (const auto rollouts = document.find("rollouts")) add_rollouts(*rollouts, joints, page);
  if (const auto accelerations = document.find("accelerations"))
    page.sections.push_back(acceleration_section(*accelerations, joints));
  if (const auto landscape = document.find("landscape")) {
    const auto scale = document.find("scale");
    if (scale && scale->text() != "physical" && scale->text() != "free")
      scale->fail('"' + scale->text() + '"', "\"physical\" or \"free\"");
    page.sections.push_back(
        landscape_section(*landscape, joints, scale && scale->text() == "physical"));
  }
  if (const auto learning = document.find("learning"))
    page.sections.push_back(learning_section(*learning));
  return page;
}

}  // namespace mechfit
