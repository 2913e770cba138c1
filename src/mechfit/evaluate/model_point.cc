#include "mechfit/evaluate/model_point.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "mechfit/base/text.h"
#include "mechfit/files/json_fields.h"
#include "mechfit/mechanics/model_values.h"
#include "mechfit/mechanics/point.h"

namespace mechfit {
namespace {

// Relative to the largest term: what differences of V leave of a force at rest that is zero, and
// what rounding leaves of a force that is zero.
constexpr double kDifferences = 1e-8, kRounding = 1e-12;

double largest(const std::vector<double>& x) {
  double most = 0;
  for (const double value : x) most = std::max(most, std::fabs(value));
  return most;
}

// dV/dq_i by differences of fourth order.
double potential_slope(PointDynamics& dynamics, std::vector<double> q, int i) {
  const double centre = q[i], step = 1e-3 * std::max(1.0, std::fabs(centre));
  const auto potential = [&](double offset) {
    q[i] = centre + offset * step;
    return dynamics.potential(q);
  };
  return (8 * (potential(1) - potential(-1)) - (potential(2) - potential(-2))) / (12 * step);
}

// -dV/dq. A model at rest shows f(q, 0, 0) = -dV/dq + F(q, 0, 0), and F is zero there unless it has
// a static part, which only V itself can tell apart.
std::vector<double> potential_force(PointDynamics& dynamics, const std::vector<double>& q) {
  const int n = static_cast<int>(q.size());
  const std::vector<double> rest(n, 0.0);
  std::vector<double> f(n), slope(n);
  dynamics.force(q, rest, {}, f);
  double off = 0;
  for (int i = 0; i < n; ++i) {
    slope[i] = potential_slope(dynamics, q, i);
    off = std::max(off, std::fabs(f[i] + slope[i]));
  }
  if (off <= kDifferences * std::max(largest(f), std::fabs(dynamics.potential(q)))) return f;
  for (double& x : slope) x = -x;
  return slope;
}

// 1/2 v' dM/dq v: the gradient of <W, M> to q with W = v v' / 2.
std::vector<double> kinetic_force(const Model& model, const std::vector<double>& q,
                                  const std::vector<double>& v) {
  const int n = model.joints();
  auto workspace = model.make_workspace();
  AlignedVector at = make_panel(n), mass = make_panel(n * n), weights = make_panel(n * n),
                gradient = make_panel(n);
  for (int i = 0; i < n; ++i) {
    std::fill_n(&at[i * kBlock], kBlock, q[i]);
    for (int j = 0; j < n; ++j)
      std::fill_n(&weights[(i * n + j) * kBlock], kBlock, v[i] * v[j] / 2);
  }
  model.mass(at.data(), mass.data(), workspace);
  Adjoints adjoints;
  adjoints.q = gradient.data();
  model.mass_pullback(weights.data(), adjoints, workspace);
  std::vector<double> out(n);
  for (int i = 0; i < n; ++i) out[i] = gradient[i * kBlock];
  return out;
}

}  // namespace

std::string describe_model(const ModelRecord& record) {
  const Model& model = record.model;
  return model.describe().words + ", " + counted(model.joints(), "joint") + ", " +
         counted(model.inputs(), "input") + ", " + counted(model.parameter_count(), "parameter") +
         (record.members.empty() ? ""
                                 : ", an ensemble of " + std::to_string(record.members.size()));
}

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
  // dL/dq = 1/2 v' dM/dq v - dV/dq,   F = f - dL/dq
  const std::vector<double> kinetic = kinetic_force(model, q, v),
                            conservative = potential_force(dynamics, q);
  std::vector<double> f(n);
  dynamics.force(q, v, {}, f);
  const double size = std::max({largest(f), largest(kinetic), largest(conservative)});
  for (int i = 0; i < n; ++i) {
    point.conservative.push_back(kinetic[i] + conservative[i]);
    const double force = f[i] - point.conservative[i];
    point.force.push_back(std::fabs(force) <= kRounding * size ? 0 : force);
  }
  point.acceleration.resize(n);
  if (!dynamics.acceleration(q, v, {}, point.acceleration)) point.acceleration.clear();
  return point;
}

std::string model_json(const ModelRecord& record, const ModelPoint& point) {
  using nlohmann::json;
  json out = {
      {"description", describe_model(record)},
      {"joints", record.channels.joints},
      {"joint_types", names_of(record.channels.joint_types)},
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
  for (const ModelValue& value : model_values(record)) {
    out["constants"][value.name] = value.value;
    out["standard_errors"][value.name] = value.error;  // null: not known, or the data do not tell
  }
  out["scale"] = record.model.scale_is_free() ? "free" : "physical";
  if (record.model.inputs() > 0) out["input_timing"] = json::parse(format_timing(record.timing));
  if (!record.contacts.empty())
    out["contacts"] = json::parse(format_contacts(record.contacts)).at("contacts");
  if (record.knowledge) out["knowledge"] = json::parse(format_knowledge(*record.knowledge));
  return out.dump(2, ' ', false, json::error_handler_t::replace);
}

}  // namespace mechfit
