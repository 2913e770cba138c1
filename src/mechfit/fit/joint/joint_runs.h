#pragma once

#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "mechfit/base/thread_pool.h"
#include "mechfit/estimate/kalman/smoother.h"
#include "mechfit/estimate/motion/motion_run.h"
#include "mechfit/fit/joint/joint_state.h"
#include "mechfit/fit/joint/team.h"

namespace mechfit {

// Errors of forces instead of accelerations, of motions that have a prior of their own
// (force_fit.h).
struct ForceSpace {
  std::vector<char> driven;      // [n], 1: the joint's error is that of its force
  const SmoothResult* smoothed;  // intensities of the jerk of the runs' driven joints
};

// The runs of a log whose motion is being estimated, worked on in parallel; sums over runs are
// taken in their order. A long run is estimated in pieces, which are runs from here on: the two
// errors of the equation at each seam are lost, one in a thousand. What is kept of a run is small
// (MotionData); workers are lent it with their own memory, which is why `error` of a MotionRun is
// that of this run only after an evaluation in the same visit.
class JointRuns {
 public:
  // start: the same runs with an estimate of q. Runs of fewer than three samples are left out.
  // With a team every process works on its own part of them.
  JointRuns(const Model& model, const Log& observed, const Log& start, ThreadPool& pool,
            Team* team = nullptr, const ForceSpace* forces = nullptr);

  int size() const { return static_cast<int>(runs_.size()); }  // pieces
  const MotionData& operator[](int k) const { return runs_[k]; }
  int run_of(int k) const { return places_[k].run; }  // of the log, that a piece belongs to
  int observation_count() const;                      // of the runs in use
  ThreadPool& pool() { return pool_; }

  // From now on only pieces spread evenly over the log are worked on and counted, of about so many
  // samples in all; false, and nothing done, where that would save little.
  bool take_share(int samples);
  void take_all();

  // f(run, its number) on the pool, for all in use; of a team's, each process does its own.
  template <class F>
  void each(const F& f) {
    const Range own = own_active();
    pool_.run(own.end - own.begin,
              [&](int task, int worker) { visit(active_[own.begin + task], worker, f); });
  }
  // f(run, its number) of all in use, in their order.
  template <class F>
  std::vector<double> values(const F& f) {
    const Range own = own_active();
    std::vector<double> all(active_.size());
    pool_.run(own.end - own.begin, [&](int task, int worker) {
      const int i = own.begin + task;
      visit(active_[i], worker, [&](MotionRun& run, int k) { all[i] = f(run, k); });
    });
    exchange(all, 1);
    return all;
  }
  template <class F>
  double sum(const F& f) {
    double total = 0;
    for (double x : values(f)) total += x;
    return total;
  }
  // The sum of vectors of this size: `add` adds what a run has to one of the vectors. Runs are
  // added up in chunks, which do not depend on threads, and chunks in their order.
  using Add = std::function<void(MotionRun&, int k, std::span<double> sum)>;
  std::vector<double> gather(std::size_t size, const Add& add);

  [[nodiscard]] bool linearise(const Model& model, RunDerivatives derivatives);
  // Steps on all motions for a fixed model, ended at q; their J.
  double solve(const Model& model, const MotionNoise& noise, const MotionRun::Options& options);
  // Of all observations around the last linearise.
  double log_likelihood(const MotionNoise& noise);

  Motions motions() const;  // of the pieces; of a team's others see share()
  // Gives what each process of a team has of its own motions to all.
  void share(Motions& q) const;
  void set_motions(const Motions& q);
  // The log with the motions as its positions.
  Log with_motions(Log log) const;
  // Inputs of a log with the same runs and samples.
  void set_inputs(const Log& log);

 private:
  struct Place {
    int run, begin;  // in the log
  };
  struct Range {
    int begin, end;
  };
  void share_own();
  int chunks() const;
  int first_of_chunk(int chunk) const;  // in active_
  Range chunks_of(int rank) const;      // each process has chunks that follow each other
  Range own_active() const;             // in active_
  // values: `size` of each run in use.
  void exchange(std::span<double> values, long size) const;

  // Lends the worker run k.
  template <class F>
  void visit(int k, int worker, const F& f) {
    MotionRun& run = *workers_[worker];
    std::swap<MotionData>(run, runs_[k]);
    struct Return {
      MotionData &lent, &own;
      ~Return() { std::swap(lent, own); }
    } at_end{run, runs_[k]};
    f(run, k);
  }

  std::vector<MotionData> runs_;
  std::vector<Place> places_;
  std::vector<int> counts_;  // observed numbers
  std::vector<int> active_;
  std::vector<std::unique_ptr<MotionRun>> workers_;
  ThreadPool& pool_;
  Team* team_;
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
