#pragma once

#include <vector>

#include "mechfit/base/thread_pool.h"
#include "mechfit/estimate/kalman/smoother.h"
#include "mechfit/estimate/motion/motion_run.h"

namespace mechfit {

// Errors of forces instead of accelerations, of motions that have a prior of their own
// (force_fit.h).
struct ForceSpace {
  std::vector<char> driven;      // [n], 1: the joint's error is that of its force
  const SmoothResult* smoothed;  // intensities of the jerk of the runs' driven joints
};

// The runs of a log whose motion is being estimated, worked on in parallel; sums over runs are
// taken in their order.
class JointRuns {
 public:
  // start: the same runs with an estimate of q. Runs of fewer than three samples are left out.
  JointRuns(const Model& model, const Log& observed, const Log& start, ThreadPool& pool,
            const ForceSpace* forces = nullptr);

  int size() const { return static_cast<int>(runs_.size()); }
  MotionRun& operator[](int k) { return runs_[k]; }
  int observation_count() const { return observation_count_; }  // observed ones
  ThreadPool& pool() { return pool_; }

  // f(run, number of the run) on the pool.
  template <class F>
  void each(const F& f) {
    pool_.run(size(), [&](int task, int) { f(runs_[task], task); });
  }
  // Sum of f(run, number of the run).
  template <class F>
  double sum(const F& f) {
    each([&](MotionRun& run, int k) { partial_[k] = f(run, k); });
    double total = 0;
    for (double x : partial_) total += x;
    return total;
  }

  [[nodiscard]] bool linearise(const Model& model, RunDerivatives derivatives);
  // Steps on all motions for a fixed model, ended at q; their J.
  double solve(const Model& model, const MotionNoise& noise, const MotionRun::Options& options);
  // Of all observations around the last linearise.
  double log_likelihood(const MotionNoise& noise);

  std::vector<std::vector<double>> motions() const;
  void set_motions(const std::vector<std::vector<double>>& q);
  // The log with the motions as its positions.
  Log with_motions(Log log) const;

 private:
  std::vector<MotionRun> runs_;
  std::vector<double> partial_;
  int observation_count_ = 0;
  ThreadPool& pool_;
};

// What may be learned about the noise.
struct NoiseSearch {
  bool sigma = true;
  double sigma_step = 0.05;  // first step in log sigma, which starts near its end. 0.015: same
                             // errors; 0.15: 12 % more (trig, N), else within 3 %
  double s_floor = 0;        // the least s, per joint in units of `s_unit`
  std::vector<double> s_unit;
  double s_pull = 2;  // s is taken above its most likely value, where the likelihood begins to
                      // fall: log-likelihood + s_pull log s is what is maximised
};

// One round of searches along log s_j and log sigma_j around the last linearise of the runs; s does
// not rise. Returns the log-likelihood there.
double improve_noise(JointRuns& runs, const NoiseSearch& search, MotionNoise& noise);

// The largest fall of log s from one to the other.
double largest_fall_of_s(const MotionNoise& from, const MotionNoise& to);

// s times the common factor that makes the observations most likely, around the last linearise;
// returns their log-likelihood there.
double fit_common_s(JointRuns& runs, MotionNoise& noise);
// The same per observed number.
double likelihood_score(JointRuns& runs, MotionNoise noise);

}  // namespace mechfit
