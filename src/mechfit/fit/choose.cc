#include "mechfit/fit/choose.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "mechfit/base/error.h"
#include "mechfit/fit/joint/grid_bias.h"
#include "mechfit/fit/joint/joint_problem.h"
#include "mechfit/fit/state.h"
#include "mechfit/log/refine.h"
#include "mechfit/log/steps.h"

namespace mechfit {
namespace {

// Bias of the midpoint rule (grid_bias.h) above which motions are put on finer steps, and the one
// that these are to have: errors of simulated machines stop falling near 0.1.
constexpr double kMostBias = 0.1, kWantedBias = 0.03;
// How much finer at least and at most: a bias that large is known by its order only.
constexpr double kLeastFiner = 1.5, kMostFiner = 4;

// The constants of the machine, with their standard errors and what the motion does not tell.
std::vector<std::string> constants_in_words(const JointResult& result,
                                            const std::vector<int>& held) {
  std::vector<std::string> notes;
  for (const Description::Value& value : result.model.describe().values) {
    const int k = value.parameter;
    std::string note = fmt::format("{} = {:.6g}", value.name, value.value);
    if (std::find(held.begin(), held.end(), k) != held.end()) {
      note += " (held)";
    } else if (k >= 0 && k < static_cast<int>(result.standard_errors.size())) {
      note += std::isfinite(result.standard_errors[k])
                  ? fmt::format(" +- {:.2g}", result.standard_errors[k])
                  : " (not determined)";
    }
    notes.push_back(note);
  }
  std::map<std::string, int> directions;
  for (const std::string& direction : result.undetermined) ++directions[direction];
  for (const auto& [direction, count] : directions)
    notes.push_back(direction +
                    (count > 1 ? " (" + std::to_string(count) + " ways to change them do not show)"
                               : std::string()));
  return notes;
}

// "trig of degree 2 gains 0.0010 +- 0.0031 on trig of degree 1 (better in 2 of 4 parts)"
std::string gain_in_words(const std::string& richer, const std::string& simpler, const Gain& gain,
                          const std::string& parts) {
  if (!std::isfinite(gain.mean.mean)) return richer + " has no model for some of the " + parts;
  const std::string change = fmt::format(
      "{} {} {:.4f}", richer, gain.mean.mean < 0 ? "loses" : "gains", std::abs(gain.mean.mean));
  if (gain.mean.parts == 1) return change + " on " + simpler + " in the first part";
  return fmt::format("{} +- {:.4f} on {} (better in {} of {} {})", change, gain.mean.standard_error,
                     simpler, gain.better, gain.mean.parts, parts);
}

}  // namespace

Choice::Choice(const FitData& data, const FitOptions& options, bool several, ThreadPool& pool,
               const FitHooks& hooks, std::shared_ptr<FitState> state)
    : data_(data),
      options_(options),
      several_(several),
      pool_(pool),
      hooks_(hooks),
      state_(state ? std::move(state)
                   : std::make_shared<FitState>(FitState{std::vector<CandidateState>()})) {
  if (!hooks.resume || !std::get<std::vector<CandidateState>>(state_->progress).empty()) return;
  if (!std::holds_alternative<std::vector<CandidateState>>(hooks.resume->progress))
    throw InputError("the checkpoint is of another method");
  *state_ = *hooks.resume;
}

// Tells the fit's hooks of the candidate's steps, and saves and resumes its state under its name.
JointResult Choice::fit(const Candidate& candidate) {
  const std::string& name = candidate.start.name;
  std::string key = name;
  if (data_.grid > 0) key += fmt::format(", steps of {} s", data_.grid);
  if (!data_.timing.as_logged())
    key += fmt::format(", inputs {} {} {}", name_of(data_.timing.hold), data_.timing.delay,
                       data_.timing.lag);
  if (data_.weighed > 0) key += fmt::format(", weights {}", data_.weighed);
  auto& saved = std::get<std::vector<CandidateState>>(state_->progress);
  auto own = std::find_if(saved.begin(), saved.end(),
                          [&](const CandidateState& other) { return other.name == key; });
  std::optional<JointState> resumed;
  FitHistory history{Criterion::log_likelihood};
  if (own != saved.end()) {
    resumed = own->joint;
    history = std::visit([](const auto& joint) { return joint.history; }, *resumed);
  }
  JointHooks hooks;
  if (resumed) hooks.resume = &*resumed;
  hooks.team = hooks_.team;
  hooks.progress = [&](const FitRecord& record, int iterations) {
    history.add(record);
    return !hooks_.progress || hooks_.progress({record, iterations, history.criterion, history.best,
                                                several_ ? name : ""});
  };
  hooks.checkpoint = [&](const JointState& joint) {
    const auto at = std::find_if(saved.begin(), saved.end(),
                                 [&](const CandidateState& other) { return other.name == key; });
    if (at == saved.end())
      saved.push_back({key, joint});
    else
      at->joint = joint;
    if (hooks_.checkpoint) hooks_.checkpoint(*state_, history);
  };
  JointOptions joint;
  joint.fixed = candidate.start.held;
  joint.iterations = options_.epochs;
  joint.learning_rate = options_.learning_rate;
  if (best_ && options_.ensemble == 1) joint.rival = best_->main.validation_score;
  if (best_ || prepared_) joint.before = prepared_ ? &*prepared_ : &best_->main;
  return fit_joint(candidate.start.model, data_.joint, joint, pool_, hooks);
}

FitStatus Choice::consider(const Candidate& candidate) {
  const Model& start = candidate.start.model;
  if (best_) {
    const auto theta = start.parameters_of(best_->main.model);
    if (theta && !promises_more(start, *theta, best_->main, *data_.joint.train, pool_)) {
      notes_.push_back(candidate.start.name + " was not fitted: it promises no more than chance");
      return status_;
    }
  }
  Fitted fitted{&candidate, fit(candidate), {}};
  status_ = fitted.main.status;
  last_ = nullptr;
  if (!found_model(status_)) {
    if (candidate.competes && several_)
      notes_.push_back(candidate.start.name + ": " + explain(status_));
  } else if (!candidate.competes) {
    prepared_ = std::move(fitted.main);
  } else {
    if (options_.ensemble > 1) members_.push_back(fitted.main.model);
    if (wins(fitted)) {
      best_ = std::move(fitted);
      last_ = &best_->main;
    }
  }
  last_candidate_ = &candidate;
  return status_;
}

const JointResult* Choice::simple_fit() const {
  const JointResult* fitted = last_candidate_->competes || !prepared_ ? last_ : &*prepared_;
  const bool simple = fitted && fitted->status == FitStatus::finished &&
                      fitted->model.kind() != ParameterKind::weights;
  return simple ? fitted : nullptr;
}

std::optional<double> Choice::finer_step() const {
  const JointResult* fitted = simple_fit();
  if (!fitted) return std::nullopt;
  if (!last_candidate_->competes && !explains_motion(fitted->noise, data_.size.a))
    return std::nullopt;
  const double step = data_.grid > 0 ? data_.grid : median_step(*data_.joint.train);
  const double bias =
      grid_bias(*fitted, *data_.joint.train, refine(*data_.sampled.train, 0.5 * step),
                last_candidate_->start.held, pool_);
  if (!(bias > kMostBias)) return std::nullopt;
  // B falls with the fourth power of the step.
  return step / std::clamp(std::pow(bias / kWantedBias, 0.25), kLeastFiner, kMostFiner);
}

const JointResult* Choice::judge() const {
  if (status_ == FitStatus::interrupted) return nullptr;
  return best_ ? &best_->main : prepared_ ? &*prepared_ : nullptr;
}

bool Choice::wins(Fitted& fitted) {
  const std::string& name = fitted.candidate->start.name;
  const JointResult& main = fitted.main;
  if (options_.quick) {
    compared_.push_back(fmt::format("{} {:.4f}", name, main.validation_score));
    return !best_ ||
           (options_.ensemble == 1 &&
            (main.validation_score - best_->main.validation_score) * main.validation_count >
                kRicherGain);
  }
  if (!best_) return true;
  if (options_.ensemble > 1) return false;
  const bool parts = cross_validates(fitted) && cross_validates(*best_);
  const std::optional<Gain> gained = parts ? gain_on_parts(fitted) : gain_on_runs(fitted);
  if (!gained) return false;
  const std::size_t runs = data_.joint.validation->runs.size();
  compared_.push_back(gain_in_words(name, best_->candidate->start.name, *gained,
                                    parts ? "parts"
                                    : gained->mean.parts == static_cast<int>(runs)
                                        ? "held-out runs"
                                        : "blocks of held-out runs"));
  return gained->real;
}

std::optional<Gain> Choice::gain_on_parts(Fitted& fitted) {
  // A family that loses on the first part has lost.
  const Gain first = gain(part_scores(best_->main, {}), part_scores(fitted.main, {}), kRicherGain);
  if (first.disputed) return first;
  if (!fit_parts(*best_) || !fit_parts(fitted)) return std::nullopt;
  return gain(part_scores(best_->main, best_->parts), part_scores(fitted.main, fitted.parts),
              kPartGain * static_cast<double>(1 + data_.parts.size()));
}

Gain Choice::gain_on_runs(const Fitted& fitted) {
  const Log& observed = *data_.joint.validation;
  return gain(held_out_scores(best_->main, observed, pool_),
              held_out_scores(fitted.main, observed, pool_), kRicherGain);
}

bool Choice::cross_validates(const Fitted& fitted) const {
  return !data_.parts.empty() && options_.ensemble == 1 &&
         fitted.main.status == FitStatus::finished &&
         fitted.main.model.kind() != ParameterKind::weights;
}

bool Choice::fit_parts(Fitted& fitted) {
  if (!fitted.parts.empty()) return true;
  FitHistory history{Criterion::log_likelihood};
  int current = 0;
  const auto progress = [&](const FitRecord& record, int iterations, int part) {
    if (part != current) history = FitHistory(Criterion::log_likelihood);
    current = part;
    history.add(record);
    return !hooks_.progress ||
           hooks_.progress({record, iterations, history.criterion, history.best,
                            fmt::format("{}, part {} of {}", fitted.candidate->start.name, part,
                                        data_.parts.size() + 1)});
  };
  CrossValidation done =
      cross_validate(fitted.candidate->start, data_, options_.epochs, pool_, progress, hooks_.team);
  if (done.status == FitStatus::interrupted)
    status_ = done.status;
  else
    fitted.parts = std::move(done.parts);
  return status_ != FitStatus::interrupted;
}

std::string Choice::kept_in_words() const {
  const std::string& name = best_->candidate->start.name;
  if (options_.quick)
    return fmt::format(
        "family {} is kept: log-likelihood of a held-out observation, up to a constant, {}", name,
        fmt::join(compared_, ", "));
  std::string text = fmt::format(
      "family {} is kept: log-likelihood of a held-out observation, up to a constant, ", name);
  const MeanScore mean = mean_score(part_scores(best_->main, best_->parts));
  if (best_->parts.empty() || !std::isfinite(mean.mean))
    text += fmt::format("{:.4f}", best_->main.validation_score);
  else
    text +=
        fmt::format("{:.4f} +- {:.4f} over {} parts", mean.mean, mean.standard_error, mean.parts);
  for (std::size_t k = 0; k < best_->parts.size(); ++k)
    if (!found_model(best_->parts[k].status))
      text += fmt::format("; part {} of {}: {}", k + 2, best_->parts.size() + 1,
                          explain(best_->parts[k].status));
  for (const std::string& comparison : compared_) text += "; " + comparison;
  return text;
}

void Choice::finish(FitResult& result) {
  result.notes.insert(result.notes.end(), notes_.begin(), notes_.end());
  result.state = state_;
  if (!best_) {
    result.status = status_;
    return;
  }
  if (status_ != FitStatus::interrupted && cross_validates(*best_) && fit_parts(*best_))
    result.parts = make_parts(best_->parts, data_, options_);
  JointResult& main = best_->main;
  const bool told =
      options_.quick ? compared_.size() > 1 : !compared_.empty() || !best_->parts.empty();
  if (told && options_.ensemble == 1) result.notes.push_back(kept_in_words());
  if (main.model.kind() == ParameterKind::constants)
    for (std::string& note : constants_in_words(main, best_->candidate->start.held))
      result.notes.push_back(std::move(note));
  // A last candidate that failed leaves the one before it.
  result.status = status_ == FitStatus::interrupted ? status_ : main.status;
  result.model = main.model;
  result.members = std::move(members_);
  result.history = std::move(main.history);
  result.covariance = std::move(main.covariance);
  result.standard_errors = std::move(main.standard_errors);
  result.noise = main.noise;
  result.train_motion = std::move(main.train);
  result.validation_motion = std::move(main.validation);
}

}  // namespace mechfit
