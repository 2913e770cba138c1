#include "mechfit/fit/torque_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "mechfit/base/error.h"
#include "mechfit/evaluate/torque_error.h"
#include "mechfit/fit/smoothed/fit_smoothed.h"
#include "mechfit/fit/start_by_torque.h"

namespace mechfit {
namespace {

// Blocks of held-out samples, of which most must agree.
constexpr std::size_t kBlocks = 4;
constexpr int kMost = 3;
// A richer family has to bring the held-out error below this share of the simpler one's.
constexpr double kRicher = 0.8;
// Torque regression has to bring it below this share of joint estimation's. Noise in the smoothed
// accelerations shrinks the M that predicts torques best; where it is a fifth of them, which is
// much, that gains 1 / (1 + 0.2^2), far from this.
constexpr double kClearly = 0.7;
// A term of friction has to lower it at least by this share; what Stribeck's term gained on a real
// arm (4 %) is kept.
constexpr double kTermGain = 0.97;

const char* const kLadder[] = {"viscous+coulomb", "offset", "asymmetric", "stribeck", "position"};

// Parameters that both models name take their values from `from`.
std::vector<double> by_name(const Model& from, const Model& to) {
  std::map<std::string, double> known;
  const auto names = from.parameters_info();
  for (std::size_t k = 0; k < names.size(); ++k) known[names[k].name] = from.parameters()[k];
  std::vector<double> theta(to.parameters().begin(), to.parameters().end());
  const auto own = to.parameters_info();
  for (std::size_t k = 0; k < own.size(); ++k)
    if (const auto found = known.find(own[k].name); found != known.end()) theta[k] = found->second;
  return theta;
}

const Start* simplest(const std::vector<Candidate>& list) {
  for (const Candidate& candidate : list)
    if (candidate.competes && candidate.start.model.kind() != ParameterKind::weights &&
        fully_driven(candidate.start.model))
      return &candidate.start;
  return nullptr;
}

void take(TorqueFit fit, FitResult& result) {
  result.status = fit.status;
  result.model = std::move(fit.model);
  result.history = std::move(fit.history);
  result.covariance = std::move(fit.covariance);
  result.standard_errors = std::move(fit.standard_errors);
}

}  // namespace

bool drives_all(const Log& log, const FitOptions& options) {
  const int n = log.n(), m = log.m();
  if (m < n || options.learn_inputs) return false;
  for (int j = 0; j < m; ++j) {
    bool changes = false;
    for (const Trajectory& run : log.runs)
      for (int k = 1; k < run.size() && !changes; ++k) changes = run.u[k * m + j] != run.u[j];
    if (!changes) return false;
  }
  const std::vector<double> b = input_matrix(log.channels, options.input_joints);
  for (int i = 0; i < n; ++i)
    if (std::all_of(b.begin() + i * m, b.begin() + (i + 1) * m, [](double x) { return x == 0; }))
      return false;
  return true;
}

TorqueJudge::TorqueJudge(const FitData& data, const Model& any, ThreadPool& pool)
    : train_(make_samples(data.train_smoothed->log)), pool_(pool) {
  if (data.validation_smoothed)
    validation_ = make_samples(*data.validation_smoothed);
  else
    validation_ = make_samples(smooth(*data.validation, SmoothOptions(), pool).log);
  for (const Samples* samples : {&validation_, &train_})
    for (const double size : torque_sizes(any, *samples, pool)) able_ = able_ && size > 0;
  const MotionView points = motion_view(validation_);
  stretches_ = stretches(points, torque_window(points));
}

std::vector<double> TorqueJudge::errors(const Model& model) const {
  const int n = validation_.n, size = static_cast<int>(stretches_.size());
  const Torques torques = predict_torques(model, motion_view(validation_), pool_);
  const std::vector<double> applied = stretch_means(stretches_, torques.applied, n);
  const std::vector<double> predicted = stretch_means(stretches_, torques.predicted, n);
  std::vector<double> out(size, 0.0);
  for (int j = 0; j < n; ++j) {
    double mean = 0, variance = 0;
    for (int k = 0; k < size; ++k) mean += applied[k * n + j] / size;
    for (int k = 0; k < size; ++k) variance += std::pow(applied[k * n + j] - mean, 2) / size;
    for (int k = 0; k < size; ++k)
      out[k] += std::pow(predicted[k * n + j] - applied[k * n + j], 2) / (variance * n);
  }
  return out;
}

double TorqueJudge::error(const Model& model) const {
  const std::vector<double> own = errors(model);
  return std::accumulate(own.begin(), own.end(), 0.0) / static_cast<double>(own.size());
}

bool TorqueJudge::better(const Model& a, const Model& b, double share) const {
  const std::vector<double> of_a = errors(a), of_b = errors(b);
  const auto sum = [](const std::vector<double>& x, std::size_t first, std::size_t last) {
    return std::accumulate(x.begin() + static_cast<std::ptrdiff_t>(first),
                           x.begin() + static_cast<std::ptrdiff_t>(last), 0.0);
  };
  const std::size_t size = of_a.size();
  if (!(sum(of_a, 0, size) < share * sum(of_b, 0, size))) return false;
  int wins = 0;
  for (std::size_t k = 0; k < kBlocks; ++k) {
    const std::size_t first = size * k / kBlocks, last = size * (k + 1) / kBlocks;
    wins += sum(of_a, first, last) < sum(of_b, first, last);
  }
  return wins >= kMost;
}

TorqueFit TorqueJudge::fit(const Start& start, const std::vector<double>& warm,
                           const FitHooks& hooks) {
  double best = std::numeric_limits<double>::infinity();
  const auto progress = [&](const FitRecord& record, int steps) {
    best = std::min(best, record.validation);
    return !hooks.progress ||
           hooks.progress({record, steps, Criterion::error, best, start.name + " by torque"});
  };
  return fit_start_by_torque(start, warm, train_, validation_, pool_, progress);
}

FrictionChoice choose_friction(const FitData& data, const FitOptions& options, ThreadPool& pool,
                               const FitHooks& hooks) {
  FitOptions own = options;
  own.friction = kLadder[0];
  std::vector<Candidate> list = candidates(data, own);
  const Start* start = simplest(list);
  if (!start) return {"viscous+coulomb+offset", ""};
  TorqueJudge judge(data, start->model, pool);
  if (!judge.able()) return {"auto", ""};
  TorqueFit best = judge.fit(*start, {}, hooks);
  std::string terms = kLadder[0], told;
  for (std::size_t k = 1; k < std::size(kLadder) && found_model(best.status); ++k) {
    own.friction = terms + "+" + kLadder[k];
    list = candidates(data, own);
    start = simplest(list);
    TorqueFit next = judge.fit(*start, by_name(best.model, start->model), hooks);
    const double before = judge.error(best.model), after = judge.error(next.model);
    const bool kept = found_model(next.status) && judge.better(next.model, best.model, kTermGain);
    told += fmt::format("; {} {} ({:.4f})", kLadder[k], kept ? "helps" : "does not", after);
    if (told.find(':') == std::string::npos)
      told = fmt::format(": held-out torque error (nMSE) {:.4f} without more", before) + told;
    if (!kept) continue;
    terms = own.friction;
    best = std::move(next);
  }
  return {terms, "friction " + terms + " is kept" + told};
}

void fit_by_torque(const FitData& data, const std::vector<Candidate>& list,
                   const FitOptions& options, ThreadPool& pool, const FitHooks& hooks,
                   FitResult& result) {
  std::unique_ptr<TorqueJudge> judge;
  std::string kept, compared;
  for (const Candidate& candidate : list) {
    if (!candidate.competes) continue;
    FitResult own = result;
    own.notes.clear();
    fit_smoothed(data, candidate.start, options, pool, hooks, own);
    if (!judge) judge = std::make_unique<TorqueJudge>(data, candidate.start.model, pool);
    const bool first = kept.empty();
    const double error = judge->error(own.model);
    if (first || (found_model(own.status) && (!found_model(result.status) ||
                                              judge->better(own.model, result.model, kRicher)))) {
      own.notes.insert(own.notes.begin(), result.notes.begin(), result.notes.end());
      result = std::move(own);
      kept = candidate.start.name;
    }
    compared += fmt::format("{}{} {:.4f}", first ? "" : ", ", candidate.start.name, error);
    if (result.status == FitStatus::interrupted) break;
  }
  if (list.size() > 1)
    result.notes.push_back("family " + kept + " is kept: held-out torque error (nMSE) " + compared);
}

void compare_by_torque(const FitData& data, const std::vector<Candidate>& list, ThreadPool& pool,
                       const FitHooks& hooks, FitResult& result) {
  if (!simplest(list) || result.status == FitStatus::interrupted) return;
  TorqueJudge judge(data, simplest(list)->model, pool);
  if (!judge.able()) return;
  const bool found = found_model(result.status);
  const double joint = found ? judge.error(result.model) : 0;
  bool replaced = false;
  std::string kept = "joint estimation", compared;
  for (const Candidate& candidate : list) {
    if (!candidate.competes || candidate.start.model.kind() == ParameterKind::weights) continue;
    TorqueFit fit = judge.fit(candidate.start, {}, hooks);
    if (!found_model(fit.status)) continue;
    compared += fmt::format(", {} by torque regression {:.4f}", candidate.start.name,
                            judge.error(fit.model));
    const bool any = found || replaced;
    if (any && !judge.better(fit.model, result.model, replaced ? kRicher : kClearly)) continue;
    take(std::move(fit), result);
    replaced = true;
    kept = candidate.start.name + " by torque regression";
  }
  if (compared.empty()) return;
  result.notes.push_back(fmt::format(
      "{} is kept: held-out torque error (nMSE) {}{}", kept,
      found ? fmt::format("joint estimation {:.4f}", joint) : "joint estimation failed", compared));
  if (!replaced) return;
  result.parts.clear();
  result.members.clear();
  result.noise = {};
  result.train_motion = result.validation_motion = {};
  result.method = FitMethod::torque;
}

}  // namespace mechfit
