#include "mechfit/fit/fit_jointly.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <map>
#include <optional>

#include "mechfit/base/error.h"
#include "mechfit/fit/joint/joint_gauss_newton.h"
#include "mechfit/fit/start_model.h"
#include "mechfit/log/thin.h"

namespace mechfit {
namespace {

constexpr int kTrigJoints = 4;        // above, trig has too many functions
constexpr int kTrigParameters = 300;  // above, a higher degree is not tried
constexpr int kHighestDegree = 2;     // exact for chains of revolute joints in space
constexpr double kChance = 10;        // log-likelihood by which a richer family has to be better

template <class... Values>
std::string text(const char* format, Values... values) {
  char buffer[200];
  std::snprintf(buffer, sizeof buffer, format, values...);
  return buffer;
}

struct Candidate {
  std::string name;
  Model start;
  bool competes = true;  // false: only makes the motions with which networks begin
};

bool goes_round(const Log& log) {
  const int n = log.n();
  for (const auto& run : log.runs)
    for (int j = 0; j < n; ++j) {
      double least = run.q[j], most = least;
      for (int k = 0; k < run.size(); ++k) {
        least = std::min(least, run.q[k * n + j]);
        most = std::max(most, run.q[k * n + j]);
      }
      if (most - least > 6) return true;
    }
  return false;
}

// From simple to rich.
std::vector<Candidate> candidates(const Log& smoothed, const Magnitudes& size,
                                  const FitOptions& options) {
  const Channels& channels = smoothed.channels;
  const bool automatic = options.family == "auto";
  std::vector<Candidate> list;
  const bool network_force =
      options.force == ForceKind::network || options.force == ForceKind::friction_network;
  const bool networks = options.family == "smm" || automatic;
  const bool trig_competes = options.family == "trig" || (automatic && options.ensemble == 1);
  FitOptions own = options;
  if (options.family == "trig" || (networks && channels.n() <= kTrigJoints && !network_force)) {
    own.family = "trig";
    for (int degree = 1; degree <= (trig_competes ? kHighestDegree : 1); ++degree) {
      if (options.degree > 0 && degree > 1) break;
      own.degree = options.degree > 0 ? options.degree : degree;
      Model start = start_model(channels, size, own);
      if ((degree > 1 || !trig_competes) && start.parameter_count() > kTrigParameters) break;
      list.push_back({text("trig of degree %d", own.degree), std::move(start), trig_competes});
    }
  }
  if (networks) {
    own.family = "smm";
    for (int k = 0; k < options.ensemble; ++k) {
      own.seed = options.seed + k;
      // Every other member of an ensemble sees the angles themselves instead of their sines and
      // cosines.
      Channels seen = channels;
      if (k % 2 == 1 && !goes_round(smoothed))
        seen.joint_types.assign(channels.n(), JointType::plain);
      list.push_back(
          {options.ensemble == 1 ? "smm" : text("smm, member %d of %d", k + 1, options.ensemble),
           start_model(seen, size, own)});
    }
  }
  if (list.empty()) list.push_back({options.family, start_model(channels, size, options)});
  return list;
}

// What a user sees of the iterations is the same as of epochs.
class Progress {
 public:
  Progress(const FitHooks& hooks, bool several) : hooks_(hooks), several_(several) {
    if (hooks.resume) saved_ = hooks.resume->arrays;
  }

  JointResult fit(const Candidate& candidate, const Log& train, const Log& validation,
                  const JointOptions& options, ThreadPool& pool) {
    state_ = TrainState();
    state_.best_validation = std::numeric_limits<double>::infinity();
    const std::string prefix = candidate.name + "/";
    JointState resumed;
    for (const auto& [name, values] : saved_)
      if (name.starts_with(prefix)) resumed[name.substr(prefix.size())] = values;
    JointHooks hooks;
    if (!resumed.empty()) hooks.resume = &resumed;
    hooks.progress = [&](const JointRecord& record) {
      add(record);
      return !hooks_.progress ||
             hooks_.progress({state_.history.back(), record.iterations, state_.best_validation,
                              several_ ? candidate.name : ""});
    };
    hooks.checkpoint = [&](const JointState& joint) {
      for (const auto& [name, values] : joint) saved_[prefix + name] = values;
      state_.arrays = saved_;
      if (hooks_.checkpoint) hooks_.checkpoint(state_);
    };
    JointResult result = [&] {
      try {
        return fit_joint(candidate.start, train, validation, options, pool, hooks);
      } catch (const std::out_of_range&) {
        throw InputError("the checkpoint is damaged, or of another version of mechfit");
      }
    }();
    state_.history.clear();  // a resumed fit's has its beginning too
    state_.best_validation = std::numeric_limits<double>::infinity();
    for (const JointRecord& record : result.history) add(record);
    state_.arrays = saved_;
    const auto theta = result.model.parameters();
    state_.theta.assign(theta.begin(), theta.end());
    state_.best = state_.theta;
    state_.adam = Adam(state_.theta.size());
    return result;
  }
  const TrainState& state() const { return state_; }

 private:
  void add(const JointRecord& record) {
    const double validation = -record.validation;  // smaller is better, as of errors
    state_.epoch = record.iteration;
    state_.history.push_back({record.iteration, record.objective, validation, 0.0, 0, 0});
    if (validation < state_.best_validation) {
      state_.best_validation = validation;
      state_.best_epoch = record.iteration;
    }
  }

  const FitHooks& hooks_;
  const bool several_;
  TrainState state_;
  JointState saved_;
};

void tell_constants(const AnalyticSystem& system, const JointResult& result,
                    const std::vector<int>& held, std::vector<std::string>& notes) {
  for (int i = 0; i < static_cast<int>(system.constants().size()); ++i) {
    std::string note =
        text("%s = %.6g", system.constants()[i].name.c_str(), system.parameters()[i]);
    if (std::find(held.begin(), held.end(), i) != held.end()) {
      note += " (held)";
    } else if (i < static_cast<int>(result.standard_errors.size())) {
      note += std::isfinite(result.standard_errors[i]) ? text(" +- %.2g", result.standard_errors[i])
                                                       : " (not determined)";
    }
    notes.push_back(note);
  }
  std::map<std::string, int> directions;
  for (const std::string& direction : result.undetermined) ++directions[direction];
  for (const auto& [direction, count] : directions)
    notes.push_back(direction + (count > 1 ? text(" (%d ways to change them do not show)", count)
                                           : std::string()));
}

}  // namespace

FitResult fit_jointly(Split split, const Log& train_smoothed, const Channels& channels,
                      const FitOptions& options, ThreadPool& pool, const FitHooks& hooks,
                      std::vector<std::string> notes) {
  const Thinning thinning = choose_thinning(train_smoothed, options.step);
  if (!thinning.note.empty()) notes.push_back(thinning.note);
  const Log train = thin(split.train, thinning.stride);
  const Log validation = thin(split.validation, thinning.stride);
  const std::vector<Candidate> list =
      candidates(train_smoothed, magnitudes(make_samples(train_smoothed)), options);

  JointOptions joint;
  joint.iterations = options.epochs;
  joint.learning_rate = options.learning_rate;
  const std::vector<double> scales = parameter_scales(list[0].start, options);
  for (int i = 0; i < static_cast<int>(scales.size()); ++i)
    if (scales[i] == 0.0) joint.fixed.push_back(i);

  Progress progress(hooks, list.size() > 1);
  std::optional<JointResult> best, before;
  TrainState state;
  std::vector<Model> members;
  std::string winner, comparison, failure;
  bool finished = true, several = false;
  for (const Candidate& candidate : list) {
    if (!finished && best) break;
    const Trig* richer = candidate.start.as<Trig>();
    if (richer && best && !promises_more(*richer, *best, train, pool)) {
      notes.push_back(candidate.name + " was not fitted: it promises no more than chance");
      continue;
    }
    std::optional<JointResult> result;
    if (best && options.ensemble == 1) joint.rival = best->validation_score;
    if (best || before) joint.before = before ? &*before : &*best;
    try {
      result = progress.fit(candidate, train, validation, joint, pool);
    } catch (const InputError& error) {
      if (list.size() == 1) throw;
      failure = candidate.name + ": " + error.what();
      if (candidate.competes) notes.push_back(failure);
      continue;
    }
    finished = result->finished;
    if (!candidate.competes) {
      before = std::move(result);
      continue;
    }
    if (options.ensemble > 1) members.push_back(result->model);
    several = !comparison.empty();
    comparison += text("%s%s %.4f", comparison.empty() ? "" : ", ", candidate.name.c_str(),
                       result->validation_score);
    const bool better =
        !best || (options.ensemble == 1 &&
                  (result->validation_score - best->validation_score) * result->validation_numbers >
                      kChance);
    if (!better) continue;
    winner = candidate.name;
    best = std::move(result);
    state = progress.state();
  }
  if (!best) throw InputError(failure);
  state.arrays = progress.state().arrays;
  if (several && options.ensemble == 1)
    notes.push_back("family " + winner + " is kept: log-likelihood of a held-out observation " +
                    comparison);
  if (const AnalyticSystem* system = best->model.as<AnalyticSystem>())
    tell_constants(*system, *best, joint.fixed, notes);
  FitResult result{
      best->model,      channels,   std::move(split.train), std::move(split.validation),
      std::move(state), finished,   std::move(notes),       std::move(members),
      best->covariance, best->noise};
  return result;
}

}  // namespace mechfit
