#pragma once

#include <limits>
#include <vector>

#include "mechfit/fit/joint/joint_runs.h"

namespace mechfit {

// The runs that a choice between models goes by.
class HeldOut {
 public:
  HeldOut(const Model& model, const Log& observed, const Log& start, ThreadPool& pool)
      : runs(model, observed, start, pool), start_(runs.motions()) {}

  JointRuns runs;

  // Log-likelihood per number, the motions solved for the model, which they stay at; minus infinity
  // where it has no positive definite M.
  double score(const Model& model, const MotionNoise& noise);

 private:
  std::vector<std::vector<double>> start_;
};

// The best of a fit so far.
struct JointBest {
  double score = -std::numeric_limits<double>::infinity();
  std::vector<double> theta;  // empty: none yet
  MotionNoise noise;
  std::vector<std::vector<double>> motions, held_out;

  static JointBest at(double score, const Model& model, const MotionNoise& noise,
                      const JointRuns& runs, const JointRuns& held_out);
};

}  // namespace mechfit
