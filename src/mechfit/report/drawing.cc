#include "mechfit/report/drawing.h"

#include <fmt/format.h>

#include <algorithm>

namespace mechfit {

std::vector<Joint> read_joints(const Node& document) {
  std::vector<Joint> joints;
  for (const Node& item : document.at("joints").items()) {
    item.only({"name", "unit"});
    const auto unit = item.find("unit");
    joints.push_back({item.at("name").text(), unit ? unit->text() : ""});
  }
  return joints;
}

std::string label(const Joint& joint, const std::string& what, const std::string& per) {
  return what + joint.name + shared_unit({joint}, per);
}

bool same_units(const std::vector<Joint>& joints) {
  return std::all_of(joints.begin(), joints.end(),
                     [&](const Joint& joint) { return joint.unit == joints[0].unit; });
}

std::string shared_unit(const std::vector<Joint>& joints, const std::string& per) {
  if (joints.empty() || joints[0].unit.empty() || !same_units(joints)) return "";
  return " [" + joints[0].unit + per + "]";
}

std::string squared_acceleration_unit(const std::vector<Joint>& joints) {
  const std::string unit = shared_unit(joints, "/s²");
  return unit.empty() ? "" : " [(" + unit.substr(2, unit.size() - 3) + ")²]";
}

nlohmann::json series(Table& table, int x, const std::string& name, const Band& band,
                      const Look& look) {
  nlohmann::json result = {{"name", name}, {"color", look.color}, {"style", look.style}, {"x", x}};
  result["y"] = table.add(name, band.y);
  if (!band.low.empty()) {
    result["low"] = table.add(name + ", low", band.low);
    result["high"] = table.add(name + ", high", band.high);
  }
  if (!band.inner_low.empty()) {
    result["inner_low"] = table.add(name + ", inner low", band.inner_low);
    result["inner_high"] = table.add(name + ", inner high", band.inner_high);
  }
  return result;
}

nlohmann::json series(Table& table, int x, const std::string& name, std::vector<double> y,
                      const Look& look) {
  return series(table, x, name, Band{std::move(y)}, look);
}

nlohmann::json panel(const Table& table, const std::string& x, const std::string& y) {
  return {{"table", table.id}, {"x", x}, {"y", y}, {"series", nlohmann::json::array()}};
}

std::vector<Node> per_joint(const Node& list, const std::vector<Joint>& joints) {
  auto items = list.items();
  if (items.size() != joints.size())
    list.fail(fmt::format("{} entries", items.size()), "one per joint");
  return items;
}

std::string bands_in_words(const nlohmann::json& drawing, const std::string& what) {
  for (const auto& view : drawing.at("views"))
    for (const auto& one : view.at("panels"))
      for (const auto& curve : one.at("series"))
        if (curve.contains("inner_low"))
          return ", with the bands that should hold 50 and 90 % of " + what;
        else if (curve.contains("low"))
          return ", with the band that should hold 90 % of " + what;
  return "";
}

nlohmann::json plot(int columns, const std::string& zoom) {
  return {
      {"kind", "plot"}, {"columns", columns}, {"zoom", zoom}, {"views", nlohmann::json::array()}};
}

}  // namespace mechfit
