#include "mechfit/report/fit_scores.h"

#include <fmt/format.h>

#include <algorithm>

#include "mechfit/report/html.h"

namespace mechfit {
namespace {

// The model first, then baselines, each with a look of its own.
Look look_of_row(std::size_t row) {
  if (row == 0) return {"c0"};
  return {fmt::format("c{}", std::min<std::size_t>(row, 7)), row % 2 == 1 ? "dash" : "dot"};
}

std::string times_below(double model, double baseline, const std::string& name) {
  if (!(model > 0) || !(baseline > 0)) return "";
  const double ratio = baseline / model;
  if (ratio >= 1.05) return fmt::format("{} times below “{}”", short_number(ratio), name);
  return fmt::format("{} times “{}”", short_number(1 / ratio), name);
}

void add_acceleration_score(const Node& rows, const std::vector<Joint>& joints, Page& page,
                            Section& section) {
  std::vector<std::string> names;
  std::vector<double> all;
  std::vector<std::vector<double>> each(joints.size());
  for (const Node& row : rows.items()) {
    row.only({"name", "mse", "joints"});
    names.push_back(row.at("name").text());
    all.push_back(row.at("mse").number());
    if (const auto values = row.find("joints")) {
      const auto mse = values->numbers(joints.size());
      for (std::size_t i = 0; i < joints.size(); ++i) each[i].push_back(mse[i]);
    }
  }
  if (names.empty()) rows.fail("an empty array", "the model's score");
  for (const auto& column : each)
    if (!column.empty() && column.size() != names.size())
      rows.fail("\"joints\" in some rows", "it in all rows or in none");
  const std::string unit = squared_acceleration_unit(joints);
  Table table{"score-acceleration", "Mean squared error of accelerations on held-out data" + unit};
  table.add("Prediction", names);
  table.add("All joints", all);
  if (!each.empty() && !each[0].empty() && joints.size() > 1)
    for (std::size_t i = 0; i < joints.size(); ++i) table.add(joints[i].name, each[i]);
  section.blocks.emplace_back(std::move(table));
  if (!page.opinion)  // which has better ones
    page.headlines.push_back({short_number(all[0]), "Acceleration error (MSE)",
                              all.size() > 1 ? times_below(all[0], all[1], names[1]) : ""});
}

void add_rollout_score(const Node& rollout, const std::vector<Joint>& joints, Page& page,
                       Section& section) {
  rollout.only({"horizons", "rows"});
  const auto horizons = rollout.at("horizons").numbers();
  std::vector<std::string> names;
  std::vector<Band> rmse;
  for (const Node& row : rollout.at("rows").items()) {
    row.only({"name", "rmse"});
    names.push_back(row.at("name").text());
    rmse.push_back(row.at("rmse").band(horizons.size()));
  }
  if (names.empty() || horizons.empty()) rollout.fail("no scores", "horizons and rows");

  const std::string unit = shared_unit(joints);
  Table table{"score-rollout", "Rollout error (RMSE) by horizon" + unit};
  table.add("Prediction", names);
  for (std::size_t k = 0; k < horizons.size(); ++k) {
    std::vector<double> column;
    for (const Band& band : rmse) column.push_back(band.y[k]);
    table.add(fmt::format("{:.6g} s", horizons[k]), std::move(column));
  }
  section.blocks.emplace_back(std::move(table));

  Table data{"error-growth-data", "Rollout error (RMSE) by horizon"};
  const int x = data.add("horizon [s]", horizons);
  auto curves = panel(data, "horizon [s]", "RMSE" + unit);
  curves["ylog"] = true;
  curves["xlog"] = horizons.front() > 0 && horizons.back() / horizons.front() >= 20;
  for (std::size_t i = 0; i < names.size(); ++i) {
    auto curve = series(data, x, names[i], rmse[i], look_of_row(i));
    curve["markers"] = true;
    curves["series"].push_back(std::move(curve));
  }
  auto drawing = plot(1, "xy");
  drawing["views"].push_back({{"panels", {curves}}});
  section.blocks.emplace_back(
      Figure{"error-growth",
             "",
             "How the error of a rollout grows with its length, beside the two predictions that "
             "need no model. A gap: noise hides the error there.",
             std::move(drawing),
             {std::move(data)}});

  if (page.opinion) return;
  // The last horizon may lie beyond what the motion allows anybody to predict: name the middle one.
  const std::size_t middle = horizons.size() / 2;
  page.headlines.push_back(
      {short_number(rmse[0].y[middle]),
       fmt::format("Rollout error after {:.6g} s", horizons[middle]),
       names.size() > 1 ? times_below(rmse[0].y[middle], rmse.back().y[middle], names.back())
                        : ""});
}

}  // namespace

void add_scores(const Node& document, const std::vector<Joint>& joints, Page& page) {
  Section verdict{"verdict", "How well it predicts", "Scores on runs the fit has not seen.", {}};
  if (const auto scores = document.find("scores")) {
    scores->only({"acceleration", "rollout"});
    if (const auto rows = scores->find("acceleration"))
      add_acceleration_score(*rows, joints, page, verdict);
    if (const auto rollout = scores->find("rollout"))
      add_rollout_score(*rollout, joints, page, verdict);
  }
  if (!verdict.blocks.empty()) page.sections.push_back(std::move(verdict));
}

}  // namespace mechfit
