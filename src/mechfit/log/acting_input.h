#pragma once

#include <span>
#include <vector>

#include "mechfit/log/input_timing.h"
#include "mechfit/log/log.h"

// Inputs as they act on a machine, on any grid of times: the samples', a thinned or a refined one,
// the substeps of a rollout.
namespace mechfit {

// Held inputs jump at the samples. Which one acts at sample k?
enum class InputAtSample {
  next,  // u_k, of the step that begins: as simulated accelerations are given
  mean,  // the mean of u_{k-1} and u_k: as smoothed accelerations see it
};

// The inputs of a run as they were logged, and how they act. Before the first sample the first
// values stand, after the last sample the last ones.
class ActingInput {
 public:
  // t [T], u [T][m]
  ActingInput(std::vector<double> t, std::vector<double> u, int m, const InputTiming& timing);
  // The same inputs with another timing.
  ActingInput(const ActingInput& other, const InputTiming& timing)
      : ActingInput(other.t_, other.u_, other.m_, timing) {}

  // The same with further samples between them, `parts` steps for each, on cubics through four
  // neighbours: a signal that is smoother than lines.
  ActingInput with_cubics(int parts) const;

  const InputTiming& timing() const { return timing_; }
  double first_time() const { return t_.front(); }
  // The first time at which what acts is known.
  double known_from() const { return t_.front() + timing_.settling(); }

  // The mean over each step of `times` [T'], in the last row what acts at the end: [T'][m]
  std::vector<double> means(std::span<const double> times) const;
  // What acts at these times.
  std::vector<double> at(std::span<const double> times, InputAtSample side) const;
  // The values that stand in the log at these times, or last before them.
  std::vector<double> logged(std::span<const double> times) const;

 private:
  // The last sample at or before t that has a step behind it, -1 before the first one.
  int segment(double t, int from) const;
  double slope(int k, int i) const;
  // u(t) and, behind the lag, x(t), for a time in the segment.
  double signal(int k, double t, int i) const;
  double filtered(int k, double t, int i) const;
  double integral(int k, double from, double to, int i) const;  // of u
  void mean(double from, double to, int& k, double* out) const;

  std::vector<double> t_, u_;
  int m_;
  InputTiming timing_;
  std::vector<double> x_;  // behind the lag at the samples [T][m]; empty without lag
};

// Lets the inputs of all runs act so: u of a run becomes their mean over each of its steps. The
// logged values stay with the run, so another timing can follow, and slices, thinned and refined
// runs know what acts on their steps.
void set_input_timing(Log& log, const InputTiming& timing);

// The samples from which on the acting inputs are known; a run that has none of those is left out.
Log with_known_inputs(const Log& log);

// u of a run as it was logged, for files.
void restore_logged_inputs(Log& log);

// The mean over each step of `times` of what acts on a run, as ActingInput::means; u is held where
// no timing was set. Empty for a run without inputs.
std::vector<double> step_inputs(const Trajectory& run, int m, std::span<const double> times);
// The same on `steps` steps of the run from sample `from` on, each cut into equal parts:
// [steps][parts][m]
std::vector<double> inner_inputs(const Trajectory& run, int m, int from, int steps, int parts);
// What acts at the samples of a run, as ActingInput::at.
std::vector<double> sample_inputs(const Trajectory& run, int m, InputAtSample side);

}  // namespace mechfit
