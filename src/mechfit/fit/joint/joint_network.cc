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
  for (const ParameterInfo& info : model_.parameters_info())
    precision_.push_back(info.prior_precision);
}

void JointNetwork::set_parameters() { model_.set_parameters(theta_); }

void JointNetwork::restart() {
  adam_ = Adam(theta_.size());
  last_ = kNone;
  age_ = 0;
}

void JointNetwork::take_other_runs() {
  last_ = kNone;
  age_ = 0;
}

void JointNetwork::restart(std::span<const double> theta) {
  theta_.assign(theta.begin(), theta.end());
  set_parameters();
  restart();
}

// At the run's last errors.
void JointNetwork::add_gradient(const MotionNoise& noise, MotionRun& run,
                                std::span<double> merged) const {
  const int n = model_.joints();
  std::vector<double> g = run.error.e;
  for (std::size_t i = 0; i < g.size(); ++i) g[i] /= noise.s[i % n] * noise.s[i % n];
  auto& w = run.error.run.block.model;
  model_.clear_gradient(w);
  del_run_error_pullback(model_, run.view(run.q), g, {}, true, run.error);
  model_.add_gradient(w, merged);
}

// Moves the motions, if asked, and gathers the gradient there; J there.
double JointNetwork::visit(const MotionNoise& noise, Motion motions) {
  const bool refresh = age_ == 0;
  merged_ = runs_.gather(merged_.size(), [&](MotionRun& run, int k, std::span<double> merged) {
    Part& part = parts_[k];
    part.rescued = false;
    if (motions == Motion::held)
      part.after = run.objective(model_, run.q, noise);
    else
      move_motion(noise, refresh, run, part);
    if (std::isfinite(part.after)) add_gradient(noise, run, merged);
  });
  return runs_.sum([&](MotionRun&, int k) { return parts_[k].after; });
}

// Along the gradient that the runs have left.
void JointNetwork::move_parameters(double rate) {
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
  double before;
  std::vector<double> dq(run.q.size(), 0.0);
  if (refresh) {
    if (!run.linearise(model_, RunDerivatives::configurations) || !run.quadratic.factor(noise, 0))
      return;
    before = run.quadratic.value(noise);
    dq.assign(run.quadratic.gradient().begin(), run.quadratic.gradient().end());
  } else {  // with the Jacobian A of a few steps ago: A'e / s^2 - (y - q) / sigma^2
    before = run.objective(model_, run.q, noise);
    if (!std::isfinite(before)) return;
    run.quadratic.add_pulled_back(noise, run.error.e, dq);
    for (std::size_t i = 0; i < run.q.size(); ++i)
      if (!std::isnan(run.y[i]))
        dq[i] -= (run.y[i] - run.q[i]) / (noise.sigma[i % n] * noise.sigma[i % n]);
  }
  run.quadratic.hessian().solve(dq);
  std::vector<double> trial = run.q;
  for (std::size_t i = 0; i < run.q.size(); ++i) trial[i] -= dq[i];
  part.after = run.objective(model_, trial, noise);
  if (part.after <= before * kTolerated) {
    run.q.swap(trial);
    return;
  }
  run.solve(model_, noise, kRescue);
  part.after = run.objective(model_, run.q, noise);
  part.rescued = true;
}

double JointNetwork::step(const MotionNoise& noise, double rate, Motion motions) {
  double J = visit(noise, motions);
  if (motions == Motion::moved) {
    age_ = (age_ + 1) % kRefresh;
    if (runs_.sum([&](MotionRun&, int k) { return parts_[k].rescued ? 1.0 : 0.0; }) > 0) age_ = 0;
  }
  if (last_ != kNone && !(J < kRise * last_)) {
    theta_ = last_theta_;
    set_parameters();
    runs_.set_motions(last_motions_);
    length_ *= 0.5;
    last_ *= kRise;
    J = visit(noise, Motion::held);
    age_ = 0;
  } else if (std::isfinite(J)) {
    last_ = J;
    length_ = std::min(1.0, 1.01 * length_);
  }
  if (!std::isfinite(J)) return J;
  last_theta_ = theta_;
  last_motions_ = runs_.motions();
  move_parameters(rate * length_);
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
