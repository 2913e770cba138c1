#pragma once

#include <span>
#include <vector>

#include "mechfit/base/thread_pool.h"
#include "mechfit/mechanics/contact.h"
#include "mechfit/mechanics/euler_lagrange.h"

// Many trajectories simulated as one batch, one per lane. What the integrators have in common.
namespace mechfit {

enum class Integrator {
  variational,  // implicit, keeps the energy of a long motion (variational.h)
  rk4,          // explicit Runge-Kutta of order 4 (runge_kutta.h)
  midpoint,     // explicit midpoint rule, order 2 (runge_kutta.h)
};
template <>
inline constexpr auto kNames<Integrator> = names<Integrator>({{Integrator::variational,
                                                               "variational"},
                                                              {Integrator::rk4, "rk4"},
                                                              {Integrator::midpoint, "midpoint"}});

// How a step, or a whole trajectory, ended.
enum class StepStatus {
  ok,
  mass_not_positive,  // M(q) is not positive definite: the model says nothing about this motion
  no_root,            // Newton stalled: the step equation has no root near the motion so far
  iteration_limit,    // Newton was still improving when its evaluations were used up
  not_finite,         // numbers overflowed
  too_many_impacts,   // more than kMostImpacts within one inner step (contact_stepper.h)
};

const char* describe(StepStatus status);

// How inner steps are chosen: for each trajectory and recorded step as many as these ask for, at
// least one (step_control.h).
struct StepControl {
  double longest = 0;    // inner steps are at most so long [s]; 0: any length
  double tolerance = 0;  // error of an inner step relative to its motion; 0: not controlled
};

// Into how many parts the recorded steps of a rollout are cut.
struct RolloutSteps {
  int parts = 1;        // inner steps; with a tolerance pieces of a step on which u is given
  StepControl control;  // instead of `parts`
};

// Start states and steps of B trajectories; arrays trajectory by trajectory, sample-major.
struct RolloutRequest {
  int trajectories = 0;        // B
  int steps = 0;               // recorded steps of each
  std::span<const double> q0;  // [B][n]
  std::span<const double> v0;  // [B][n]
  std::span<const double> q1;  // [B][n], instead of v0: q after the first inner step (variational)
  std::span<const double> h;   // [1]: the same step everywhere, or [B][steps]
  std::span<const double> u;   // [B][steps][m], held over the step; empty is no input
  bool inner_inputs = false;   // u is [B][steps][substeps][m], held over the inner steps
  std::span<const double> kicks;  // [B][steps][n], added to v after each recorded step
                                  // (Runge-Kutta); empty is none
  int substeps = 1;               // inner steps of length h / substeps per recorded one
  StepControl control;            // with a tolerance, `substeps` says only how finely u is given
  bool midpoints = false;         // record the states in the middle of the recorded steps too
  std::span<const Contact> contacts;  // what the machine may touch

  // An input on an inner step, and its mean over a recorded one.
  double input(std::size_t trajectory, int step, int inner, int i, int m) const {
    if (u.empty()) return 0;
    const std::size_t k = trajectory * steps + step;
    return u[(inner_inputs ? k * substeps + inner : k) * m + i];
  }
  double mean_input(std::size_t trajectory, int step, int i, int m) const {
    if (!inner_inputs) return input(trajectory, step, 0, i, m);
    double sum = 0;
    for (int inner = 0; inner < substeps; ++inner) sum += input(trajectory, step, inner, i, m);
    return sum / substeps;
  }
};

// An impact.
struct ContactEvent {
  int contact;     // of the request's
  double time;     // since the start [s]
  double speed;    // phidot before it, negative
  double impulse;  // along J
};

// A trajectory that failed has its first `completed` steps; what would follow is NaN.
struct [[nodiscard]] Rollout {
  Rollout(const RolloutRequest& request, int joints);

  int n, trajectories, steps;
  std::vector<double> q, v;                       // [B][steps+1][n]
  std::vector<double> q_mid, v_mid;               // [B][steps][n], when asked for
  std::vector<int> completed;                     // [B]
  std::vector<StepStatus> status;                 // [B]
  std::vector<std::vector<ContactEvent>> events;  // [B], empty without contacts

  bool all_ok() const;
};

// Simulates all trajectories of `request`.
Rollout roll_out(const Model& model, const RolloutRequest& request, Integrator integrator,
                 ThreadPool& pool);

// Throws CheckError on wrong shapes, numbers that are not finite and steps that are not positive.
void check_request(const Model& model, const RolloutRequest& request);

// One block of trajectories on its way: states in lanes, beside the lanes that are still alive.
// Lanes beyond the last trajectory repeat it and record nothing.
class RolloutBlock {
 public:
  RolloutBlock(const Model& model, const RolloutRequest& request, int first, Rollout& out);

  void start_step(int step, int inner);  // fills u and h of an inner step
  // The same of inner step `inner` of `parts` in one lane.
  void start_part(int lane, int step, int inner, int parts);
  void kick(int step);      // adds the request's kicks of the step to v
  void record(int sample);  // q and v of the living lanes, and the midpoint before them
  void fail(int lane, StepStatus status, int completed);  // the lane is frozen from now on
  bool living(int lane) const { return alive >> lane & 1; }
  int index(int lane) const;  // its trajectory

  AlignedVector q, v, u, h;    // [n], [n], [m], [1]  x [kBlock]
  AlignedVector q_mid, v_mid;  // in the middle of the recorded step [n][kBlock]
  LaneMask alive = 0;

 private:
  void store(const AlignedVector& panel, std::vector<double>& to, int samples, int sample) const;

  const RolloutRequest& request_;
  Rollout& out_;
  int n_, m_, first_;
};

}  // namespace mechfit
