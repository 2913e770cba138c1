#include "mechfit/fit/joint/joint_held_out.h"

namespace mechfit {

double HeldOut::score(const Model& model, const MotionNoise& noise) {
  constexpr MotionRun::Options kSolve{8, 1e-2};
  runs.solve(model, noise, kSolve);
  if (runs.linearise(model, RunDerivatives::configurations)) return likelihood_score(runs, noise);
  runs.set_motions(start_);
  return -std::numeric_limits<double>::infinity();
}

JointBest JointBest::at(double score, const Model& model, const MotionNoise& noise,
                        const JointRuns& runs, const JointRuns& held_out) {
  const auto theta = model.parameters();
  return {score, {theta.begin(), theta.end()}, noise, runs.motions(), held_out.motions()};
}

}  // namespace mechfit
