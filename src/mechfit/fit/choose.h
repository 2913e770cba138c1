#pragma once

#include <optional>

#include "mechfit/fit/fit.h"
#include "mechfit/fit/fit_data.h"
#include "mechfit/mechanics/families/families.h"

namespace mechfit {

// A model that a fit may start from, and what becomes of it.
struct Candidate {
  Start start;
  bool competes = true;  // false: it only makes the motions with which networks begin
};

// From simple to rich. InputError when options and log do not fit.
std::vector<Candidate> candidates(const FitData& data, const FitOptions& options);

// Fits candidates of joint estimation one after the other and keeps the one that makes the held-out
// runs most likely; members of an ensemble are all kept. Candidates must outlive it.
class Choice {
 public:
  Choice(const FitData& data, const FitOptions& options, bool several, ThreadPool& pool,
         const FitHooks& hooks);

  // Fits the candidate unless it promises nothing. The status of the last fit.
  FitStatus consider(const Candidate& candidate);
  // Whether some candidate that competes was fitted.
  bool any() const { return best_.has_value(); }
  // Moves what was kept into the result.
  void finish(FitResult& result);

 private:
  JointResult fit(const Candidate& candidate);
  void compare(const Candidate& candidate, JointResult fitted);

  const FitData& data_;
  const FitOptions& options_;
  bool several_;  // more than one candidate
  ThreadPool& pool_;
  const FitHooks& hooks_;
  std::shared_ptr<FitState> state_;
  std::optional<JointResult> best_, prepared_;
  const Candidate* winner_ = nullptr;
  std::vector<Model> members_;
  std::vector<std::string> compared_;  // "trig of degree 1 2.0193"
  std::vector<std::string> notes_;
  FitStatus status_ = FitStatus::finished;
};

}  // namespace mechfit
