#pragma once

#include <memory>
#include <span>
#include <vector>

#include "mechfit/fit/joint/joint.h"
#include "mechfit/fit/joint/joint_runs.h"
#include "mechfit/fit/joint/mass_prior.h"
#include "mechfit/log/input_timing.h"

namespace mechfit {

// How likely the observations are when inputs act otherwise than in a fit, with motions and
// parameters estimated anew: the profile likelihood of an InputTiming. For families with few
// parameters.
class InputProfile {
 public:
  // `observed`: the training runs on the fit's steps, whose timing was set (acting_input.h). To be
  // comparable all timings are judged by the samples whose inputs are known when they act `longest`
  // seconds late; of long logs by about `most` samples, of runs that are spread over the log.
  InputProfile(const JointResult& fitted, const Log& observed, std::span<const int> fixed,
               double longest, int most, ThreadPool& pool);

  // Whether any run is long enough.
  bool usable() const { return runs_.size() > 0; }

  // Minus the J that the linearised problem around the fit promises at its noise: one Gauss-Newton
  // step, to find out where to look. Minus infinity where it cannot be made.
  double promised(const InputTiming& timing);

  // Log-likelihood, from where the likeliest timing so far ended.
  double log_likelihood(const InputTiming& timing);

 private:
  struct End {
    std::vector<double> theta;
    MotionNoise noise;
    std::vector<std::vector<double>> motions;
    double log_likelihood;
  };
  void set_inputs(const InputTiming& timing);

  Model model_;
  std::vector<int> fixed_;
  Log observed_;
  JointRuns runs_;
  std::unique_ptr<MassPrior> prior_;
  End fit_, best_;
};

}  // namespace mechfit
