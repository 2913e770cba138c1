#include <fmt/format.h>

#include "mechfit/report/sections.h"

namespace mechfit {
namespace {

Table coverage_table(const Node& coverage) {
  std::vector<std::string> band;
  std::vector<double> acceleration, rollout;
  for (const Node& row : coverage.items()) {
    row.only({"band", "acceleration", "rollout", "horizons"});
    band.push_back(fmt::format("{:.6g} %", 100 * row.at("band").number()));
    acceleration.push_back(row.at("acceleration").number());
    rollout.push_back(row.at("rollout").number());
  }
  Table table{"coverage", "Share of held-out values inside the predicted bands"};
  table.add("Band", band);
  table.add("Accelerations", acceleration);
  table.add("Rollouts", rollout);
  return table;
}

// From 0 to 1 through the shares that were measured.
struct Shares {
  std::vector<double> promised{0}, held{0};

  void add(double band, double share) {
    promised.push_back(band);
    held.push_back(share);
  }
};

nlohmann::json share_curve(Table& data, const std::string& name, Shares shares, const Look& look) {
  shares.add(1, 1);
  const int x = data.add("promised, " + name, std::move(shares.promised));
  auto curve = series(data, x, name, std::move(shares.held), look);
  curve["markers"] = true;
  return curve;
}

nlohmann::json share_panel(const Table& data, const char* what) {
  auto curves = panel(data, "share promised", std::string("share held, ") + what);
  curves["identity"] = true;
  return curves;
}

}  // namespace

void add_calibration(const Node& document, Page& page) {
  const auto coverage = document.find("coverage");
  if (!coverage) return;
  Shares acceleration, rollout;
  std::vector<std::pair<double, Shares>> horizons;
  for (const Node& row : coverage->items()) {
    const double band = row.at("band").number();
    acceleration.add(band, row.at("acceleration").number());
    rollout.add(band, row.at("rollout").number());
    const auto each = row.find("horizons");
    if (!each) continue;
    const auto items = each->items();
    for (std::size_t k = 0; k < items.size(); ++k) {
      items[k].only({"seconds", "share"});
      if (k == horizons.size()) horizons.push_back({items[k].at("seconds").number(), {}});
      horizons[k].second.add(band, items[k].at("share").number());
    }
  }
  Table left{"calibration-data-0", "Bands of accelerations"},
      right{"calibration-data-1", "Bands of rollouts"};
  auto accelerations = share_panel(left, "accelerations"),
       rollouts = share_panel(right, "rollouts");
  accelerations["series"].push_back(share_curve(left, "accelerations", acceleration, {"c0"}));
  for (std::size_t k = 0; k < horizons.size(); ++k)
    rollouts["series"].push_back(share_curve(right, fmt::format("after {:g} s", horizons[k].first),
                                             horizons[k].second,
                                             {fmt::format("c{}", 2 + k % 6), "dash"}));
  rollouts["series"].push_back(share_curve(right, "all rollouts", rollout, {"c1"}));
  auto drawing = plot(2, "xy");
  drawing["views"].push_back({{"panels", {std::move(accelerations), std::move(rollouts)}}});
  page.sections.push_back({"calibration-section",
                           "Do its bands hold what they promise?",
                           "A band is meant to hold a share of what is measured.",
                           {}});
  page.sections.back().blocks.emplace_back(coverage_table(*coverage));
  page.sections.back().blocks.emplace_back(
      Figure{"calibration",
             "",
             "Share of held-out values inside of the bands, by the share that should be. On the "
             "line: as promised. Below: too narrow, the model is too sure of itself. Above: too "
             "wide.",
             std::move(drawing),
             {std::move(left), std::move(right)}});
}

}  // namespace mechfit
