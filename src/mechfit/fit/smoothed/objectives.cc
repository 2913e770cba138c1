#include "mechfit/fit/smoothed/objectives.h"

#include <cmath>

#include "mechfit/base/error.h"

namespace mechfit {
namespace {

// r / h is a force: in units of the model's force scale, the power it has at the joint's speed.
void weigh_forces(const Magnitudes& size, double energy, ObjectiveOptions& options) {
  options.weights.clear();
  for (double v : size.v) options.weights.push_back(std::pow(v * size.time / energy, 2));
}

void weigh_accelerations(const Magnitudes& size, double, ObjectiveOptions& options) {
  options.weights = inverse_squares(size.a);
}

void weigh_states(const Magnitudes& size, double, ObjectiveOptions& options) {
  options.weights = inverse_squares(size.q);
  options.velocity_weights = inverse_squares(size.v);
}

constexpr ObjectiveKind kKinds[] = {
    {FitMethod::del, true, weigh_forces, make_del_objective},
    {FitMethod::gauge_free, false, weigh_accelerations, make_gauge_free_objective},
    {FitMethod::acceleration, false, weigh_accelerations, make_acceleration_objective},
    {FitMethod::next_state, false, weigh_states, make_next_state_objective},
    {FitMethod::torque, false, weigh_forces, make_torque_objective},
};

}  // namespace

std::vector<double> inverse_squares(const std::vector<double>& x) {
  std::vector<double> w;
  for (double value : x) w.push_back(1.0 / (value * value));
  return w;
}

const ObjectiveKind& objective_kind(FitMethod method) {
  for (const ObjectiveKind& kind : kKinds)
    if (kind.method == method) return kind;
  MECHFIT_CHECK(false, "joint estimation has no objective on smoothed data");
}

std::unique_ptr<Objective> make_objective(const Model& model, const Samples& samples,
                                          ObjectiveOptions options, ThreadPool& pool) {
  const auto n = static_cast<std::size_t>(samples.n);
  if (options.weights.empty()) options.weights.assign(n, 1.0);
  if (options.velocity_weights.empty()) options.velocity_weights.assign(n, 1.0);
  MECHFIT_CHECK(options.weights.size() == n && options.velocity_weights.size() == n);
  return objective_kind(options.method).make(model, samples, options, pool);
}

}  // namespace mechfit
