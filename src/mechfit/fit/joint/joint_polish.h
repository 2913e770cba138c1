#pragma once

#include "mechfit/fit/joint/joint_problem.h"

namespace mechfit {

// Precise data have more to teach a network: where a Gauss-Newton step on motions and parameters
// together makes the held-out runs clearly more likely, more of them follow, s and sigma at their
// most likely values. Noisy data would be overfitted. What steps improve goes to `best`; the
// history and an interruption go to `result`.
void polish(JointProblem& problem, const JointHooks& hooks, JointBest& best, JointResult& result);

}  // namespace mechfit
