#pragma once

#include <string>
#include <vector>

#include "mechfit/evaluate/scores.h"

namespace mechfit {

enum class Grade { good, usable, unusable };
template <>
inline constexpr auto kNames<Grade> =
    names<Grade>({{Grade::good, "good"}, {Grade::usable, "usable"}, {Grade::unusable, "unusable"}});

// What the words mean, by convention. Errors are root mean squares, of accelerations in units of
// their own, of rollouts in units of the better prediction without a model.
//
//   good      accelerations and rollouts up to the third horizon, about the time in which the
//             motion changes, within a fifth; at least one of these horizons can be judged
//   usable    accelerations and rollouts up to the first horizon within a half
//   unusable  else
//
// Where every joint is driven, the same limits hold for the error of torques over their spread, and
// that alone decides.
inline constexpr double kGoodError = 0.2, kUsableError = 0.5;
inline constexpr int kGoodHorizons = 3;

// Whether the model is any good, in words for a reader who sees the figures for the first time.
struct Verdict {
  Grade grade = Grade::unusable;
  // Share of the accelerations' mean square, 1 - error^2 / size^2; can be negative, even -infinity.
  double explained = 0;
  // [s] longest horizon up to which rollouts keep within kUsableError; 0: not even the first.
  double reliable_until = 0;
  double reliable_error = 0;        // of rollouts there, the start's share included
  std::string words;                // "a good model", "usable up to 0.5 s", "not a usable model"
  std::string good_for;             // what it is good for, one sentence
  std::vector<std::string> limits;  // what limits it, a sentence each, the worst first
  std::vector<std::string> advice;  // what to do next, a sentence each
  std::string text() const;         // all sentences
};

Verdict judge(const Scores& scores);

// The grade alone: also for errors that are known otherwise.
Grade grade_of(const Quality& quality);

}  // namespace mechfit
