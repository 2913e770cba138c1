#pragma once

#include <span>
#include <vector>

#include "mechfit/base/thread_pool.h"
#include "mechfit/estimate/kalman/cleaning.h"
#include "mechfit/estimate/kalman/smoother.h"
#include "mechfit/estimate/motion/motion_quadratic.h"
#include "mechfit/log/log.h"
#include "mechfit/mechanics/model.h"

namespace mechfit {

// A log and the motion that was estimated for it with a model.
struct JudgedLog {
  const Log* observed;  // all positions
  const Log* used;      // those that have weight in the motion, NaN instead of the others
  const Log* motion;    // q
};

// Positions that the rest of their run contradicts when the motion obeys the model, by log
// (residuals.h). Linear in the samples. The bits do not depend on the number of threads.
std::vector<std::vector<Defect>> find_contradictions(const Model& model, const MotionNoise& noise,
                                                     std::span<const JudgedLog> logs,
                                                     ThreadPool& pool);

// The same of a log whose motion is not known yet, estimated on steps of `grid` where the samples'
// are longer (0: never). None where the model has no positive definite M.
std::vector<Defect> find_contradictions(const Model& model, const Log& observed, double grid,
                                        ThreadPool& pool);

// The same when all that is known of the motion is that its jerk is white noise, as `smoothed` of
// the methods on smoothed data takes it to be.
std::vector<Defect> find_contradictions(const Log& observed, SmoothResult smoothed,
                                        ThreadPool& pool);

// Defects of a log on finer steps, or of one that was thinned, as those of the log it was made of.
std::vector<Defect> at_samples(std::vector<Defect> defects, const Log& grid, const Log& log);

}  // namespace mechfit
