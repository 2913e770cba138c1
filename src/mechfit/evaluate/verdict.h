#pragma once

#include <string>

#include "mechfit/evaluate/scores.h"

namespace mechfit {

enum class Grade { good, partial, bad };
template <>
inline constexpr auto kNames<Grade> =
    names<Grade>({{Grade::good, "good"}, {Grade::partial, "partial"}, {Grade::bad, "bad"}});

// Whether the model is any good, in words for a reader who sees the figures for the first time.
struct Verdict {
  Grade grade = Grade::bad;
  // Share of the accelerations' variance, mean over joints; can be negative, even -infinity.
  double explained = 0;
  // [s] longest horizon up to which rollouts keep within half the error of the better baseline,
  // root mean square over joints; 0: not even the first.
  double reliable_until = 0;
  std::string text;  // one or two sentences
};

// good: at least 90 % of the accelerations' variance, and reliable up to every horizon that noise
// lets one judge; bad: worse than predicting the mean acceleration and not reliable up to any;
// partial: all between.
Verdict judge(const Scores& scores);

}  // namespace mechfit
