#include "model_point.h"

#include <Eigen/Eigenvalues>
#include <cmath>
#include <nlohmann/json.hpp>

#include "mechfit/mechanics/point.h"
#include "model_log.h"

namespace mechfit {
namespace {

// dL/dq_i by differences of fourth order.
double slope(PointDynamics& dynamics, std::vector<double> q, const std::vector<double>& v, int i) {
  const double centre = q[i], step = 1e-3 * std::max(1.0, std::fabs(centre));
  const auto lagrangian = [&](double offset) {
    q[i] = centre + offset * step;
    // L = T - V = E - 2 V
    return dynamics.energy(q, v) - 2 * dynamics.potential(q);
  };
  return (8 * (lagrangian(1) - lagrangian(-1)) - (lagrangian(2) - lagrangian(-2))) / (12 * step);
}

}  // namespace

ModelPoint model_at(const Model& model, const std::vector<double>& q,
                    const std::vector<double>& v) {
  const int n = model.joints();
  PointDynamics dynamics(model);
  ModelPoint point;
  point.q = q;
  point.v = v;
  point.mass.resize(static_cast<std::size_t>(n) * n);
  dynamics.mass(q, point.mass);
  const Eigen::Map<const Eigen::MatrixXd> M(point.mass.data(), n, n);
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(M, Eigen::EigenvaluesOnly);
  for (int i = 0; i < n; ++i) point.eigenvalues.push_back(solver.eigenvalues()(i));
  point.potential = dynamics.potential(q);
  std::vector<double> f(n);
  dynamics.force(q, v, {}, f);
  double largest = 0;
  for (int i = 0; i < n; ++i) {
    point.conservative.push_back(slope(dynamics, q, v, i));
    largest = std::max(largest, std::fabs(f[i]));
  }
  // Differences are right to about ten digits: what is left below that is no force.
  for (int i = 0; i < n; ++i) {
    const double force = f[i] - point.conservative[i];
    point.force.push_back(
        std::fabs(force) < 1e-8 * std::max(largest, std::fabs(point.potential)) ? 0 : force);
  }
  point.acceleration.resize(n);
  if (!dynamics.acceleration(q, v, {}, point.acceleration)) point.acceleration.clear();
  return point;
}

std::string model_json(const ModelRecord& record, const ModelPoint& point) {
  using nlohmann::json;
  json types = json::array();
  for (const JointType type : record.channels.joint_types)
    types.push_back(type == JointType::periodic ? "periodic" : "plain");
  json out = {
      {"description", describe_model(record)},
      {"joints", record.channels.joints},
      {"joint_types", types},
      {"units", record.channels.units},
      {"inputs", record.channels.inputs},
      {"parameters", record.model.parameter_count()},
      {"metadata", record.metadata},
      {"point",
       {{"q", point.q},
        {"v", point.v},
        {"mass", point.mass},
        {"eigenvalues", point.eigenvalues},
        {"potential", point.potential},
        {"conservative_force", point.conservative},
        {"force", point.force},
        {"acceleration", point.acceleration.empty() ? json(nullptr) : json(point.acceleration)}}}};
  for (const Description::Value& value : record.model.describe().values)
    out["constants"][value.name] = value.value;
  return out.dump(2, ' ', false, json::error_handler_t::replace);
}

}  // namespace mechfit
