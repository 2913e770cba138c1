#pragma once

#include <memory>
#include <string>
#include <vector>

#include "mechfit/evaluate/torque_window.h"
#include "mechfit/fit/candidates.h"
#include "mechfit/fit/fit.h"
#include "mechfit/fit/smoothed/torque_fit.h"

// Machines whose joints are all driven by inputs of known unit are judged by the torques that a
// model misses on held-out runs: errors of accelerations and of rollouts forgive a heavy M.
namespace mechfit {

// Whether every joint has an input of known unit, and all inputs change in the log.
bool drives_all(const Log& log, const FitOptions& options);

// Held-out torque error of models: squared errors over the torques' variance, the mean over joints
// (nMSE), of means over short stretches of samples (torque_window.h), on all of them and on blocks.
class TorqueJudge {
 public:
  // `any`: a model with the inputs of those that will be judged.
  TorqueJudge(const FitData& data, const Model& any, ThreadPool& pool);

  // Whether the inputs of every joint change on either side of the split.
  bool able() const { return able_; }
  double error(const Model& model) const;
  // Whether the error of a is below `share` of that of b, and below b's in most blocks.
  bool better(const Model& a, const Model& b, double share) const;
  // By torque regression, for families with few parameters; `warm` as in fit_torques.
  TorqueFit fit(const Start& start, const std::vector<double>& warm, const FitHooks& hooks);

 private:
  std::vector<double> errors(const Model& model) const;  // of each stretch

  Samples train_, validation_;
  std::vector<Stretch> stretches_;  // of the held-out samples
  bool able_ = true;
  ThreadPool& pool_;
};

// Terms of friction that lower the held-out torque error of the simplest family with few
// parameters, as FitOptions::friction has them, and what was found, for the user. Networks alone:
// viscous, Coulomb and offset.
struct FrictionChoice {
  std::string terms, note;
};
FrictionChoice choose_friction(const FitData& data, const FitOptions& options, ThreadPool& pool,
                               const FitHooks& hooks);

// Torque regression of all candidates that compete, from simple to rich; keeps the simplest that no
// richer one beats clearly on held-out torques. Fills the result as fit_smoothed does.
void fit_by_torque(const FitData& data, const std::vector<Candidate>& list,
                   const FitOptions& options, ThreadPool& pool, const FitHooks& hooks,
                   FitResult& result);

// After joint estimation: torque regression of the candidates with few parameters takes the place
// of the result's model where held-out torques say clearly that it is better.
void compare_by_torque(const FitData& data, const std::vector<Candidate>& list, ThreadPool& pool,
                       const FitHooks& hooks, FitResult& result);

}  // namespace mechfit
