#include <fmt/format.h>

#include <array>

#include "mechfit/report/drawing.h"
#include "mechfit/report/pages.h"
#include "mechfit/report/study_bars.h"

namespace mechfit {
namespace {

Section trajectory_section(const Node& trajectories, const std::vector<Joint>& joints) {
  Figure figure{"trajectories",
                "",
                "What was observed, what was true and what the smoother made of it; below, the "
                "velocities and accelerations that follow.",
                plot(static_cast<int>(joints.size()), "x"),
                {}};
  const auto items = trajectories.items();
  for (std::size_t r = 0; r < items.size(); ++r) {
    items[r].only({"name", "t", "joints"});
    const std::string name = items[r].at("name").text();
    const auto t = items[r].at("t").numbers();
    const auto curves = items[r].at("joints").items();
    if (curves.size() != joints.size())
      items[r].at("joints").fail(fmt::format("{} entries", curves.size()), "one per joint");
    nlohmann::json panels = nlohmann::json::array();
    for (const auto& [key, what, per] : {std::array<const char*, 3>{"position", "", ""},
                                         {"velocity", "velocity of ", "/s"},
                                         {"acceleration", "acceleration of ", "/s²"}}) {
      for (std::size_t i = 0; i < joints.size(); ++i) {
        curves[i].only({"observed", "position", "velocity", "acceleration"});
        const auto lines = curves[i].find(key);
        if (!lines) continue;
        lines->only({"t", "true", "smoothed"});
        const auto own_times = lines->find("t");
        const auto time = own_times ? own_times->numbers() : t;
        Table data{fmt::format("trajectories-data-{}-{}-{}", r, key, i),
                   name + ": " + label(joints[i], what, per)};
        const int x = data.add("time [s]", time);
        auto chart = panel(data, "time [s]", label(joints[i], what, per));
        if (const auto observed = curves[i].find("observed"); observed && *key == 'p')
          chart["series"].push_back(
              series(data, own_times ? data.add("time of observation [s]", t) : x, "observed",
                     observed->numbers(t.size()), {"faint", "points"}));
        if (const auto known = lines->find("true"))
          chart["series"].push_back(series(data, x, "true", known->numbers(time.size()), {"ink"}));
        if (const auto smoothed = lines->find("smoothed"))
          chart["series"].push_back(
              series(data, x, "smoothed", smoothed->band(time.size()), {"c0"}));
        panels.push_back(std::move(chart));
        figure.tables.push_back(std::move(data));
      }
    }
    figure.drawing["views"].push_back({{"name", name}, {"panels", std::move(panels)}});
  }
  Section section{"trajectories-section",
                  "Trajectories",
                  "The data the models learn from. Choose a setting above the figure.",
                  {}};
  section.blocks.emplace_back(std::move(figure));
  return section;
}

Section paired_section(const Node& paired) {
  std::vector<std::string> system, noise, rate, first, second;
  std::vector<double> difference, error, pairs;
  for (const Node& row : paired.items()) {
    row.only({"system", "noise", "rate", "first", "second", "difference", "error", "pairs"});
    system.push_back(row.at("system").text());
    noise.push_back(fmt::format("{:.6g}", row.at("noise").number()));
    rate.push_back(row.find("rate") ? row.at("rate").text() : "");
    first.push_back(row.at("first").text());
    second.push_back(row.at("second").text());
    difference.push_back(row.at("difference").number());
    error.push_back(row.at("error").number());
    pairs.push_back(row.at("pairs").count());
  }
  Table table{"paired-table", "First method minus second method; below zero the first is better",
              2};
  table.add("System", system);
  table.add("Noise", noise);
  table.add("Learning rate", rate);
  table.add("First", first);
  table.add("Second", second);
  table.add("Mean difference", difference);
  table.add("Standard error", error);
  table.add("Pairs", pairs);
  Section section{"paired",
                  "Paired differences",
                  "Methods share data and splits seed by seed, so their difference is known better "
                  "than either mean.",
                  {}};
  section.blocks.emplace_back(std::move(table));
  return section;
}

void add_counts(const Node& document, Page& page, Section& section) {
  const auto counts = document.find("counts");
  if (!counts) return;
  counts->only({"planned", "finished", "failed", "left_out"});
  const int planned = counts->at("planned").count(), finished = counts->at("finished").count(),
            failed = counts->at("failed").count(), left_out = counts->at("left_out").count();
  page.headlines.push_back({fmt::format("{} / {}", finished, planned), "Runs finished",
                            fmt::format("{} failed, {} left out of the means", failed, left_out)});
  if (const auto failures = document.find("failures")) {
    std::vector<std::string> cells, reasons;
    for (const Node& failure : failures->items()) {
      failure.only({"run", "reason"});
      cells.push_back(failure.at("run").text());
      reasons.push_back(failure.at("reason").text());
    }
    if (cells.empty()) return;
    Table table{"failures", "Runs that failed"};
    table.add("Run", cells);
    table.add("Reason", reasons);
    section.blocks.emplace_back(std::move(table));
  }
}

}  // namespace

Page study_page(const Node& document) {
  document.only({"kind", "title", "subtitle", "settings", "joints", "counts", "failures",
                 "left_out_above", "trajectories", "seeds", "bars", "paired"});
  const Bars bars(document);
  Page page;
  page.kind = "Study";
  Section summary{"summary", "Summary", "Mean and standard error over seeds, bar by bar.", {}};
  if (document.find("left_out_above"))
    summary.text += fmt::format(
        " Runs with an error above {:.6g} are left out of the means and counted.", bars.limit);
  if (!bars.bars.empty()) summary.blocks.emplace_back(summary_table(bars));
  add_counts(document, page, summary);

  for (Headline& headline : bar_headlines(bars)) page.headlines.push_back(std::move(headline));
  if (!bars.bars.empty()) {
    page.sections.push_back(
        {"comparison",
         "Comparison of methods",
         "Lower is better. Point at a bar for its values; the buttons add every "
         "seed or change the axis.",
         {}});
    for (Figure& figure : bar_figures(bars))
      page.sections.back().blocks.emplace_back(std::move(figure));
  }
  if (!summary.blocks.empty()) page.sections.push_back(std::move(summary));
  if (const auto paired = document.find("paired")) page.sections.push_back(paired_section(*paired));
  if (const auto trajectories = document.find("trajectories"))
    page.sections.push_back(trajectory_section(*trajectories, read_joints(document)));
  return page;
}

}  // namespace mechfit
