#pragma once

#include <optional>
#include <utility>

#include "mechfit/fit/joint/free_parameters.h"
#include "mechfit/fit/joint/joint_runs.h"
#include "mechfit/fit/joint/mass_prior.h"

namespace mechfit {

// Simultaneous Gauss-Newton steps on the motions q and the parameters of a family with few of them.
// With e + A dq + B dphi the linearised errors of a run and H = L L' its quadratic's Hessian
// (motion_quadratic.h), eliminating dq leaves for dphi
//
//   S = sum over runs of B'B/s^2 - X'X,   X = L^-1 A'B/s^2
//   g = sum over runs of B'e/s^2 - X'x,   x = L^-1 g_q
//
// in time linear in the length of the runs, B made slice by slice and never kept; then
//
//   dq = -H^-1 (g_q + A'B dphi / s^2)
//
// with B dphi the difference of the errors a little ahead of and behind the parameters, along dphi.
class JointGaussNewton {
 public:
  // prior may be null.
  JointGaussNewton(Model model, JointRuns& runs, std::span<const int> fixed, MassPrior* prior);

  const Model& model() const { return model_; }
  void set_parameters(std::span<const double> theta) { model_.set_parameters(theta); }
  const FreeParameters& parameters() const { return free_; }

  // What a saved fit needs beside theta: the damping of the next step and the priors' precisions.
  double damping() const { return damping_; }
  void restore(double damping, std::span<const double> precisions);

  // J with the prior, at the current motions.
  double objective(const MotionNoise& noise);

  // Errors and Jacobians at the current motions and parameters; false where M is not positive.
  [[nodiscard]] bool linearise();

  struct Step {
    double objective = 0;  // after it
    double promised = 0;   // decrease of J that the linearised problem had
    bool better = false;   // false: no step helps, nothing was changed
  };
  // One step from the last linearise, damped until J falls.
  Step step(const MotionNoise& noise);

  // The decrease of J that the problem around the last linearise promises; infinite when some run
  // has too few observations.
  double promise(const MotionNoise& noise);

  // The parameters' part of the step that it makes, undamped.
  Eigen::VectorXd parameter_step(const MotionNoise& noise);

  // One round of automatic relevance determination around the last linearise: every prunable
  // coefficient's prior precision becomes the most likely one, so that what the data do not need
  // vanishes.
  void weigh_coefficients(const MotionNoise& noise);

  // Of phi around the last linearise, the motions eliminated: S of the data alone, and with the
  // priors. Empty when some run has too few observations.
  Eigen::MatrixXd data_information(const MotionNoise& noise);
  Eigen::MatrixXd information(const MotionNoise& noise);

 private:
  // S_ and g_ around the last linearise, without any prior. Nothing is done for the same noise and
  // damping again: until the step is taken nobody else may factor the runs' quadratics.
  void reduce(const MotionNoise& noise, double damping);
  // S and g with the priors; empty when some run has too few observations.
  std::pair<Eigen::MatrixXd, Eigen::VectorXd> undamped(const MotionNoise& noise);
  using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  struct Part {  // of one run
    double promised = 0;
    bool ok = true;
    std::vector<double> dq;
  };
  // Adds the run's S, and g in its last column [p + 1][p + 1], upper triangle.
  void reduce_run(const MotionNoise& noise, double damping, MotionRun& run, Part& part,
                  std::span<double> S) const;
  void find_motion_steps(const MotionNoise& noise, const std::vector<double>& theta,
                         const Eigen::VectorXd& d);
  double try_step(const MotionNoise& noise, const std::vector<double>& theta,
                  const Eigen::VectorXd& phi, const Eigen::VectorXd& d, double length);
  double prior_value();
  void add_prior(Eigen::MatrixXd& S, Eigen::VectorXd& g);

  Model model_;
  JointRuns& runs_;
  FreeParameters free_;
  MassPrior* prior_;
  std::vector<Part> parts_;
  Eigen::MatrixXd S_;
  Eigen::VectorXd g_;
  double promised_ = 0;                                    // by the motions alone
  std::optional<std::pair<MotionNoise, double>> reduced_;  // noise and damping of S_ and g_
  double damping_ = 0;
  bool ok_ = true;
};

}  // namespace mechfit
