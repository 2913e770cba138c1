#include "mechfit/fit/joint/joint_gauss_newton.h"

#include <cmath>

#include "mechfit/base/constants.h"
#include "mechfit/base/error.h"
#include "mechfit/base/gram.h"

namespace mechfit {
namespace {

// Levenberg-Marquardt: the first damping, its factors after a step that failed and one that helped,
// what counts as none, and how many dampings are tried before a step is given up. The usual values.
// They guard steps from a poor start: kFirstDamping 1e-5 to 0.1, kMore 3 to 30, kLess 0.03 to 0.3,
// kNegligible 1e-9 to 1e-5 and kTries 6 to 24 changed no error in four digits.
constexpr double kFirstDamping = 1e-3, kMore = 10, kLess = 0.1, kNegligible = 1e-7;
constexpr int kTries = 12;
// Of a step, tried at every damping. 0.1 to 0.6 for the second and 0.03 to 0.25 for the third: same
// errors to four digits.
constexpr double kLengths[] = {1, 0.3, 0.1};
// Of the mean diagonal: S is singular along what no data tell. 1e-12 and 1e-8: same errors to four
// digits.
constexpr double kRidge = 1e-10;
// Bounds of a coefficient's prior precision, in the model's units: a spread of 10, and 3e-5, where
// it has vanished. kLoosest 0.003 and 0.03: same errors to four digits. kTightest 1e5, 1e6 and 1e7:
// errors on P 5.4, 3.2 and 1.8 times as large, on C 2.3, 1.4 and 1.03 times, on N the same within
// 3 %.
constexpr double kLoosest = 1e-2, kTightest = 1e9;
// Configurations of a slice. Long enough for Gram matrices at full speed, short enough for its rows
// to stay in the second-level cache; its errors belong to one step more, a whole number of blocks.
constexpr int kSlice = 4 * kBlock - 1;
// The part of dphi to either side by which errors are taken for the product B dphi: its own error
// is of the order of the square, rounding costs as many digits as it has zeros.
constexpr double kProbe = 1e-4;
constexpr double kSmallest = 1e-300;  // keeps a division by zero away
// The least share of a coefficient that data determine: with none its prior would be the loosest.
// 1e-4 and 1e-2: same errors to four digits.
constexpr double kLeastDetermined = 1e-3;
// Prior of a coefficient's precision alpha: alpha^kSparing per unit of log alpha. With 0 a
// coefficient that is z standard errors from zero stays where |z| > 1, a third of what the machine
// does not have; with 0.5 where |z| > 1 + sqrt(2). Mean squared errors on simulated machines
// (double pendulums, cart-pole, spring pendulum, Furuta, chain), in units of those with 0: 0.5 0.18
// to 1.08, 1 0.15 to 1.11.
constexpr double kSparing = 0.5;

}  // namespace

JointGaussNewton::JointGaussNewton(Model model, JointRuns& runs, std::span<const int> fixed,
                                   MassPrior* prior)
    : model_(std::move(model)),
      runs_(runs),
      free_(model_, fixed),
      prior_(prior),
      parts_(runs.size()) {}

void JointGaussNewton::restore(double damping, std::span<const double> precisions) {
  damping_ = damping;
  for (int k = 0; k < free_.size(); ++k) free_.set_precision(k, precisions[k]);
}

double JointGaussNewton::prior_value() {
  double sum = prior_ ? prior_->value(model_) : 0;
  const Eigen::VectorXd phi = free_.from_theta(model_.parameters());
  for (int k = 0; k < free_.size(); ++k) {
    const double x = phi[k] - free_.centre(k);
    sum += 0.5 * free_.precision(k) * x * x;
  }
  return sum;
}

void JointGaussNewton::add_prior(Eigen::MatrixXd& S, Eigen::VectorXd& g) {
  const Eigen::VectorXd phi = free_.from_theta(model_.parameters());
  for (int k = 0; k < free_.size(); ++k) {
    S(k, k) += free_.precision(k);
    g[k] += free_.precision(k) * (phi[k] - free_.centre(k));
  }
  if (!prior_) return;
  const int p = model_.parameter_count();
  Eigen::VectorXd gradient = Eigen::VectorXd::Zero(p);
  Eigen::MatrixXd hessian = Eigen::MatrixXd::Zero(p, p);
  MECHFIT_CHECK(prior_->add_derivatives(model_, gradient, &hessian), "M is not positive definite");
  const Eigen::VectorXd slope = free_.slopes(model_.parameters());
  for (int k = 0; k < free_.size(); ++k) {
    g[k] += slope[k] * gradient[free_.index(k)];
    for (int l = 0; l < free_.size(); ++l)
      S(k, l) += slope[k] * slope[l] * hessian(free_.index(k), free_.index(l));
  }
}

double JointGaussNewton::objective(const MotionNoise& noise) {
  const double prior = prior_value();
  if (!std::isfinite(prior)) return kInfinity;
  return prior +
         runs_.sum([&](MotionRun& run, int) { return run.objective(model_, run.q, noise); });
}

bool JointGaussNewton::linearise() {
  reduced_.reset();
  if (prior_) prior_->settle(model_);
  return runs_.linearise(model_, RunDerivatives::configurations);
}

// B and X are made and used slice by slice: a slice's B begins with the last two errors of the
// slice before, its X with the rows that the band reaches back to.
void JointGaussNewton::reduce_run(const MotionNoise& noise, double damping, MotionRun& run,
                                  Part& part, std::span<double> S) const {
  const int n = model_.joints(), p = model_.parameter_count(), free = free_.size();
  const int samples = run.samples(), columns = free + 1;
  const RunView view = run.view(run.q);
  part.ok = run.quadratic.factor(noise, damping) &&
            del_run_error(model_, view, RunDerivatives::none, run.error);
  if (!part.ok) return;
  const Eigen::VectorXd slope = free_.slopes(model_.parameters());
  std::vector<int> index(free);
  for (int k = 0; k < free; ++k) index[k] = free_.index(k);
  const Banded& factor = run.quadratic.hessian();
  const std::span<const double> jacobian = run.quadratic.jacobian();
  const int slice = std::min(kSlice, samples), before = factor.half(), carried = 2 * n;
  Rows B = Rows::Zero(carried + slice * n, columns), X = Rows::Zero(before + slice * n, columns);
  part.promised = 0;
  for (int first = 0; first < samples; first += slice) {
    const int count = std::min(slice, samples - first);
    const int errors = std::max(0, std::min(count, samples - 2 - first));
    if (errors > 0) del_run_error_parameters(model_, view, first, errors, run.error);
    for (int row = 0; row < errors * n; ++row) {
      const double weight = 1 / noise.s[row % n];
      const double* theta = &run.error.theta[static_cast<std::size_t>(row) * p];
      double* out = B.row(carried + row).data();
      for (int k = 0; k < free; ++k) out[k] = weight * slope[k] * theta[index[k]];
      out[free] = weight * run.quadratic.e()[static_cast<std::size_t>(first) * n + row];
    }
    // A'B | g_q
    for (int t = first; t < first + count; ++t)
      for (int i = 0; i < n; ++i) {
        double* x = X.row(before + (t - first) * n + i).data();
        std::fill_n(x, free, 0.0);
        for (int a = std::max(0, t - samples + 3); a < 3 && a <= t; ++a)
          for (int j = 0; j < n; ++j) {
            const int error = t - a;  // whose a-th configuration this is
            const double* b = B.row(carried + (error - first) * n + j).data();
            const double weight =
                jacobian[((static_cast<std::size_t>(error) * 3 + a) * n + j) * n + i] / noise.s[j];
            for (int k = 0; k < free; ++k) x[k] += weight * b[k];
          }
        x[free] = run.quadratic.gradient()[t * n + i];
      }
    factor.solve_lower(columns, first * n, count * n, X.row(before).data());
    add_gram(errors * n, columns, B.row(carried).data(), 1, S.data());
    add_gram(count * n, columns, X.row(before).data(), -1, S.data());
    part.promised += 0.5 * X.col(free).segment(before, count * n).squaredNorm();
    // Only the last slice is shorter, so the ends are where the next one looks for them.
    std::copy_n(B.row(slice * n).data(), carried * columns, B.data());
    std::copy_n(X.row(slice * n).data(), before * columns, X.data());
  }
}

void JointGaussNewton::reduce(const MotionNoise& noise, double damping) {
  if (reduced_ == std::pair(noise, damping)) return;
  reduced_ = {noise, damping};
  const int free = free_.size();
  const std::vector<double> sum =
      runs_.gather((free + 1) * (free + 1), [&](MotionRun& run, int k, std::span<double> S) {
        reduce_run(noise, damping, run, parts_[k], S);
      });
  ok_ = runs_.sum([&](MotionRun&, int k) { return parts_[k].ok ? 0.0 : 1.0; }) == 0;
  if (!ok_) return;
  promised_ = runs_.sum([&](MotionRun&, int k) { return parts_[k].promised; });
  const Eigen::Map<const Eigen::MatrixXd> bordered(sum.data(), free + 1, free + 1);
  S_ = bordered.topLeftCorner(free, free).selfadjointView<Eigen::Upper>();
  g_ = bordered.col(free).head(free);
}

Eigen::MatrixXd JointGaussNewton::data_information(const MotionNoise& noise) {
  reduce(noise, 0);
  return ok_ ? S_ : Eigen::MatrixXd();
}

std::pair<Eigen::MatrixXd, Eigen::VectorXd> JointGaussNewton::undamped(const MotionNoise& noise) {
  reduce(noise, 0);
  if (!ok_) return {};
  std::pair<Eigen::MatrixXd, Eigen::VectorXd> out(S_, g_);
  add_prior(out.first, out.second);
  return out;
}

Eigen::MatrixXd JointGaussNewton::information(const MotionNoise& noise) {
  return undamped(noise).first;
}

double JointGaussNewton::promise(const MotionNoise& noise) {
  const auto [S, g] = undamped(noise);
  if (!ok_) return kInfinity;
  const Eigen::VectorXd d = free_.step(S, g, free_.from_theta(model_.parameters()));
  return promised_ - g.dot(d) - 0.5 * d.dot(S * d);
}

Eigen::VectorXd JointGaussNewton::parameter_step(const MotionNoise& noise) {
  const auto [S, g] = undamped(noise);
  return !ok_ ? g : free_.step(S, g, free_.from_theta(model_.parameters()));
}

void JointGaussNewton::weigh_coefficients(const MotionNoise& noise) {
  const Eigen::MatrixXd S = information(noise);
  if (S.size() == 0) return;
  const Eigen::MatrixXd covariance = S.ldlt().solve(Eigen::MatrixXd::Identity(S.rows(), S.cols()));
  const Eigen::VectorXd phi = free_.from_theta(model_.parameters());
  for (int k = 0; k < free_.size(); ++k) {
    if (!free_.prunable(k)) continue;
    const double gamma =
        std::clamp(1 - free_.precision(k) * covariance(k, k), kLeastDetermined, 1.0);
    const double likely = (gamma + 2 * kSparing) / (phi[k] * phi[k] + kSmallest);
    free_.set_precision(k, std::clamp(likely, kLoosest, kTightest));
  }
}

// dq of every run for the change d of phi, by the factor that the last reduce has left.
void JointGaussNewton::find_motion_steps(const MotionNoise& noise, const std::vector<double>& theta,
                                         const Eigen::VectorXd& d) {
  const Eigen::VectorXd phi = free_.from_theta(theta);
  bool both_sides = true;  // else some parameter is at its bound
  for (int k = 0; k < free_.size(); ++k)
    both_sides = both_sides && !(free_.bounded(k) && phi[k] < kProbe * d[k]);
  const double back = both_sides ? kProbe : 0;
  std::vector<double> ahead = theta, behind = theta;
  free_.to_theta(phi + kProbe * d, ahead);
  free_.to_theta(phi - back * d, behind);
  Model model_ahead = model_, model_behind = model_;
  model_ahead.set_parameters(ahead);
  model_behind.set_parameters(behind);
  runs_.each([&](MotionRun& run, int k) {
    Part& part = parts_[k];
    const RunView view = run.view(run.q);
    part.ok = del_run_error(model_ahead, view, RunDerivatives::none, run.error);
    std::vector<double> change = run.error.e;
    part.ok = part.ok && del_run_error(model_behind, view, RunDerivatives::none, run.error);
    for (std::size_t i = 0; i < change.size(); ++i)
      change[i] = (change[i] - run.error.e[i]) / (kProbe + back);
    part.dq.assign(run.quadratic.gradient().begin(), run.quadratic.gradient().end());
    run.quadratic.add_pulled_back(noise, change, part.dq);
    run.quadratic.hessian().solve(part.dq);
    for (double& x : part.dq) x = -x;
  });
}

// J after the step (length dphi, length dq); the parameters are left in the model.
double JointGaussNewton::try_step(const MotionNoise& noise, const std::vector<double>& theta,
                                  const Eigen::VectorXd& phi, const Eigen::VectorXd& d,
                                  double length) {
  std::vector<double> trial = theta;
  free_.to_theta(phi + length * d, trial);
  if (!std::all_of(trial.begin(), trial.end(), [](double x) { return std::isfinite(x); }))
    return kInfinity;
  model_.set_parameters(trial);
  const double prior = prior_value();
  if (!std::isfinite(prior)) return kInfinity;
  return prior + runs_.sum([&](MotionRun& run, int k) {
    const Part& part = parts_[k];
    std::vector<double> q = run.q;
    for (std::size_t i = 0; i < q.size(); ++i) q[i] += length * part.dq[i];
    return part.ok ? run.objective(model_, q, noise) : kInfinity;
  });
}

JointGaussNewton::Step JointGaussNewton::step(const MotionNoise& noise) {
  const std::vector<double> theta(model_.parameters().begin(), model_.parameters().end());
  const Eigen::VectorXd phi = free_.from_theta(theta);
  Step result;
  const double before =
      prior_value() + runs_.sum([&](MotionRun& run, int) { return run.quadratic.value(noise); });
  result.objective = before;
  for (int attempt = 0; attempt < kTries; ++attempt) {
    const double q_damping = attempt < 2 && damping_ <= kFirstDamping ? 0 : damping_;
    reduce(noise, q_damping);
    if (ok_) {
      Eigen::MatrixXd S = S_;
      Eigen::VectorXd g = g_;
      add_prior(S, g);
      if (attempt == 0) {
        const Eigen::VectorXd d = free_.step(S, g, phi);
        result.promised = promised_ - g.dot(d) - 0.5 * d.dot(S * d);
      }
      S.diagonal() *= 1 + damping_;
      S.diagonal().array() += kRidge * S.diagonal().mean();
      const Eigen::VectorXd d = free_.step(S, g, phi);
      find_motion_steps(noise, theta, d);
      for (const double length : kLengths) {
        const double after = try_step(noise, theta, phi, d, length);
        if (!(after < before)) continue;
        runs_.each([&](MotionRun& run, int k) {
          for (std::size_t i = 0; i < run.q.size(); ++i) run.q[i] += length * parts_[k].dq[i];
        });
        if (length == 1) damping_ *= after < before - 0.5 * result.promised ? kLess * kLess : kLess;
        if (damping_ < kNegligible) damping_ = 0;
        result.objective = after;
        result.better = true;
        return result;
      }
      model_.set_parameters(theta);
    }
    damping_ = std::max(kFirstDamping, damping_ * kMore);
  }
  return result;
}

}  // namespace mechfit
