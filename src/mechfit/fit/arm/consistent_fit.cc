#include "mechfit/fit/arm/consistent_fit.h"

#include <algorithm>
#include <cmath>

#include "mechfit/base/constants.h"
#include "mechfit/base/error.h"
#include "mechfit/fit/arm/link_cone.h"

namespace mechfit {
namespace {

// A link of three times the expected one, or of a third of it, costs half a nat or a nat.
constexpr double kBeta = 0.25;
// The weight of D starts so large that the expected links are near its minimum, as a share of the
// torques' own sum of squares, and falls by this factor: each minimum is where the next search
// begins.
constexpr double kFirstWeight = 0.1, kWeightFall = 0.1;
// Later rounds, whose s has changed a little, begin at this weight in units of beta.
constexpr double kLaterWeight = 100;
// Times that s is found anew, and Newton's steps for one weight at most: simulated and real arms
// took 4 to 12 and 3 to 15.
constexpr int kRounds = 30, kSteps = 40;
// Fall of J in nats that is none any more, and relative change of s that needs no further round.
constexpr double kStill = 1e-6, kSame = 1e-4;
// Share of the way to the edge of the cone that a step may take; share of the linear fall that it
// has to reach.
constexpr double kInside = 0.95, kArmijo = 1e-4;
// Of a torque's own size: less is rounding.
constexpr double kSmallestError = 1e-7;

// A parameter of friction that has a prior (by position) gets at least this share of what the data
// say of it alone: a ridge. Terms that go with the angle are told apart only over a whole turn, and
// most joints see less. Shares of 1e-4 to 0.1 predict a real arm's last third equally well (nMSE
// .0047 to .0052, .0064 without the terms); its held-out blocks, which lie elsewhere, .72 without a
// ridge.
constexpr double kRidge = 0.1;

// The quadratic of all joints at given weights, in x.
struct Quadratic {
  Eigen::MatrixXd G;
  Eigen::VectorXd b;
  double c = 0;

  double half_sum(const Eigen::VectorXd& x) const { return 0.5 * (x.dot(G * x) + c) - b.dot(x); }
};

Quadratic weighted(const TorqueRows& rows, const TorqueGram& gram, const std::vector<double>& s) {
  Quadratic out{Eigen::MatrixXd::Zero(rows.size(), rows.size()),
                Eigen::VectorXd::Zero(rows.size())};
  for (int i = 0; i < rows.joints(); ++i) {
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

// J at given s without N log s, and Newton's method on its free numbers phi. They are those of x:
// links first, then parameters that x has as they are.
class ConvexProblem {
 public:
  ConvexProblem(const Arm& start, const FreeParameters& free)
      : free_(free), x_(torque_numbers(start, start.parameters())) {
    for (int k = 0; k < free.size(); ++k) index_.push_back(free.index(k));
    for (int i = 0; i < start.joints(); ++i) {
      for (int k = kLinkNumbers * i; k < kLinkNumbers * (i + 1); ++k)
        MECHFIT_CHECK(k < free.size() && index_[k] == k, "all numbers of links must be free");
      links_.emplace_back(link(x_, i));
    }
  }

  const Eigen::VectorXd& x() const { return x_; }

  double value(const Quadratic& sum, double beta, const Eigen::VectorXd& x) const {
    double out = sum.half_sum(x);
    for (std::size_t i = 0; i < links_.size(); ++i) out += beta * links_[i].value(link(x, i));
    for (int k = kLinkNumbers * links(); k < free_.size(); ++k)
      out += 0.5 * precision(sum, k) * std::pow(x[index_[k]] - free_.centre(k), 2);
    return out;
  }

  // Newton's steps until J does not fall any more, whose number is added. False where the last one
  // still promised a fall.
  bool minimise(const Quadratic& sum, double beta, int& iterations) {
    for (int k = 0; k < kSteps; ++k, ++iterations) {
      Eigen::VectorXd g;
      Eigen::MatrixXd H;
      derivatives(sum, beta, g, H);
      const Eigen::VectorXd phi = x_(index_), step = free_.step(H, g, phi);
      const double fall = -g.dot(step);
      if (!(fall > 2 * kStill)) return std::isfinite(fall);
      if (!go(sum, beta, phi, step, fall)) return fall < 2e-10 * std::abs(sum.c);  // rounding
    }
    return false;
  }

  // Curvature of D and of the priors, of the free numbers of x.
  Eigen::MatrixXd prior(const Quadratic& sum, double beta) const {
    Eigen::MatrixXd H = Eigen::MatrixXd::Zero(free_.size(), free_.size());
    Eigen::VectorXd g = Eigen::VectorXd::Zero(free_.size());
    add_prior(sum, beta, g, H);
    return H;
  }
  const std::vector<int>& index() const { return index_; }

 private:
  double precision(const Quadratic& sum, int k) const {
    const double own = free_.precision(k);
    const bool friction = index_[k] >= (kLinkNumbers + 1) * links();
    return friction && own > 0 ? std::max(own, kRidge * sum.G(index_[k], index_[k])) : own;
  }
  int links() const { return static_cast<int>(links_.size()); }
  static LinkMoments link(const Eigen::VectorXd& x, std::size_t i) {
    return x.segment<kLinkNumbers>(kLinkNumbers * static_cast<int>(i));
  }

  void derivatives(const Quadratic& sum, double beta, Eigen::VectorXd& g,
                   Eigen::MatrixXd& H) const {
    const Eigen::VectorXd slope = sum.G * x_ - sum.b;
    g = slope(index_);
    H = sum.G(index_, index_);
    add_prior(sum, beta, g, H);
    // A parameter that nothing tells stays where it is.
    H.diagonal().array() += 1e-14 * H.diagonal().array() + 1e-300;
  }

  void add_prior(const Quadratic& sum, double beta, Eigen::VectorXd& g, Eigen::MatrixXd& H) const {
    for (int i = 0; i < links(); ++i) {
      const int at = kLinkNumbers * i;
      links_[i].add_derivatives(link(x_, i), beta, g.segment(at, kLinkNumbers),
                                H.block(at, at, kLinkNumbers, kLinkNumbers));
    }
    for (int k = kLinkNumbers * links(); k < free_.size(); ++k) {
      g[k] += precision(sum, k) * (x_[index_[k]] - free_.centre(k));
      H(k, k) += precision(sum, k);
    }
  }

  // Along the step as far as links exist and J falls.
  bool go(const Quadratic& sum, double beta, const Eigen::VectorXd& phi,
          const Eigen::VectorXd& step, double fall) {
    double length = 1;
    for (int i = 0; i < links(); ++i)
      length = std::min(length, kInside * room_of(link(x_, i), link(step, i)));
    const double before = value(sum, beta, x_);
    for (int halving = 0; halving < 40; ++halving, length /= 2) {
      Eigen::VectorXd next = x_;
      for (int k = 0; k < free_.size(); ++k) next[index_[k]] = phi[k] + length * step[k];
      if (!(value(sum, beta, next) <= before - kArmijo * length * fall)) continue;
      x_ = std::move(next);
      return true;
    }
    return false;
  }

  const FreeParameters& free_;
  Eigen::VectorXd x_;
  std::vector<int> index_;
  std::vector<LinkDivergence> links_;
};

std::vector<double> theta_of(const Arm& arm, const Eigen::VectorXd& x) {
  std::vector<double> theta(x.data(), x.data() + x.size());
  for (int i = 0; i < arm.joints(); ++i) {
    const auto u = link_numbers(LinkMoments(x.segment<kLinkNumbers>(kLinkNumbers * i)));
    std::copy(u.begin(), u.end(), theta.begin() + kLinkNumbers * i);
  }
  return theta;
}

}  // namespace

ConsistentFit fit_consistent(const Arm& start, const FreeParameters& free, const TorqueRows& rows,
                             const TorqueGram& gram) {
  MECHFIT_CHECK(gram.samples > 0 && rows.size() == start.parameter_count());
  ConsistentFit fit;
  // At first in units of the torques themselves.
  for (const double c : gram.c) fit.s.push_back(std::sqrt(std::max(c / gram.samples, 1e-30)));
  ConvexProblem problem(start, free);
  double weight = std::max(1.0, kFirstWeight * gram.samples * rows.joints());
  for (int round = 0; round < kRounds && !fit.converged; ++round) {
    const Quadratic sum = weighted(rows, gram, fit.s);
    bool found = false;
    for (bool last = false; !last; weight *= kWeightFall) {
      last = weight <= 1;
      found = problem.minimise(sum, kBeta * std::max(1.0, weight), fit.iterations);
    }
    weight = kLaterWeight;
    const std::vector<double> s = errors(rows, gram, problem.x());
    double change = 0;
    for (std::size_t i = 0; i < s.size(); ++i)
      change = std::max(change, std::abs(s[i] / fit.s[i] - 1));
    fit.s = s;
    fit.converged = found && change < kSame;
  }
  fit.stretches = gram.samples;
  const Quadratic sum = weighted(rows, gram, fit.s);
  fit.objective = problem.value(sum, kBeta, problem.x());
  for (const double s : fit.s) fit.objective += gram.samples * std::log(s);
  fit.theta = theta_of(start, problem.x());
  const Eigen::MatrixXd D = slopes(start, free, fit.theta);
  fit.information = D.transpose() * sum.G * D;
  const Eigen::MatrixXd own = D(problem.index(), Eigen::all);
  fit.prior_information = own.transpose() * problem.prior(sum, kBeta) * own;
  fit.scores.resize(free.size(), static_cast<int>(gram.parts.size()));
  for (std::size_t k = 0; k < gram.parts.size(); ++k) {
    const Quadratic part = weighted(rows, gram.parts[k], fit.s);
    fit.scores.col(static_cast<int>(k)) = D.transpose() * (part.G * problem.x() - part.b);
  }
  return fit;
}

}  // namespace mechfit
