#include <fmt/format.h>

#include <cmath>

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

  bool known() const { return promised.size() > 1; }
  void add(double band, double share) {
    if (std::isnan(share)) return;
    promised.push_back(band);
    held.push_back(share);
  }
};

struct Calibration {
  Shares acceleration, rollout;
  std::vector<std::pair<double, Shares>> horizons;  // seconds
};

Calibration read_calibration(const Node& coverage) {
  Calibration out;
  for (const Node& row : coverage.items()) {
    const double band = row.at("band").number();
    out.acceleration.add(band, row.at("acceleration").number());
    out.rollout.add(band, row.at("rollout").number());
    const auto horizons = row.find("horizons");
    if (!horizons) continue;
    const auto items = horizons->items();
    for (std::size_t k = 0; k < items.size(); ++k) {
      items[k].only({"seconds", "share"});
      const double seconds = items[k].at("seconds").number();
      if (k == out.horizons.size()) out.horizons.push_back({seconds, {}});
      out.horizons[k].second.add(band, items[k].at("share").number());
    }
  }
  return out;
}

// A panel with the line y = x; its numbers go to `figure`.
class SharePanel {
 public:
  explicit SharePanel(const std::string& what)
      : data_("calibration-data-" + what, "Bands of " + what),
        panel_(panel(data_, "share promised", "share held, " + what)) {
    panel_["identity"] = true;
  }
  void add(const std::string& name, Shares shares, const Look& look) {
    if (!shares.known()) return;
    shares.add(1, 1);
    const int x = data_.add("promised, " + name, std::move(shares.promised));
    auto curve = series(data_, x, name, std::move(shares.held), look);
    curve["markers"] = true;
    panel_["series"].push_back(std::move(curve));
  }
  void move_to(Figure& figure, nlohmann::json& panels) {
    if (panel_["series"].empty()) return;
    panels.push_back(std::move(panel_));
    figure.tables.push_back(std::move(data_));
  }

 private:
  Table data_;
  nlohmann::json panel_;
};

}  // namespace

void add_calibration(const Node& document, Page& page) {
  const auto coverage = document.find("coverage");
  if (!coverage) return;
  const Calibration found = read_calibration(*coverage);
  Figure figure{"calibration",
                "",
                "Share of held-out values inside of the bands, by the share that should be. On the "
                "line: as promised. Below: too narrow, the model is too sure of itself. Above: too "
                "wide.",
                plot(2, "xy"),
                {}};
  nlohmann::json panels = nlohmann::json::array();
  SharePanel accelerations("accelerations"), rollouts("rollouts");
  accelerations.add("accelerations", found.acceleration, {"c0"});
  for (std::size_t k = 0; k < found.horizons.size(); ++k)
    rollouts.add(fmt::format("after {:g} s", found.horizons[k].first), found.horizons[k].second,
                 {fmt::format("c{}", 2 + k % 6), "dash"});
  rollouts.add("all rollouts", found.rollout, {"c1"});
  accelerations.move_to(figure, panels);
  rollouts.move_to(figure, panels);
  page.sections.push_back({"calibration-section",
                           "Do its bands hold what they promise?",
                           "A band is meant to hold a share of what is measured.",
                           {}});
  page.sections.back().blocks.emplace_back(coverage_table(*coverage));
  if (panels.empty()) return;
  figure.drawing["views"].push_back({{"panels", std::move(panels)}});
  page.sections.back().blocks.emplace_back(std::move(figure));
}

}  // namespace mechfit
