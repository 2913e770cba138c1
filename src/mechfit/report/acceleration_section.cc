#include <fmt/format.h>

#include "mechfit/report/sections.h"

namespace mechfit {
namespace {

// What "measured" accelerations are.
std::string origin(const Node& member) {
  const std::string source = member.at("source").word({"observations", "logged", "smoothed"});
  if (source == "logged") return "Measured ones are those of the log.";
  if (source == "smoothed")
    return "Measured ones come from a smoother, which misses fast motion: they may err more than "
           "the model.";
  return "Measured ones belong to the motion that the observed positions and the model together "
         "make most likely; noise can hide a part of the model's error.";
}

// Panels of one run, a joint each; their numbers go to `figure`.
nlohmann::json run_panels(const Node& run, std::size_t r, const Joints& joints, Figure& figure) {
  const std::string name = run.at("name").text();
  const auto t = run.at("t").numbers();
  const auto curves = per_joint(run.at("joints"), joints);
  nlohmann::json panels = nlohmann::json::array();
  for (std::size_t i = 0; i < joints.size(); ++i) {
    curves[i].only({"measured", "predicted"});
    const std::string what = label(joints[i], "acceleration of ", "/s²");
    Table data{fmt::format("accelerations-data-{}-{}", r, i), name + ": " + what};
    const int x = data.add("time [s]", t);
    auto lines = panel(data, "time [s]", what);
    // The measured one on top and dashed: the two of a good model are one.
    lines["series"].push_back(
        series(data, x, "predicted", curves[i].at("predicted").band(t.size()), kModel));
    lines["series"].push_back(
        series(data, x, "measured", curves[i].at("measured").numbers(t.size()), {"ink", "dash"}));
    panels.push_back(std::move(lines));
    figure.tables.push_back(std::move(data));
  }
  return panels;
}

// Errors of one joint in all runs: over time, and over its velocity.
void error_panels(const std::vector<Node>& runs, std::size_t i, const Joints& joints,
                  Figure& figure, nlohmann::json& panels) {
  Table data{fmt::format("errors-data-{}", i),
             "Acceleration error of " + label(joints[i], "", "/s²")};
  const std::string what = label(joints[i], "error of ", "/s²");
  auto over_time = panel(data, "time [s]", what);
  auto over_speed = panel(data, label(joints[i], "velocity of ", "/s"), what);
  for (std::size_t r = 0; r < runs.size(); ++r) {
    const std::string name = runs[r].at("name").text();
    const auto t = runs[r].at("t").numbers();
    const Node own = per_joint(runs[r].at("joints"), joints)[i];
    own.only({"velocity", "error"});
    const Look look{fmt::format("c{}", r % 8), "points"};
    const int time = data.add("time [s], " + name, t);
    auto cloud = series(data, time, name, own.at("error").numbers(t.size()), look);
    over_time["series"].push_back(cloud);
    cloud["x"] = data.add("velocity, " + name, own.at("velocity").numbers(t.size()));
    over_speed["series"].push_back(std::move(cloud));
  }
  for (auto* one : {&over_time, &over_speed}) {
    (*one)["cloud"] = (*one)["zero"] = true;
    panels.push_back(std::move(*one));
  }
  figure.tables.push_back(std::move(data));
}

}  // namespace

void add_accelerations(const Node& document, const Joints& joints, Page& page) {
  const auto member = document.find("accelerations");
  if (!member) return;
  member->only({"source", "runs"});
  Figure figure{"accelerations",
                "",
                "Accelerations on held-out runs and what the model says at the same states",
                plot(1, "x"),
                {}};
  const auto runs = member->at("runs").items();
  for (std::size_t r = 0; r < runs.size(); ++r) {
    runs[r].only({"name", "t", "joints"});
    figure.drawing["views"].push_back(
        {{"name", runs[r].at("name").text()}, {"panels", run_panels(runs[r], r, joints, figure)}});
  }
  if (runs.empty()) return;
  figure.caption += bands_in_words(figure.drawing, "them") + ". " + origin(*member);
  page.sections.push_back({"accelerations-section",
                           "Accelerations",
                           "The quantity a model of mechanics is about.",
                           {}});
  page.sections.back().blocks.emplace_back(std::move(figure));
}

void add_errors(const Node& document, const Joints& joints, Page& page) {
  const auto member = document.find("errors");
  if (!member) return;
  member->only({"source", "runs"});
  Figure figure{"errors",
                "",
                "Predicted less measured acceleration of each sample. " + origin(*member),
                plot(2, "xy"),
                {}};
  const auto runs = member->at("runs").items();
  for (const Node& run : runs) run.only({"name", "t", "joints"});
  if (runs.empty()) return;
  nlohmann::json panels = nlohmann::json::array();
  for (std::size_t i = 0; i < joints.size(); ++i) error_panels(runs, i, joints, figure, panels);
  figure.drawing["views"].push_back({{"panels", std::move(panels)}});
  page.sections.push_back(
      {"errors-section",
       "Where is it wrong?",
       "Errors that rise or jump with the velocity point to friction that is not understood, "
       "others that come and go to something else that the model lacks.",
       {}});
  page.sections.back().blocks.emplace_back(std::move(figure));
}

}  // namespace mechfit
