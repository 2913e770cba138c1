#pragma once

#include <memory>
#include <string>
#include <vector>

#include "mechfit/fit/fit_options.h"
#include "mechfit/fit/smoothed/objective.h"
#include "mechfit/mechanics/magnitudes.h"

// The kinds of objectives. A new one is a class in a file of its own in this folder and a line in
// objectives.cc.
namespace mechfit {

struct ObjectiveOptions {
  FitMethod method = FitMethod::del;
  Integrator integrator = Integrator::midpoint;  // of next_state
  std::vector<double> weights;                   // w [n], empty: ones
  std::vector<double> velocity_weights;          // of next_state [n], empty: ones
};

struct ObjectiveKind {
  FitMethod method;
  // It can be lowered by shrinking M, so it is trained with the barrier (barrier.h).
  bool needs_barrier;
  // Weights with which errors count in units of what the data show, joint by joint; `energy` is the
  // model's unit of it.
  void (*weigh)(const Magnitudes& size, double energy, ObjectiveOptions& options);
  std::unique_ptr<Objective> (*make)(const Model& model, const Samples& samples,
                                     const ObjectiveOptions& options, ThreadPool& pool);
};

// Of the method, which must not be joint estimation.
const ObjectiveKind& objective_kind(FitMethod method);

// Fills in weights of one where none are given. The samples must outlive the objective.
std::unique_ptr<Objective> make_objective(const Model& model, const Samples& samples,
                                          ObjectiveOptions options, ThreadPool& pool);

// 1 / x^2.
std::vector<double> inverse_squares(const std::vector<double>& x);

// The makers of the table.
std::unique_ptr<Objective> make_del_objective(const Model& model, const Samples& samples,
                                              const ObjectiveOptions& options, ThreadPool& pool);
std::unique_ptr<Objective> make_gauge_free_objective(const Model& model, const Samples& samples,
                                                     const ObjectiveOptions& options,
                                                     ThreadPool& pool);
std::unique_ptr<Objective> make_acceleration_objective(const Model& model, const Samples& samples,
                                                       const ObjectiveOptions& options,
                                                       ThreadPool& pool);
std::unique_ptr<Objective> make_torque_objective(const Model& model, const Samples& samples,
                                                 const ObjectiveOptions& options, ThreadPool& pool);
std::unique_ptr<Objective> make_next_state_objective(const Model& model, const Samples& samples,
                                                     const ObjectiveOptions& options,
                                                     ThreadPool& pool);

}  // namespace mechfit
