#include <cmath>

#include "mechfit/base/constants.h"
#include "mechfit/report/fit_members.h"

namespace mechfit {
namespace {

using nlohmann::json;

// Of a periodic joint, the angle of the turn that is nearest to the middle of the region.
double nearest_turn(double q, double low, double high) {
  return q - kTurn * std::round((q - 0.5 * (low + high)) / kTurn);
}

// Held-out states on one side of the region's border.
json states(const FitView& view, const MotionPoints& points, int joint, bool outside) {
  const Region& region = view.ensemble.knowledge->region;
  const auto types = view.ensemble.model.joint_types();
  const int n = points.n, m = points.m;
  const int stride = 1 + points.size() / shown_points(n);
  std::vector<double> q, v;
  for (int k = 0; k < points.size(); k += stride) {
    const auto row = [&](const std::vector<double>& x, int width) {
      return std::span(x).subspan(x.empty() ? 0 : k * width, x.empty() ? 0 : width);
    };
    if ((region.outside(types, row(points.q, n), row(points.v, n), row(points.u, m)) > 0) !=
        outside)
      continue;
    const double at = points.q[k * n + joint];
    q.push_back(types[joint] == JointType::periodic
                    ? nearest_turn(at, region.q_low[joint], region.q_high[joint])
                    : at);
    v.push_back(points.v[k * n + joint]);
  }
  return {{"q", q}, {"v", v}};
}

}  // namespace

void add_region_member(const FitView& view, json& page) {
  if (!view.ensemble.knowledge || view.ensemble.knowledge->region.q_low.empty()) return;
  const Region& region = view.ensemble.knowledge->region;
  const auto types = view.ensemble.model.joint_types();
  const MotionPoints points =
      motion_points(view.held_out.motion(),
                    view.held_out.logged_accelerations ? InputAtSample::next : InputAtSample::mean);
  json joints = json::array(), inputs = json::array();
  for (int i = 0; i < points.n; ++i) {
    const double low = region.q_low[i], high = region.q_high[i];
    joints.push_back(
        {{"q", {low, high}},
         {"v", {region.v_low[i], region.v_high[i]}},
         {"full_turn", types[i] == JointType::periodic && high - low >= kTurn * (1 - 1e-9)},
         {"inside", states(view, points, i, false)},
         {"outside", states(view, points, i, true)}});
  }
  const auto& names = view.held_out.observed.channels.inputs;
  for (std::size_t i = 0; i < names.size() && i < region.u_low.size(); ++i)
    inputs.push_back({{"name", names[i]}, {"range", {region.u_low[i], region.u_high[i]}}});
  page["region"] = {{"joints", joints}, {"inputs", inputs}, {"outside", view.scores.outside}};
}

}  // namespace mechfit
