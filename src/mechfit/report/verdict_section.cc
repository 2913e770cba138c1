#include <fmt/format.h>

#include <cctype>
#include <cmath>

#include "mechfit/report/html.h"
#include "mechfit/report/sections.h"

namespace mechfit {
namespace {

std::string percent(double share) {
  if (std::isnan(share)) return "–";
  return share < 0.1 ? fmt::format("{:.2g} %", 100 * share) : fmt::format("{:.0f} %", 100 * share);
}

std::vector<std::string> sentences(const Node& list) {
  std::vector<std::string> out;
  for (const Node& item : list.items()) out.push_back(item.text());
  return out;
}

std::string in_unit(double x, const Joint& joint, const std::string& per) {
  return fmt::format("{:.2g}", x) + (joint.unit.empty() ? "" : " " + joint.unit + per);
}

// "0.061 rad/s²", or joint by joint where units differ: "0.003 m/s² (q1), 0.012 rad/s² (q2)".
std::string in_units(double overall, const std::vector<double>& each, const Joints& joints,
                     const std::string& per) {
  if (same_units(joints) && !joints.empty()) return in_unit(overall, joints[0], per);
  std::string text;
  for (std::size_t i = 0; i < joints.size(); ++i)
    text += (i == 0 ? "" : ", ") + in_unit(each[i], joints[i], per) + " (" + joints[i].name + ")";
  return text;
}

void add_error(const Node& verdict, const Joints& joints, Page& page) {
  const double relative = verdict.at("relative_error").number();
  Headline headline{percent(relative), "Acceleration error", "of the accelerations"};
  if (const auto error = verdict.find("error")) {
    error->only({"overall", "joints", "interval"});
    const double overall = error->at("overall").number();
    if (const auto interval = error->find("interval")) {
      const auto [low, high] = interval->range();
      if (overall > 0 && std::isfinite(low + high))
        headline.note += fmt::format("; 90 % sure: {} to {}", percent(relative * low / overall),
                                     percent(relative * high / overall));
    }
    const auto each = error->at("joints").numbers(joints.size());
    if (!std::isnan(overall)) headline.note += "; rms " + in_units(overall, each, joints, "/s²");
  }
  page.headlines.push_back(std::move(headline));
}

void add_reach(const Node& verdict, Page& page) {
  const auto until = verdict.find("reliable_until");
  if (!until) return;
  const double seconds = until->number(), tried = verdict.at("tried").number();
  const char* limit = "half of what the better prediction without a model does";
  std::string note;
  if (!(seconds > 0)) {
    note = fmt::format("even the shortest err by more than {}", limit);
  } else {
    note = seconds >= tried ? "the longest time that was tried"
                            : fmt::format("later they err by more than {}", limit);
    if (const auto error = verdict.find("reliable_error"))
      note += fmt::format(
          "; error there, with that of the start, {} of the better prediction's "
          "without a model",
          percent(error->number()));
  }
  page.headlines.push_back({fmt::format("{:g} s", seconds), "Rollouts reliable until", note});
}

void add_noise(const Node& verdict, const Joints& joints, Page& page) {
  const auto noise = verdict.find("noise");
  if (!noise) return;
  const auto each = noise->numbers(joints.size());
  double square = 0;
  for (const double sigma : each) square += sigma * sigma / static_cast<double>(each.size());
  if (!same_units(joints)) {
    std::string value;
    for (const double sigma : each)
      value += fmt::format("{}{:.2g}", value.empty() ? "" : " / ", sigma);
    page.headlines.push_back({value, "Noise of the positions", in_units(0, each, joints, "")});
    return;
  }
  page.headlines.push_back({in_units(std::sqrt(square), each, joints, ""), "Noise of the positions",
                            "standard deviation, found with the model"});
}

}  // namespace

void add_verdict(const Node& document, const Joints& joints, Page& page) {
  const auto verdict = document.find("verdict");
  if (!verdict) return;
  verdict->only({"grade", "words", "good_for", "limits", "advice", "relative_error", "error",
                 "reliable_until", "reliable_error", "tried", "noise"});
  Opinion opinion;
  opinion.grade = verdict->at("grade").word({"good", "usable", "unusable"});
  opinion.words = verdict->at("words").text() + ".";
  opinion.words[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(opinion.words[0])));
  opinion.good_for = verdict->at("good_for").text();
  opinion.limits = sentences(verdict->at("limits"));
  opinion.advice = sentences(verdict->at("advice"));
  if (const auto warnings = document.find("warnings")) opinion.warnings = sentences(*warnings);
  page.opinion = std::move(opinion);
  add_error(*verdict, joints, page);
  add_reach(*verdict, page);
  add_noise(*verdict, joints, page);
}

}  // namespace mechfit
