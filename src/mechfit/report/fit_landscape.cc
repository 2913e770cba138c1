#include <Eigen/Eigenvalues>
#include <algorithm>

#include "mechfit/base/constants.h"
#include "mechfit/mechanics/point.h"
#include "mechfit/report/fit_members.h"

namespace mechfit {
namespace {

constexpr int kLandscapePoints = 73;  // of M and V along a joint: every 5 degrees of a full turn

}  // namespace

// Eigenvalues of M and V along each joint, the others at their mean.
nlohmann::json landscape_member(const Model& model, const Log& log) {
  using nlohmann::json;
  const int n = model.joints();
  std::vector<double> low(n, kInfinity), high(n, -kInfinity), mean(n, 0.0);
  for (const auto& run : log.runs)
    for (std::size_t k = 0; k < run.q.size(); ++k) {
      low[k % n] = std::min(low[k % n], run.q[k]);
      high[k % n] = std::max(high[k % n], run.q[k]);
      mean[k % n] += run.q[k] / log.samples();
    }
  PointDynamics point(model);
  json joints = json::array();
  for (int i = 0; i < n; ++i) {
    json q = json::array(), v = json::array();
    std::vector<json> eigenvalues(n, json::array());
    for (int k = 0; k < kLandscapePoints; ++k) {
      std::vector<double> at = mean;
      at[i] = low[i] + (high[i] - low[i]) * k / (kLandscapePoints - 1);
      Eigen::MatrixXd m(n, n);
      point.mass(at, std::span(m.data(), static_cast<std::size_t>(n * n)));
      const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(m, Eigen::EigenvaluesOnly);
      q.push_back(at[i]);
      v.push_back(point.potential(at));
      for (int j = 0; j < n; ++j) eigenvalues[j].push_back(solver.eigenvalues()[j]);
    }
    joints.push_back({{"q", q}, {"eigenvalues", eigenvalues}, {"V", v}});
  }
  return joints;
}

}  // namespace mechfit
