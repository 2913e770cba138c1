#include "mechfit/fit/arm/consistent_fit.h"

#include <algorithm>
#include <cmath>

#include "mechfit/base/error.h"

namespace mechfit {
namespace {

// Times that s is found anew, and iterations between at most: three real arms took 22 to 230 in
// all, from links of 2 kg.
constexpr int kReweightings = 8, kIterations = 200;
// Relative fall of J that is no progress any more, and change of s that needs no further search.
constexpr double kStill = 1e-7, kSame = 1e-3;
// Damping in units of the curvature: at the start, and its factors after good and bad steps.
constexpr double kFirstDamping = 1e-2, kGood = 0.25, kBad = 5, kLeast = 1e-12;
constexpr int kMostBad = 15;
// Of a torque's own size: less is rounding.
constexpr double kSmallestError = 1e-7;

// The quadratic of all joints at given weights, in x.
struct Quadratic {
  Eigen::MatrixXd G;
  Eigen::VectorXd b;
  double c = 0;

  double half_sum(const Eigen::VectorXd& x) const { return 0.5 * (x.dot(G * x) + c) - b.dot(x); }
};

Quadratic weighted(const TorqueRows& rows, const TorqueGram& gram, const std::vector<double>& s,
                   int only = -1) {
  Quadratic out{Eigen::MatrixXd::Zero(rows.size(), rows.size()),
                Eigen::VectorXd::Zero(rows.size())};
  for (int i = 0; i < rows.joints(); ++i) {
    if (only >= 0 && i != only) continue;
    const double weight = 1 / (s[i] * s[i]);
    const auto& columns = rows.columns(i);
    for (std::size_t k = 0; k < columns.size(); ++k) {
      out.b[columns[k]] += weight * gram.b[i][static_cast<int>(k)];
      for (std::size_t l = 0; l < columns.size(); ++l)
        out.G(columns[k], columns[l]) +=
            weight * gram.G[i](static_cast<int>(k), static_cast<int>(l));
    }
    out.c += weight * gram.c[i];
  }
  return out;
}

std::vector<double> errors(const TorqueRows& rows, const TorqueGram& gram,
                           const Eigen::VectorXd& x) {
  std::vector<double> s;
  for (int i = 0; i < rows.joints(); ++i) {
    const Eigen::VectorXd own = x(rows.columns(i));
    const double sum = own.dot(gram.G[i] * own) - 2 * gram.b[i].dot(own) + gram.c[i];
    const double least = kSmallestError * kSmallestError * std::max(gram.c[i], 1e-300);
    s.push_back(std::sqrt(std::max(sum, least) / gram.samples));
  }
  return s;
}

// dx/dtheta, then of the free parameters only.
Eigen::MatrixXd slopes(const Arm& arm, const FreeParameters& free, std::span<const double> theta) {
  Eigen::MatrixXd all = Eigen::MatrixXd::Identity(arm.parameter_count(), arm.parameter_count());
  for (int i = 0; i < arm.joints(); ++i)
    all.block<kLinkNumbers, kLinkNumbers>(kLinkNumbers * i, kLinkNumbers * i) =
        link_moments_slope(theta.subspan(kLinkNumbers * i, kLinkNumbers));
  Eigen::MatrixXd out(arm.parameter_count(), free.size());
  for (int k = 0; k < free.size(); ++k) out.col(k) = all.col(free.index(k));
  return out;
}

class Descent {
 public:
  Descent(const Arm& arm, const FreeParameters& free, std::vector<double>& theta)
      : arm_(arm), free_(free), theta_(theta) {}

  double cost(const Quadratic& sum, const Eigen::VectorXd& phi, std::vector<double>& theta) const {
    free_.to_theta(phi, theta);
    double prior = 0;
    for (int k = 0; k < free_.size(); ++k)
      prior += 0.5 * free_.precision(k) * std::pow(phi[k] - free_.centre(k), 2);
    return sum.half_sum(torque_numbers(arm_, theta)) + prior;
  }

  // Iterations until nothing falls any more.
  int run(const Quadratic& sum) {
    Eigen::VectorXd phi = free_.from_theta(theta_);
    std::vector<double> trial = theta_;
    double now = cost(sum, phi, trial), damping = kFirstDamping;
    int iteration = 0;
    for (bool moved = true; moved && iteration < kIterations; ++iteration) {
      const Eigen::MatrixXd D = slopes(arm_, free_, theta_);
      Eigen::MatrixXd H = D.transpose() * sum.G * D;
      Eigen::VectorXd g = D.transpose() * (sum.G * torque_numbers(arm_, theta_) - sum.b);
      for (int k = 0; k < free_.size(); ++k) {
        H(k, k) += free_.precision(k);
        g[k] += free_.precision(k) * (phi[k] - free_.centre(k));
      }
      moved = false;
      for (int bad = 0; bad < kMostBad && !moved; ++bad) {
        Eigen::MatrixXd damped = H;
        damped.diagonal() += damping * H.diagonal();
        damped.diagonal().array() += 1e-12 * H.diagonal().maxCoeff();
        const Eigen::VectorXd next = phi + free_.step(damped, g, phi);
        const double then = cost(sum, next, trial);
        if (!(then < now)) {
          damping *= kBad;
          continue;
        }
        moved = now - then > kStill * (std::abs(now) + 1);
        damping = std::max(damping * kGood, kLeast);
        phi = next;
        now = then;
        theta_ = trial;
        if (!moved) return iteration + 1;
      }
    }
    return iteration;
  }

 private:
  const Arm& arm_;
  const FreeParameters& free_;
  std::vector<double>& theta_;
};

}  // namespace

ConsistentFit fit_consistent(const Arm& start, const FreeParameters& free, const TorqueRows& rows,
                             const TorqueGram& gram) {
  MECHFIT_CHECK(gram.samples > 0 && rows.size() == start.parameter_count());
  ConsistentFit fit;
  fit.theta.assign(start.parameters().begin(), start.parameters().end());
  // At first in units of the torques themselves.
  for (const double c : gram.c) fit.s.push_back(std::sqrt(std::max(c / gram.samples, 1e-30)));
  Descent descent(start, free, fit.theta);
  Quadratic sum;
  for (int k = 0; k < kReweightings; ++k) {
    sum = weighted(rows, gram, fit.s);
    fit.iterations += descent.run(sum);
    const std::vector<double> s = errors(rows, gram, torque_numbers(start, fit.theta));
    double change = 0;
    for (std::size_t i = 0; i < s.size(); ++i)
      change = std::max(change, std::abs(s[i] / fit.s[i] - 1));
    fit.s = s;
    if (change < kSame) break;
  }
  sum = weighted(rows, gram, fit.s);
  std::vector<double> theta = fit.theta;
  fit.objective = descent.cost(sum, free.from_theta(fit.theta), theta);
  for (const double s : fit.s) fit.objective += gram.samples * std::log(s);
  const Eigen::MatrixXd D = slopes(start, free, fit.theta);
  fit.information = D.transpose() * sum.G * D;
  for (int i = 0; i < rows.joints(); ++i)
    fit.joint_information.push_back(D.transpose() * weighted(rows, gram, fit.s, i).G * D);
  return fit;
}

}  // namespace mechfit
