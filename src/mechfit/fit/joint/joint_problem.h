#pragma once

#include <memory>
#include <span>

#include "mechfit/fit/joint/joint.h"
#include "mechfit/fit/joint/joint_runs.h"
#include "mechfit/fit/joint/mass_prior.h"

namespace mechfit {

// What comments in this folder say of ranges was measured on three simulated logs of 8 runs of 100
// steps of 0.05 s: N and P, double-pendulum-points with noise of 0.05 and 0.005 rad, and C, a
// cart-pole pushed by sines, noise 0.01. Error: rms of accelerations against the true ones. It is
// 0.100, 0.0116 and 0.0331 for trig, 0.083, 0.0033 and 0.0189 for the known equations (g held for
// the double pendulum), 0.39, 0.22 and 0.18 for networks, 1.7, 0.38 and 0.51 for networks made to
// begin with smoothed motions. Those are of seed 0; seed 5, which also holds out other runs, gives
// 1.2, 0.55 and 0.30 for networks. Ranges of effects on networks are over both seeds; what should
// not matter changes their errors by up to 20 %, so less than that is chance.

// The least s in units of the accelerations: without a floor the s of a joint that a model fits
// exactly falls without end. 3e-4: same errors within 1 %; 3e-3: between 8 % less (equations, P)
// and 4 % more (trig, C).
inline constexpr double kLowestS = 1e-3;
// On steps finer than the samples', where the midpoint rule's own error does not bind s any more.
inline constexpr double kLowestRefinedS = 1e-4;
// First step of the search in log sigma there: sigma may begin far from its end (kFirstSigma).
inline constexpr double kRefinedSigmaStep = 0.3;

// sigma and s are looked at again when a step promised less than this decrease of J per observed
// number. 0.005 and 0.1: same errors within 2 % for trig, to four digits for known equations.
inline constexpr double kSettled = 0.02;
// The fall of log s below which a fit may end, beside what a step promises. 0.015 and 0.15: same
// errors to four digits for trig and known equations.
inline constexpr double kQuietChange = 0.05;

// The runs that a choice between models goes by.
class HeldOut {
 public:
  HeldOut(const Model& model, const Log& observed, const Log& start, ThreadPool& pool, Team* team)
      : runs(model, observed, start, pool, team), start_(runs.motions()) {}

  JointRuns runs;

  // Log-likelihood per number, the motions solved for the model, which they stay at; minus infinity
  // where it has no positive definite M.
  double score(const Model& model, const MotionNoise& noise);

 private:
  Motions start_;
};

// The prior on M in the family's own units, which make M near one; null for families in physical
// units, which need none.
std::unique_ptr<MassPrior> make_mass_prior(const Model& model, const Log& motions);

// Whether the errors of a family that was fitted are well below the accelerations (rms [n]); else
// its motions are no better than smoothed ones.
bool explains_motion(const MotionNoise& fitted, std::span<const double> accelerations);

// What both engines of joint estimation begin and end with.
class JointProblem {
 public:
  JointProblem(const Model& start, const JointData& data, const JointOptions& options,
               ThreadPool& pool, Team* team);

  const Model& start() const { return start_; }
  const JointOptions& options() const { return options_; }
  JointRuns& runs() { return runs_; }
  HeldOut& held_out() { return held_out_; }
  MassPrior* prior() { return prior_.get(); }  // null for families that need none
  // sigma as smoothing found it, s the size of the accelerations.
  const MotionNoise& first_noise() const { return first_noise_; }
  NoiseSearch noise_search() const;
  // Whether the motions began as another family left them.
  bool prepared() const { return prepared_; }

  // A long log is fitted by a share of its runs first: from now on only that is worked on. False
  // where the log is not so long.
  bool take_share();
  void take_all();
  // All runs take part, their motions solved for the model.
  void take_all(const Model& model, const MotionNoise& noise);

  // Where the fit stands, as the best so far.
  JointBest snapshot(double score, const Model& model, const MotionNoise& noise) const;
  // Motions that processes of a team have of their own runs go to all.
  void share(Motions& motions, Motions& held_out) const;
  // Back to it.
  void restore(const JointBest& best);
  // InputError unless what a checkpoint holds has the sizes of this problem.
  void expect_own(const Motions& motions, const Motions& held_out, const MotionNoise& noise) const;
  void expect_own(const JointBest& best) const;
  // Makes the result of the best: model, noise, likelihoods, motions with their deviations.
  void finish(const JointBest& best, JointResult& result);

 private:
  const Model& start_;
  const JointOptions& options_;
  const JointData& data_;
  ThreadPool& pool_;
  MotionNoise first_noise_;
  bool prepared_;
  const Log &train_start_, &validation_start_;  // motions to begin with
  JointRuns runs_;
  HeldOut held_out_;
  std::unique_ptr<MassPrior> prior_;
};

// The two engines.
JointResult fit_joint_gauss_newton(JointProblem& problem, const JointHooks& hooks);
JointResult fit_joint_network(JointProblem& problem, const JointHooks& hooks);

// Whether a richer model of the same family promises to explain the training runs better than by
// chance: at the poorer model's fit p parameters that are of no use promise a decrease of J by
// half a chi-square number of p degrees of freedom, less where priors hold them. `theta` are the
// parameters with which it is the poorer model.
bool promises_more(const Model& richer, const std::vector<double>& theta, const JointResult& poorer,
                   const Log& train, ThreadPool& pool);

}  // namespace mechfit
