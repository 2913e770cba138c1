#include "mechfit/fit/choose.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "mechfit/base/error.h"
#include "mechfit/fit/joint/joint_problem.h"
#include "mechfit/fit/state.h"

namespace mechfit {
namespace {

// Held-out log-likelihood by which a richer family has to be better: differences of less are
// chance. 3 and 30: same choices on the logs of joint/joint_problem.h, by family trig and auto.
constexpr double kRicherGain = 10;

StartData start_data(const FitData& data, const FitOptions& options) {
  StartData start;
  start.channels = data.channels;
  start.size = data.size;
  start.full_turns = data.full_turns;
  start.joint_estimation = options.method == FitMethod::joint;
  start.learn_gain = options.method == FitMethod::del;
  start.family = options.family;
  start.force = options.force;
  start.hidden = options.hidden;
  start.degree = options.degree;
  start.ensemble = options.ensemble;
  start.seed = options.seed;
  start.input_joints = options.input_joints;
  start.learn_inputs = options.learn_inputs;
  start.scale = options.scale;
  start.fix = options.fix;
  return start;
}

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

}  // namespace

std::vector<Candidate> candidates(const FitData& data, const FitOptions& options) {
  StartData start = start_data(data, options);
  const bool automatic = options.family == "auto", joint = options.method == FitMethod::joint;
  std::vector<const Family*> asked;
  for (const Family& family : families())
    if (automatic ? family.automatic(start) : family.known_as(options.family))
      asked.push_back(&family);
  if (asked.empty()) find_family(options.family);  // says which there are
  if (!joint) asked = {asked.back()};
  const bool networks = asked.back()->kind == ParameterKind::weights;
  std::vector<Candidate> list;
  for (const Family& family : families()) {
    const bool chosen = std::find(asked.begin(), asked.end(), &family) != asked.end();
    // Networks begin with the motions of a family of few coefficients, wherever one applies.
    const bool prepares =
        joint && networks && family.kind == ParameterKind::coefficients && family.automatic(start);
    if (!chosen && !prepares) continue;
    if (!options.fix.empty() && family.kind != ParameterKind::constants)
      throw InputError("only constants of an analytic system can be fixed");
    if (!joint && family.kind == ParameterKind::coefficients)
      throw InputError("family " + family.name +
                       " is fitted by joint estimation only (option 'method' joint)");
    // An ensemble is one of networks, unless another family was asked for by name.
    start.competes =
        chosen && !(automatic && options.ensemble > 1 && family.kind != ParameterKind::weights);
    for (Start& model : family.starts(start)) list.push_back({std::move(model), start.competes});
  }
  return list;
}

Choice::Choice(const FitData& data, const FitOptions& options, bool several, ThreadPool& pool,
               const FitHooks& hooks)
    : data_(data),
      options_(options),
      several_(several),
      pool_(pool),
      hooks_(hooks),
      state_(std::make_shared<FitState>(FitState{std::vector<CandidateState>()})) {
  if (!hooks.resume) return;
  if (!std::holds_alternative<std::vector<CandidateState>>(hooks.resume->progress))
    throw InputError("the checkpoint is of another method");
  *state_ = *hooks.resume;
}

// Tells the fit's hooks of the candidate's steps, and saves and resumes its state under its name.
JointResult Choice::fit(const Candidate& candidate) {
  const std::string& name = candidate.start.name;
  auto& saved = std::get<std::vector<CandidateState>>(state_->progress);
  auto own = std::find_if(saved.begin(), saved.end(),
                          [&](const CandidateState& other) { return other.name == name; });
  std::optional<JointState> resumed;
  FitHistory history{Criterion::log_likelihood};
  if (own != saved.end()) {
    resumed = own->joint;
    history = std::visit([](const auto& joint) { return joint.history; }, *resumed);
  }
  JointHooks hooks;
  if (resumed) hooks.resume = &*resumed;
  hooks.progress = [&](const FitRecord& record, int iterations) {
    history.add(record);
    return !hooks_.progress || hooks_.progress({record, iterations, history.criterion, history.best,
                                                several_ ? name : ""});
  };
  hooks.checkpoint = [&](const JointState& joint) {
    const auto at = std::find_if(saved.begin(), saved.end(),
                                 [&](const CandidateState& other) { return other.name == name; });
    if (at == saved.end())
      saved.push_back({name, joint});
    else
      at->joint = joint;
    if (hooks_.checkpoint) hooks_.checkpoint(*state_, history);
  };
  JointOptions joint;
  joint.fixed = candidate.start.held;
  joint.iterations = options_.epochs;
  joint.learning_rate = options_.learning_rate;
  if (best_ && options_.ensemble == 1) joint.rival = best_->validation_score;
  if (best_ || prepared_) joint.before = prepared_ ? &*prepared_ : &*best_;
  return fit_joint(candidate.start.model, data_.joint, joint, pool_, hooks);
}

FitStatus Choice::consider(const Candidate& candidate) {
  const Model& start = candidate.start.model;
  if (best_) {
    const auto theta = start.parameters_of(best_->model);
    if (theta && !promises_more(start, *theta, *best_, *data_.joint.train, pool_)) {
      notes_.push_back(candidate.start.name + " was not fitted: it promises no more than chance");
      return status_;
    }
  }
  JointResult fitted = fit(candidate);
  status_ = fitted.status;
  if (!found_model(status_)) {
    if (candidate.competes && several_)
      notes_.push_back(candidate.start.name + ": " + explain(status_));
  } else if (candidate.competes) {
    compare(candidate, std::move(fitted));
  } else {
    prepared_ = std::move(fitted);
  }
  return status_;
}

void Choice::compare(const Candidate& candidate, JointResult fitted) {
  const bool ensemble = options_.ensemble > 1;
  if (ensemble) members_.push_back(fitted.model);
  compared_.push_back(fmt::format("{} {:.4f}", candidate.start.name, fitted.validation_score));
  if (best_) {
    const double gain =
        (fitted.validation_score - best_->validation_score) * fitted.validation_count;
    if (ensemble || !(gain > kRicherGain)) return;
  }
  winner_ = &candidate;
  best_ = std::move(fitted);
}

void Choice::finish(FitResult& result) {
  result.notes.insert(result.notes.end(), notes_.begin(), notes_.end());
  result.state = state_;
  if (!best_) {
    result.status = status_;
    return;
  }
  if (compared_.size() > 1 && options_.ensemble == 1)
    result.notes.push_back(
        fmt::format("family {} is kept: log-likelihood of a held-out observation {}",
                    winner_->start.name, fmt::join(compared_, ", ")));
  if (best_->model.kind() == ParameterKind::constants)
    for (std::string& note : constants_in_words(*best_, winner_->start.held))
      result.notes.push_back(std::move(note));
  // A last candidate that failed leaves the one before it.
  result.status = status_ == FitStatus::interrupted ? status_ : best_->status;
  result.model = best_->model;
  result.members = std::move(members_);
  result.history = std::move(best_->history);
  result.covariance = std::move(best_->covariance);
  result.standard_errors = std::move(best_->standard_errors);
  result.noise = best_->noise;
  result.train_motion = std::move(best_->train);
  result.validation_motion = std::move(best_->validation);
}

}  // namespace mechfit
