#pragma once

#include <optional>

#include "mechfit/base/thread_pool.h"
#include "mechfit/estimate/kalman/smoother.h"
#include "mechfit/log/log.h"

namespace mechfit {

// A log that models are judged by, and the motion behind it: smoothed once, whoever asks.
struct EvaluationData {
  Log observed;
  std::optional<Log> smoothed;        // when not all runs have logged velocities and accelerations
  bool logged_velocities = false;     // all runs of `observed` have qd, and all q
  bool logged_accelerations = false;  // ... and qdd

  // What accelerations are compared with.
  const Log& motion() const { return smoothed ? *smoothed : observed; }
  // Velocities: the logged ones also when accelerations are smoothed.
  const Log& states() const { return logged_velocities ? observed : motion(); }
};

// Smooths the log where it has no accelerations. InputError when it is too short for that.
EvaluationData evaluation_data(Log observed, SmoothMethod method, ThreadPool& pool);

// The same for a log that was smoothed before: `smoothed` has the same runs with q, qd and qdd.
EvaluationData evaluation_data(Log observed, Log smoothed);

}  // namespace mechfit
