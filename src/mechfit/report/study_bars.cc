#include "mechfit/report/study_bars.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mechfit/base/constants.h"
#include "mechfit/report/drawing.h"
#include "mechfit/report/html.h"

namespace mechfit {
namespace {

double number_or_nan(const Node& node, const char* key) {
  const auto found = node.find(key);
  return found ? found->number() : kNan;
}

Bar read_bar(const Node& bar, std::size_t seeds) {
  bar.only({"system", "noise", "method", "rate", "mean", "error", "runs", "left_out", "failed",
            "published", "published_error", "values"});
  Bar result{bar.at("system").text(),
             bar.at("method").text(),
             bar.find("rate") ? bar.at("rate").text() : "",
             bar.at("noise").number(),
             bar.at("mean").number(),
             bar.at("error").number(),
             bar.at("runs").count(),
             bar.at("left_out").count(),
             bar.at("failed").count(),
             number_or_nan(bar, "published"),
             number_or_nan(bar, "published_error"),
             {}};
  if (const auto values = bar.find("values")) result.values = values->numbers(seeds);
  return result;
}

template <class T>
void add_new(std::vector<T>& list, const T& item) {
  if (std::find(list.begin(), list.end(), item) == list.end()) list.push_back(item);
}

bool has_published(const std::vector<Bar>& bars) {
  return std::any_of(bars.begin(), bars.end(),
                     [](const Bar& bar) { return !std::isnan(bar.published); });
}

template <class T, class Key>
std::vector<T> column(const std::vector<Bar>& bars, Key key) {
  std::vector<T> cells;
  for (const Bar& bar : bars) cells.push_back(static_cast<T>(key(bar)));
  return cells;
}

std::string noise_label(double noise) { return fmt::format("{:.6g}", noise); }

void add_method(Table& table, const std::vector<Bar>& bars) {
  table.add("Method", column<std::string>(bars, [](const Bar& bar) { return bar.method; }));
  if (std::any_of(bars.begin(), bars.end(), [](const Bar& bar) { return !bar.rate.empty(); }))
    table.add("Learning rate", column<std::string>(bars, [](const Bar& bar) { return bar.rate; }));
  table.add("Mean", column<double>(bars, [](const Bar& bar) { return bar.mean; }));
  table.add("Standard error", column<double>(bars, [](const Bar& bar) { return bar.error; }));
  table.add("Runs", column<double>(bars, [](const Bar& bar) { return bar.runs; }));
  table.add("Left out", column<double>(bars, [](const Bar& bar) { return bar.left_out; }));
  table.add("Failed", column<double>(bars, [](const Bar& bar) { return bar.failed; }));
  if (has_published(bars))
    table.add("Published", column<double>(bars, [](const Bar& bar) { return bar.published; }));
}

Table seed_table(const std::string& id, const std::vector<Bar>& bars,
                 const std::vector<double>& seeds) {
  Table table{id, "Every run, one row per seed"};
  table.add("Seed", seeds);
  for (const Bar& bar : bars)
    table.add(
        fmt::format("{}, {}{}{}", bar.system, bar.method, bar.rate.empty() ? "" : ", ", bar.rate),
        bar.values.empty() ? std::vector<double>(seeds.size(), kNan) : bar.values);
  return table;
}

Figure bar_figure(const Bars& study, std::size_t number) {
  const double noise = study.noises[number];
  std::vector<Bar> bars;
  std::copy_if(study.bars.begin(), study.bars.end(), std::back_inserter(bars),
               [&](const Bar& bar) { return bar.noise == noise; });
  Figure figure;
  figure.id = fmt::format("bars-{}", number);
  figure.title = "Noise " + noise_label(noise) + study.position_unit;
  figure.caption = fmt::format(
      "Mean over seeds of the mean squared error of accelerations on noise-free test states; the "
      "whiskers are one standard error{}.",
      has_published(bars) ? ", the diamonds published values" : "");
  Table table{figure.id + "-data", figure.title};
  table.add("System", column<std::string>(bars, [](const Bar& bar) { return bar.system; }));
  add_method(table, bars);
  figure.drawing = {{"kind", "bars"},
                    {"table", table.id},
                    {"methods", study.methods},
                    {"y", "acceleration MSE" + study.unit}};
  figure.tables.push_back(std::move(table));
  if (!std::isnan(study.limit)) figure.drawing["limit"] = study.limit;
  if (std::any_of(bars.begin(), bars.end(), [](const Bar& bar) { return !bar.values.empty(); })) {
    figure.tables.push_back(seed_table(figure.id + "-seeds", bars, study.seeds));
    figure.drawing["seeds"] = figure.tables.back().id;
  }
  return figure;
}

}  // namespace

double Bar::distance() const {
  const double scale =
      std::hypot(std::isnan(error) ? 0 : error, std::isnan(published_error) ? 0 : published_error);
  return scale > 0 ? (mean - published) / scale : kNan;
}

Bars::Bars(const Node& document) : limit(number_or_nan(document, "left_out_above")) {
  if (const auto list = document.find("seeds")) seeds = list->numbers();
  for (const Node& bar : document.at("bars").items()) {
    bars.push_back(read_bar(bar, seeds.size()));
    add_new(methods, bars.back().method);
    add_new(systems, bars.back().system);
    add_new(noises, bars.back().noise);
  }
  const auto joints = read_joints(document);
  unit = squared_acceleration_unit(joints);
  if (!joints.empty() && !joints[0].unit.empty()) position_unit = " " + joints[0].unit;
}

std::vector<Figure> bar_figures(const Bars& study) {
  std::vector<Figure> figures;
  for (std::size_t i = 0; i < study.noises.size(); ++i) figures.push_back(bar_figure(study, i));
  return figures;
}

Table summary_table(const Bars& study) {
  const std::vector<Bar>& bars = study.bars;
  Table table{"summary-table", "Mean squared error of accelerations" + study.unit, 2};
  table.add("System", column<std::string>(bars, [](const Bar& bar) { return bar.system; }));
  table.add("Noise",
            column<std::string>(bars, [](const Bar& bar) { return noise_label(bar.noise); }));
  add_method(table, bars);
  if (has_published(bars))
    table.add("Off by standard errors",
              column<double>(bars, [](const Bar& bar) { return bar.distance(); }));
  return table;
}

std::vector<Headline> bar_headlines(const Bars& study) {
  std::vector<Headline> headlines;
  int near = 0, compared = 0;
  for (const Bar& bar : study.bars) {
    if (std::isnan(bar.distance())) continue;
    ++compared;
    near += std::abs(bar.distance()) <= 2;
  }
  if (compared > 0)
    headlines.push_back({fmt::format("{} / {}", near, compared), "Bars as published",
                         "within two standard errors"});
  if (study.noises.empty()) return headlines;
  // The middle noise level is the one the text of the paper shows.
  const double noise = study.noises[study.noises.size() / 2];
  for (const std::string& system : study.systems) {
    const Bar* best = nullptr;
    for (const Bar& bar : study.bars)
      if (bar.system == system && bar.noise == noise && !std::isnan(bar.mean) &&
          (!best || bar.mean < best->mean))
        best = &bar;
    if (best)
      headlines.push_back({short_number(best->mean), "Lowest error, " + system,
                           best->method + " at noise " + noise_label(noise) + study.position_unit});
  }
  return headlines;
}

}  // namespace mechfit
