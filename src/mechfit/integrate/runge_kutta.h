#pragma once

#include <span>
#include <vector>

#include "mechfit/integrate/rollout.h"
#include "mechfit/mechanics/euler_lagrange.h"

// Explicit Runge-Kutta methods on x = (q, v), dx/dt = (v, a(q, v, u)), the input held over the
// step. Stage i is evaluated at x_i = x + c_i h k_{i-1} and k_i = (v_i, a_i); x_next = x + h sum
// b_i k_i.
namespace mechfit {

// Every stage keeps its own workspace, so that the reverse pass uses what the forward pass
// computed. The scheme is rk4 or midpoint.
struct RungeKuttaWorkspace {
  RungeKuttaWorkspace(const Model& model, Integrator scheme);

  struct Stage {
    double c, b;
    AccelerationWorkspace acceleration;
    AlignedVector q, v, a;  // [n][kBlock]
  };
  std::vector<Stage> stages;
  LaneMask positive = 0;
  AlignedVector h;                       // [kBlock]
  AlignedVector q_next_bar, v_next_bar;  // [n][kBlock]
  AlignedVector kq_bar, kv_bar;          // adjoint of k_i                    [n][kBlock]
  AlignedVector q_bar, v_bar;            // what a stage sends to its state   [n][kBlock]
  AlignedVector q_sum, v_sum;            // adjoint of the start state so far [n][kBlock]
  AlignedVector u_bar, u_sum;            // [m][kBlock]
  AlignedVector merged;                  // gradient of all stages
};

// One step from x with lane-wise step lengths h [kBlock]; u may be null. Returns the lanes where M
// was positive definite at every stage; q_next and v_next are NaN in the others.
[[nodiscard]] LaneMask runge_kutta_step(const Model& model, const Points& x, const double* h,
                                        double* q_next, double* v_next, RungeKuttaWorkspace& w);

// Pullback of the last step: gradients of a loss with q_next_bar = dloss/dq_next and v_next_bar
// [n][kBlock] to the start state, u and theta. Lanes that runge_kutta_step did not return count as
// zero.
void runge_kutta_pullback(const Model& model, const double* q_next_bar, const double* v_next_bar,
                          const Adjoints& adjoints, RungeKuttaWorkspace& w);

// The parameter gradient that pullbacks gathered in all stages, merged as in lagrangian.h.
void clear_gradient(const Model& model, RungeKuttaWorkspace& w);
void add_gradient(const Model& model, RungeKuttaWorkspace& w, std::span<double> merged,
                  bool add = true);

// Simulates all trajectories of `request`, which must give start velocities; blocks of trajectories
// are spread over the threads of the pool.
Rollout runge_kutta_rollout(const Model& model, const RolloutRequest& request, Integrator scheme,
                            ThreadPool& pool);

}  // namespace mechfit
