#include "mechfit/fit/joint/joint_network.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "mechfit/base/error.h"

namespace mechfit {
namespace {

// Steps between Jacobians. 1, 2 and 8: same errors within 0.3 % (logs of joint_problem.h).
constexpr int kRefresh = 4;
// Of a run's J in a step on its motion: more, and Newton's method is called to its rescue. 1.0003
// and 1.003, and kRescue of 2 and 8 steps, 3e-5 and 3e-4: same errors to four digits.
constexpr double kTolerated = 1.001;
// Of J from step to step before one is taken back. 1.017: errors -3 to +17 %; 1.15: within 5 %.
// Steps are then half as long, and 1 % longer after each that succeeds: 0.25 and 0.8, 0.3 and 3 %
// change errors by -5 to +21 %.
constexpr double kRise = 1.05;
constexpr MotionRun::Options kRescue{4, 1e-4};

}  // namespace

JointNetwork::JointNetwork(Model model, JointRuns& runs, MassPrior* prior)
    : model_(std::move(model)),
      runs_(runs),
      prior_(prior),
      adam_(model_.parameter_count()),
      parts_(runs.size()),
      merged_(model_.merged_size()),
      gradient_(model_.parameter_count()),
      step_(gradient_),
      theta_(model_.parameters().begin(), model_.parameters().end()),
      last_theta_(theta_),
      last_motions_(runs.motions()) {
  for (Part& part : parts_) part.merged.resize(merged_.size());
  for (const ParameterInfo& info : model_.parameters_info())
    precision_.push_back(info.prior_precision);
}

void JointNetwork::set_parameters() { model_.set_parameters(theta_); }

void JointNetwork::restart() {
  adam_ = Adam(theta_.size());
  last_ = kNone;
  age_ = 0;
}

void JointNetwork::restart(std::span<const double> theta) {
  theta_.assign(theta.begin(), theta.end());
  set_parameters();
  restart();
}

// Along the gradient at the last errors of the runs.
void JointNetwork::move_parameters(const MotionNoise& noise, double rate) {
  const int n = model_.joints();
  runs_.each([&](MotionRun& run, int k) {
    Part& part = parts_[k];
    part.g.resize(run.error.e.size());
    for (std::size_t i = 0; i < part.g.size(); ++i)
      part.g[i] = run.error.e[i] / (noise.s[i % n] * noise.s[i % n]);
    auto& w = run.error.run.block.model;
    model_.clear_gradient(w);
    del_run_error_pullback(model_, run.view(run.q), part.g, {}, true, run.error);
    std::fill(part.merged.begin(), part.merged.end(), 0.0);
    model_.add_gradient(w, part.merged);
  });
  std::fill(merged_.begin(), merged_.end(), 0.0);
  for (const Part& part : parts_)
    for (std::size_t i = 0; i < merged_.size(); ++i) merged_[i] += part.merged[i];
  model_.expand_gradient(merged_, gradient_);
  const auto size = static_cast<Eigen::Index>(gradient_.size());
  if (prior_) {
    prior_->settle(model_);
    if (!prior_->add_derivatives(model_, Eigen::Map<Eigen::VectorXd>(gradient_.data(), size),
                                 nullptr))
      return;
  }
  // J per observed number, so that the rate means the same for every amount of data
  for (std::size_t i = 0; i < theta_.size(); ++i)
    gradient_[i] = (gradient_[i] + precision_[i] * theta_[i]) / runs_.observation_count();
  if (!std::all_of(gradient_.begin(), gradient_.end(), [](double g) { return std::isfinite(g); }))
    return;
  adam_.step(gradient_, rate, step_);
  for (std::size_t i = 0; i < theta_.size(); ++i) theta_[i] += step_[i];
  set_parameters();
}

// Leaves run.error at run.q.
void JointNetwork::move_motion(const MotionNoise& noise, bool refresh, MotionRun& run,
                               Part& part) const {
  const int n = model_.joints();
  part.after = std::numeric_limits<double>::infinity();
  part.rescued = false;
  double before;
  if (refresh) {
    if (!run.linearise(model_, RunDerivatives::configurations) || !run.quadratic.factor(noise, 0))
      return;
    before = run.quadratic.value(noise);
    part.dq.assign(run.quadratic.gradient().begin(), run.quadratic.gradient().end());
  } else {  // with the Jacobian A of a few steps ago: A'e / s^2 - (y - q) / sigma^2
    before = run.objective(model_, run.q, noise);
    if (!std::isfinite(before)) return;
    part.dq.assign(run.q.size(), 0.0);
    const int steps = static_cast<int>(run.error.e.size()) / n;
    for (int t = 0; t < steps; ++t)
      for (int j = 0; j < n; ++j) {
        const double g = run.error.e[t * n + j] / (noise.s[j] * noise.s[j]);
        for (int a = 0; a < 3; ++a) {
          const double* row = &run.error.jacobian[((t * 3 + a) * n + j) * n];
          for (int i = 0; i < n; ++i) part.dq[(t + a) * n + i] += g * row[i];
        }
      }
    for (std::size_t i = 0; i < run.q.size(); ++i)
      if (!std::isnan(run.y[i]))
        part.dq[i] -= (run.y[i] - run.q[i]) / (noise.sigma[i % n] * noise.sigma[i % n]);
  }
  run.quadratic.hessian().solve_lower(part.dq);
  run.quadratic.hessian().solve_upper(part.dq);
  part.trial = run.q;
  for (std::size_t i = 0; i < run.q.size(); ++i) part.trial[i] -= part.dq[i];
  part.after = run.objective(model_, part.trial, noise);
  if (part.after <= before * kTolerated) {
    run.q.swap(part.trial);
    return;
  }
  run.solve(model_, noise, kRescue);
  part.after = run.objective(model_, run.q, noise);
  part.rescued = true;
}

double JointNetwork::step(const MotionNoise& noise, double rate, Motion motions) {
  const auto objective = [&](MotionRun& run, int) { return run.objective(model_, run.q, noise); };
  double J;
  if (motions == Motion::held) {
    J = runs_.sum(objective);
  } else {
    const bool refresh = age_ == 0;
    J = runs_.sum([&](MotionRun& run, int k) {
      move_motion(noise, refresh, run, parts_[k]);
      return parts_[k].after;
    });
    age_ = (age_ + 1) % kRefresh;
    if (std::any_of(parts_.begin(), parts_.end(), [](const Part& part) { return part.rescued; }))
      age_ = 0;
  }
  if (last_ != kNone && !(J < kRise * last_)) {
    theta_ = last_theta_;
    set_parameters();
    runs_.set_motions(last_motions_);
    length_ *= 0.5;
    last_ *= kRise;
    age_ = 0;
    J = runs_.sum(objective);
  } else if (std::isfinite(J)) {
    last_ = J;
    length_ = std::min(1.0, 1.01 * length_);
  }
  if (!std::isfinite(J)) return J;
  last_theta_ = theta_;
  last_motions_ = runs_.motions();
  move_parameters(noise, rate * length_);
  return J;
}

void JointNetwork::save(NetworkState& state) const {
  state.theta = theta_;
  state.adam = adam_;
  state.last_theta = last_theta_;
  state.last_objective = last_;
  state.length = length_;
  state.last_motions = last_motions_;
}

void JointNetwork::restore(const NetworkState& state) {
  theta_ = state.theta;
  adam_ = state.adam;
  last_theta_ = state.last_theta;
  last_ = state.last_objective;
  length_ = state.length;
  last_motions_ = state.last_motions;
  age_ = 0;
  set_parameters();
}

}  // namespace mechfit
