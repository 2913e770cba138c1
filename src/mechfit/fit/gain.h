#pragma once

#include <span>
#include <string>
#include <vector>

#include "mechfit/base/thread_pool.h"
#include "mechfit/fit/joint/joint.h"

// Whether a richer model is better than a simpler one on what neither has seen.
namespace mechfit {

// Log-likelihood of a held-out part by which a richer family has to be better in the mean:
// differences of less are chance. 3 and 30: same choices on the logs of joint/joint_problem.h, by
// family trig and auto.
inline constexpr double kRicherGain = 10;

// Log-likelihood of the held-out observations of one part of the data.
struct HeldOutScore {
  double log_likelihood = 0;
  int count = 0;  // of observed numbers
};

// A mean over observed numbers, with its standard error by the spread between parts.
struct MeanScore {
  double mean = 0, standard_error = 0;  // of one number; 0 where there is one part only
  int parts = 0;
};
MeanScore mean_score(std::span<const HeldOutScore> parts);

// What the richer model gains on the simpler one, part by part.
struct Gain {
  MeanScore mean;
  int better = 0;         // parts in which the richer one is
  bool disputed = false;  // it loses by more than chance in some part
  bool real = false;      // not disputed, more than chance and not due to one part alone
};
// `least`: what it has to gain in sum.
Gain gain(std::span<const HeldOutScore> simpler, std::span<const HeldOutScore> richer,
          double least);

// A fit's held-out runs one by one; fewer than four are cut into blocks, four or more together,
// which are scored like runs.
std::vector<HeldOutScore> held_out_scores(const JointResult& fitted, const Log& observed,
                                          ThreadPool& pool);

}  // namespace mechfit
