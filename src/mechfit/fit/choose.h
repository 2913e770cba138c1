#pragma once

#include <optional>

#include "mechfit/fit/candidates.h"
#include "mechfit/fit/cross_validation.h"
#include "mechfit/fit/fit.h"

namespace mechfit {

// Fits candidates of joint estimation one after the other, from simple to rich, and keeps the
// simplest on which no richer one gains by more than chance (gain.h): families with few parameters
// are compared on all parts of a cross-validation, networks on the runs that the split holds out.
// Members of an ensemble are all kept. Candidates must outlive it.
class Choice {
 public:
  // `state`: of a choice on other steps before, null for the first.
  Choice(const FitData& data, const FitOptions& options, bool several, ThreadPool& pool,
         const FitHooks& hooks, std::shared_ptr<FitState> state);

  // Fits the candidate unless it promises nothing. The status of the last fit.
  FitStatus consider(const Candidate& candidate);
  // Whether some candidate that competes was fitted.
  bool any() const { return best_.has_value(); }
  // The step that motions need for the midpoint rule's error not to show in the candidate that was
  // considered last, be it one that only prepares motions for networks; nothing when theirs will
  // do, or nothing can be said.
  std::optional<double> finer_step() const;
  // The fit that tells best which observations are wrong: of what is kept so far, else of a family
  // that prepares motions for others; null when there is none, or it was interrupted.
  const JointResult* judge() const;
  // The candidate that was considered last, where it has a model of few parameters; else null.
  const JointResult* simple_fit() const;
  std::shared_ptr<FitState> state() const { return state_; }
  // Moves what was kept into the result.
  void finish(FitResult& result);

 private:
  // A candidate's fits of the split and, once they were needed, of the further parts.
  struct Fitted {
    const Candidate* candidate;
    JointResult main;
    std::vector<JointResult> parts;
  };

  JointResult fit(const Candidate& candidate);
  // Whether the fitted candidate, which competes, is to be kept instead of the best so far.
  bool wins(Fitted& fitted);
  // Nothing when it was interrupted.
  std::optional<Gain> gain_on_parts(Fitted& fitted);
  Gain gain_on_runs(const Fitted& fitted);
  bool cross_validates(const Fitted& fitted) const;
  // Makes the fits of the further parts; false when that was interrupted.
  bool fit_parts(Fitted& fitted);
  std::string kept_in_words() const;

  const FitData& data_;
  const FitOptions& options_;
  bool several_;  // more than one candidate
  ThreadPool& pool_;
  const FitHooks& hooks_;
  std::shared_ptr<FitState> state_;
  std::optional<Fitted> best_;
  std::optional<JointResult> prepared_;
  std::vector<Model> members_;
  std::vector<std::string> compared_;  // "trig of degree 2 gains ..."
  std::vector<std::string> notes_;
  const JointResult* last_ = nullptr;  // that was fitted, with few parameters
  const Candidate* last_candidate_ = nullptr;
  FitStatus status_ = FitStatus::finished;
};

}  // namespace mechfit
