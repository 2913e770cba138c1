#include "mechfit/fit/smoothed/torque_fit.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <memory>

#include "mechfit/base/constants.h"
#include "mechfit/base/error.h"
#include "mechfit/base/gram.h"
#include "mechfit/evaluate/torque_error.h"
#include "mechfit/fit/joint/free_parameters.h"
#include "mechfit/fit/joint/mass_prior.h"
#include "mechfit/fit/smoothed/objectives.h"
#include "mechfit/fit/smoothed/torque_block.h"

namespace mechfit {
namespace {

constexpr int kRounds = 4, kIterations = 60;  // of s, and of theta in each: arms took 22 to 230
constexpr double kQuiet = 1e-5;               // relative fall of J that ends a round
// Least s in units of the joint's torques: data without noise must not divide by zero.
constexpr double kLeastError = 1e-4;
// Samples are taken with a stride above this many products in a Gram matrix: a second of one core.
constexpr double kMostProducts = 4e9;
// The prior keeps M positive definite and does no more: torques know its size.
constexpr double kMassWeight = 1.0;
constexpr int kPriorPoints = 128;
// Sums are cut into so many chunks, so that they do not depend on the number of threads.
constexpr int kChunks = 16;
// Damping of Levenberg-Marquardt: at the start, its factor, and where it gives up.
constexpr double kFirstDamping = 1e-3, kDampingStep = 4, kMostDamping = 1e10, kLeastDamping = 1e-12;
// Correlations of errors below this are noise of their estimate.
constexpr double kLeastCorrelation = 0.05;

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// J without T sum log s, and its derivatives to the free parameters.
class TorqueProblem {
 public:
  TorqueProblem(const Model& start, const std::vector<int>& held, const Samples& samples,
                ThreadPool& pool)
      : free_(start, held), samples_(samples), pool_(pool), p_(start.parameter_count()) {
    const double products = static_cast<double>(samples.size) * samples.n * p_ * p_ / kMostProducts;
    const int stride = std::max(1, static_cast<int>(std::ceil(products)));
    for (int k = 0; k < samples.size; k += stride) items_.push_back(k);
    for (int i = 0; i < pool.size(); ++i) {
      blocks_.push_back(std::make_unique<TorqueBlock>(start, samples));
      lambda_.push_back(make_panel(samples.n));
      lanes_.push_back(make_panel(p_));
      rows_.emplace_back(kBlock, p_);
    }
    if (!start.scales()) return;
    std::vector<double> unit = start.scales()->v;
    for (double& v : unit) v /= std::sqrt(start.scales()->energy);
    prior_ = std::make_unique<MassPrior>(
        start, spread_points(start.joint_types(), samples.q, kPriorPoints), std::move(unit), false,
        kMassWeight);
    prior_->settle(start);
  }

  const FreeParameters& free() const { return free_; }
  int count() const { return static_cast<int>(items_.size()); }

  // Mean squares of e [n].
  std::vector<double> squares(const Model& model) {
    const int n = samples_.n;
    std::vector<std::vector<double>> sums(kChunks, std::vector<double>(n, 0.0));
    for_blocks([&](int chunk, int worker, const int* items, int lanes) {
      blocks_[worker]->evaluate(model, samples_, items, lanes);
      for (int j = 0; j < n; ++j)
        for (int l = 0; l < lanes; ++l)
          sums[chunk][j] += std::pow(blocks_[worker]->e[j * kBlock + l], 2);
    });
    std::vector<double> total(n, 0.0);
    for (const auto& sum : sums)
      for (int j = 0; j < n; ++j) total[j] += sum[j] / count();
    return total;
  }

  double value(const Model& model, const std::vector<double>& s) {
    const std::vector<double> mean = squares(model);
    double sum = prior_ ? prior_->value(model) : 0.0;
    for (std::size_t j = 0; j < s.size(); ++j) sum += 0.5 * count() * mean[j] / (s[j] * s[j]);
    const Eigen::VectorXd phi = free_.from_theta(model.parameters());
    for (int k = 0; k < free_.size(); ++k)
      sum += 0.5 * free_.precision(k) * std::pow(phi[k] - free_.centre(k), 2);
    return sum;
  }

  // Gradient and Gauss-Newton matrix of J to phi. False where M is not positive definite.
  bool derivatives(const Model& model, const std::vector<double>& s, Eigen::VectorXd& g,
                   Eigen::MatrixXd& S) {
    Eigen::VectorXd full = Eigen::VectorXd::Zero(p_);
    Eigen::MatrixXd gram = Eigen::MatrixXd::Zero(p_, p_);
    add_errors(model, s, full, gram);
    if (prior_) {
      prior_->settle(model);
      if (!prior_->add_derivatives(model, full, &gram)) return false;
    }
    const Eigen::VectorXd slope = free_.slopes(model.parameters());
    const Eigen::VectorXd phi = free_.from_theta(model.parameters());
    std::vector<int> index;
    for (int k = 0; k < free_.size(); ++k) index.push_back(free_.index(k));
    g = slope.cwiseProduct(full(index));
    S = slope.asDiagonal() * gram(index, index) * slope.asDiagonal();
    for (int k = 0; k < free_.size(); ++k) {
      g[k] += free_.precision(k) * (phi[k] - free_.centre(k));
      S(k, k) += free_.precision(k);
    }
    return g.allFinite() && S.allFinite();
  }

  // Samples between two that count as one: 1 + 2 sum of the errors' correlations, over joints and
  // runs.
  double correlated_samples(const Model& model) {
    const int n = samples_.n;
    std::vector<double> errors(static_cast<std::size_t>(samples_.size) * n);
    TorqueBlock& block = *blocks_[0];
    for (int first = 0; first < samples_.size; first += kBlock) {
      int items[kBlock];
      const int lanes = std::min(kBlock, samples_.size - first);
      for (int l = 0; l < lanes; ++l) items[l] = first + l;
      block.evaluate(model, samples_, items, lanes);
      for (int l = 0; l < lanes; ++l)
        for (int j = 0; j < n; ++j) errors[(first + l) * n + j] = block.e[j * kBlock + l];
    }
    double worst = 1.0;
    for (int j = 0; j < n; ++j) {
      double variance = 0, sum = 0.5;
      for (int k = 0; k < samples_.size; ++k) variance += errors[k * n + j] * errors[k * n + j];
      for (int lag = 1; lag < samples_.size / 4; ++lag) {
        double product = 0;
        for (int k = lag; k < samples_.size; ++k)
          product += errors[k * n + j] * errors[(k - lag) * n + j];
        if (!(product > kLeastCorrelation * variance)) break;
        sum += product / variance;
      }
      worst = std::max(worst, 2 * sum);
    }
    return std::max(1.0, worst * count() / samples_.size);
  }

 private:
  template <class Function>
  void for_blocks(const Function& f) {
    const int blocks = (count() + kBlock - 1) / kBlock;
    pool_.run(kChunks, [&](int chunk, int worker) {
      for (int b = blocks * chunk / kChunks; b < blocks * (chunk + 1) / kChunks; ++b)
        f(chunk, worker, items_.data() + b * kBlock, std::min(kBlock, count() - b * kBlock));
    });
  }

  void add_errors(const Model& model, const std::vector<double>& s, Eigen::VectorXd& g,
                  Eigen::MatrixXd& S) {
    std::vector<Eigen::VectorXd> gradients(kChunks, Eigen::VectorXd::Zero(p_));
    std::vector<RowMajor> grams(kChunks, RowMajor::Zero(p_, p_));
    for_blocks([&](int chunk, int worker, const int* items, int lanes) {
      TorqueBlock& block = *blocks_[worker];
      block.evaluate(model, samples_, items, lanes);
      for (int j = 0; j < samples_.n; ++j) {
        AlignedVector& lambda = lambda_[worker];
        std::fill(lambda.begin(), lambda.end(), 0.0);
        std::fill_n(lambda.begin() + j * kBlock, kBlock, 1.0 / s[j]);
        block.pullback(model, lambda.data(), {.theta_lanes = lanes_[worker].data()});
        RowMajor& rows = rows_[worker];
        for (int l = 0; l < lanes; ++l) {
          for (int k = 0; k < p_; ++k) rows(l, k) = lanes_[worker][k * kBlock + l];
          gradients[chunk] += block.e[j * kBlock + l] / s[j] * rows.row(l).transpose();
        }
        add_gram(lanes, p_, rows.data(), 1.0, grams[chunk].data());
      }
    });
    for (int chunk = 0; chunk < kChunks; ++chunk) {
      g += gradients[chunk];
      S += Eigen::MatrixXd(grams[chunk].selfadjointView<Eigen::Lower>());
    }
  }

  FreeParameters free_;
  const Samples& samples_;
  ThreadPool& pool_;
  int p_;
  std::vector<int> items_;
  std::vector<std::unique_ptr<TorqueBlock>> blocks_;
  std::vector<AlignedVector> lambda_, lanes_;
  std::vector<RowMajor> rows_;
  std::unique_ptr<MassPrior> prior_;
};

// One step of Levenberg-Marquardt that lowers J, or none. The relative fall of J.
double improve(TorqueProblem& problem, const std::vector<double>& s, double& J, double& damping,
               Model& model, int& halvings) {
  Eigen::VectorXd g;
  Eigen::MatrixXd S;
  if (!problem.derivatives(model, s, g, S)) return 0.0;
  const double before = problem.value(model, s);  // the prior may have settled anew
  const std::vector<double> theta(model.parameters().begin(), model.parameters().end());
  const Eigen::VectorXd phi = problem.free().from_theta(theta);
  for (; damping < kMostDamping; damping *= kDampingStep) {
    Eigen::MatrixXd damped = S;
    damped.diagonal() += damping * S.diagonal();
    damped.diagonal().array() += 1e-300;
    const Eigen::VectorXd step = problem.free().step(damped, g, phi);
    std::vector<double> next = theta;
    problem.free().to_theta(phi + step, next);
    bool valid = step.allFinite();
    try {
      if (valid) model.set_parameters(next);
    } catch (const InputError&) {  // a constant left its range
      valid = false;
    }
    J = valid ? problem.value(model, s) : kInfinity;
    if (J < before) {
      damping = std::max(kLeastDamping, damping / (kDampingStep * kDampingStep));
      return (before - J) / (std::abs(before) + 1e-300);
    }
    ++halvings;
  }
  model.set_parameters(theta);
  J = before;
  return 0.0;
}

void add_uncertainty(TorqueProblem& problem, TorqueFit& fit) {
  Eigen::VectorXd g;
  Eigen::MatrixXd S;
  if (!problem.derivatives(fit.model, fit.s, g, S)) return;
  const FreeParameters& free = problem.free();
  const int p = fit.model.parameter_count();
  const Eigen::VectorXd diagonal = S.diagonal().cwiseMax(1e-300).cwiseSqrt().cwiseInverse();
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(diagonal.asDiagonal() * S *
                                                             diagonal.asDiagonal());
  // Combinations that the torques do not tell stay as unsure as rounding lets them be.
  const Eigen::VectorXd values =
      eigen.eigenvalues().cwiseMax(1e-12 * eigen.eigenvalues().maxCoeff());
  const double samples = problem.correlated_samples(fit.model);
  const Eigen::MatrixXd C =
      samples * (diagonal.asDiagonal() * eigen.eigenvectors() * values.cwiseInverse().asDiagonal() *
                 eigen.eigenvectors().transpose() * diagonal.asDiagonal());
  const Eigen::VectorXd slope = free.slopes(fit.model.parameters());
  fit.covariance.assign(static_cast<std::size_t>(p) * p, 0.0);
  fit.standard_errors.assign(p, 0.0);
  for (int k = 0; k < free.size(); ++k) {
    for (int l = 0; l < free.size(); ++l)
      fit.covariance[static_cast<std::size_t>(free.index(k)) * p + free.index(l)] =
          slope[k] * slope[l] * C(k, l);
    fit.standard_errors[free.index(k)] = slope[k] * std::sqrt(C(k, k));
  }
}

}  // namespace

std::vector<double> torque_sizes(const Model& model, const Samples& s, ThreadPool& pool) {
  const MotionView points = motion_view(s);
  const Torques torques = predict_torques(model, points, pool);
  std::vector<double> size(s.n, 0.0);
  for (int j = 0; j < s.n; ++j) {
    double mean = 0, square = 0;
    for (int k = 0; k < s.size; ++k) mean += torques.applied[k * s.n + j] / s.size;
    for (int k = 0; k < s.size; ++k)
      square += std::pow(torques.applied[k * s.n + j] - mean, 2) / s.size;
    // An input that never changes has nothing but the rounding of its mean.
    size[j] = square > 1e-20 * mean * mean ? std::sqrt(square) : 0.0;
  }
  return size;
}

bool fully_driven(const Model& model) {
  const std::vector<bool> driven = driven_joints(model);
  return !model.scale_is_free() &&
         std::all_of(driven.begin(), driven.end(), [](bool x) { return x; });
}

TorqueFit fit_torques(const Model& start, const std::vector<int>& held,
                      const std::vector<double>& warm, const Samples& train,
                      const Samples& validation, ThreadPool& pool,
                      const std::function<bool(const FitRecord&, int steps)>& progress) {
  MECHFIT_CHECK(start.kind() != ParameterKind::weights && fully_driven(start));
  TorqueFit fit(start);
  const std::vector<double> size = torque_sizes(start, train, pool);
  for (std::size_t j = 0; j < size.size(); ++j) MECHFIT_CHECK(size[j] > 0);
  fit.s = size;
  ObjectiveOptions judge;
  judge.method = FitMethod::torque;
  judge.weights = inverse_squares(size);
  const auto held_out = make_objective(start, validation, judge, pool);
  TorqueProblem problem(start, held, train, pool);
  if (!warm.empty()) {
    fit.model.set_parameters(warm);
    if (!std::isfinite(problem.value(fit.model, fit.s))) fit.model = start;
  }
  double J = problem.value(fit.model, fit.s), damping = kFirstDamping;
  if (!std::isfinite(J)) {
    fit.status = FitStatus::mass_not_positive;
    return fit;
  }
  int step = 0;
  for (int round = 0; round < kRounds && fit.status == FitStatus::finished; ++round) {
    for (int k = 0; k < kIterations && fit.status == FitStatus::finished; ++k) {
      FitRecord record{++step};
      const double fall = improve(problem, fit.s, J, damping, fit.model, record.halvings);
      record.objective = J;
      record.validation = held_out->all(fit.model);
      fit.history.records.push_back(record);
      fit.history.selected = step;  // the last: few parameters do not learn by heart
      fit.history.best = record.validation;
      if (progress && !progress(record, kRounds * kIterations)) fit.status = FitStatus::interrupted;
      if (fall < kQuiet) break;
    }
    damping = std::min(damping, kFirstDamping);
    const std::vector<double> squares = problem.squares(fit.model);
    for (std::size_t j = 0; j < size.size(); ++j)
      fit.s[j] = std::max(std::sqrt(squares[j]), kLeastError * size[j]);
  }
  if (!std::isfinite(fit.history.best)) fit.status = FitStatus::unexplained;
  add_uncertainty(problem, fit);
  return fit;
}

}  // namespace mechfit
