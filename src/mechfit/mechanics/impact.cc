#include "mechfit/mechanics/impact.h"

#include <Eigen/QR>
#include <algorithm>
#include <cmath>

#include "mechfit/base/error.h"

namespace mechfit {
namespace {

// Sweeps at most, and the relative change of impulses below which they have settled: a few contacts
// of a machine need some tens.
constexpr int kSweeps = 2000;
constexpr double kSettled = 1e-14;
// Growth of the energy that is rounding, relative to the terms it is the difference of.
constexpr double kRounding = 1e-12;
constexpr int kBisections = 40;

// One contact with friction, in closed form: at rest, sticking, or sliding one way or the other.
//   z = W L + b of its own two rows
Eigen::Vector2d solve_pair(const Eigen::Matrix2d& W, const Eigen::Vector2d& b, double friction) {
  if (b[0] >= 0) return {0, 0};
  const double det = W(0, 0) * W(1, 1) - W(0, 1) * W(1, 0);
  if (det > 0) {
    const Eigen::Vector2d stick((W(0, 1) * b[1] - W(1, 1) * b[0]) / det,
                                (W(1, 0) * b[0] - W(0, 0) * b[1]) / det);
    if (stick[0] >= 0 && std::fabs(stick[1]) <= friction * stick[0]) return stick;
  }
  for (const double side : {-1.0, 1.0}) {
    const double slope = W(0, 0) + side * friction * W(0, 1);
    if (!(slope > 0)) continue;
    const double normal = -b[0] / slope, tangent = side * friction * normal;
    if (side * (b[1] + W(1, 0) * normal + W(1, 1) * tangent) <= 0) return {normal, tangent};
  }
  // Friction jams the contact, and no impulse in the cone holds it: without friction one does.
  return {-b[0] / W(0, 0), 0};
}

}  // namespace

bool solve_complementarity(const Eigen::MatrixXd& W, const Eigen::VectorXd& b,
                           std::span<const ContactRows> rows, Eigen::VectorXd& L) {
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    double moved = 0, size = 0;
    const auto set = [&](int row, double next) {
      moved = std::max(moved, std::fabs(next - L[row]));
      size = std::max(size, std::fabs(next));
      L[row] = next;
    };
    for (const auto& [n, t, friction] : rows) {
      if (!(W(n, n) > 0)) continue;
      const double zn = W.row(n).dot(L) + b[n];
      if (t < 0) {
        set(n, std::max(0.0, L[n] - zn / W(n, n)));
        continue;
      }
      Eigen::Matrix2d own;
      own << W(n, n), W(n, t), W(t, n), W(t, t);
      const Eigen::Vector2d z(zn, W.row(t).dot(L) + b[t]), now(L[n], L[t]);
      const Eigen::Vector2d next = solve_pair(own, z - own * now, friction);
      set(n, next[0]);
      set(t, next[1]);
    }
    if (moved <= kSettled * size) return true;
  }
  return false;
}

namespace {

// Without friction, for contacts so dependent that Gauss-Seidel does not settle: of all sets of
// contacts that push, the one that leaves the smallest violation.
void solve_by_sets(const Eigen::MatrixXd& W, const Eigen::VectorXd& b,
                   std::span<const ContactRows> rows, Eigen::VectorXd& L) {
  const int count = static_cast<int>(rows.size());
  double least = HUGE_VAL;
  for (unsigned set = 0; set < 1u << count; ++set) {
    std::vector<int> pushing;
    for (int k = 0; k < count; ++k)
      if (set >> k & 1) pushing.push_back(rows[k].normal);
    Eigen::VectorXd trial = Eigen::VectorXd::Zero(b.size());
    if (!pushing.empty()) {
      const Eigen::MatrixXd own = W(pushing, pushing);
      const Eigen::VectorXd right = -b(pushing);
      const Eigen::VectorXd impulses = own.completeOrthogonalDecomposition().solve(right);
      trial(pushing) = impulses;
    }
    const Eigen::VectorXd z = W * trial + b;
    double violation = std::max(0.0, -trial.minCoeff());
    for (const ContactRows& c : rows) violation = std::max(violation, -z[c.normal]);
    if (violation >= least) continue;
    least = violation;
    L = trial;
  }
}

// Contacts at once for which all sets are tried.
constexpr std::size_t kMostSets = 8;

}  // namespace

Touching::Touching(const Model& model, std::span<const Contact> contacts)
    : contacts_(contacts),
      dynamics_(model),
      n_(model.joints()),
      mass_(static_cast<std::size_t>(n_) * n_),
      normal_(n_),
      tangent_(n_) {}

bool Touching::set(std::span<const double> q, std::span<const int> touching) {
  int count = 0;
  rows_.clear();
  for (const int k : touching) {
    const bool friction = contacts_[k].friction > 0;
    rows_.push_back({count, friction ? count + 1 : -1, contacts_[k].friction});
    count += friction ? 2 : 1;
  }
  A_.resize(count, n_);
  for (std::size_t i = 0; i < touching.size(); ++i) {
    contacts_[touching[i]].gradient(q, normal_, tangent_);
    A_.row(rows_[i].normal) = Eigen::Map<const Eigen::RowVectorXd>(normal_.data(), n_);
    if (rows_[i].tangent >= 0)
      A_.row(rows_[i].tangent) = Eigen::Map<const Eigen::RowVectorXd>(tangent_.data(), n_);
  }
  dynamics_.mass(q, mass_);
  const Eigen::LLT<Eigen::MatrixXd> factor(Eigen::Map<const Eigen::MatrixXd>(mass_.data(), n_, n_));
  if (factor.info() != Eigen::Success) return false;
  moves_ = factor.solve(A_.transpose());
  W_ = A_ * moves_;
  return true;
}

Eigen::VectorXd Touching::impact(const Eigen::VectorXd& v,
                                 std::span<const double> restitution) const {
  const Eigen::VectorXd before = A_ * v;
  std::vector<ContactRows> rows = rows_;
  // Change of the energy, L'(A v) + L'W L / 2, and the size of its terms.
  Eigen::VectorXd L;
  const auto grows = [&](double share, double friction) {
    Eigen::VectorXd b = before;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      double& approach = b[rows[i].normal];
      if (approach < 0) approach *= 1 + share * restitution[i];
      rows[i].friction = friction * rows_[i].friction;
    }
    L = Eigen::VectorXd::Zero(b.size());
    bool settled = solve_complementarity(W_, b, rows, L);
    if (!settled && friction == 0 && rows.size() <= kMostSets) {
      solve_by_sets(W_, b, rows, L);
      settled = true;
    }
    const double given = L.dot(before), kept = 0.5 * L.dot(W_ * L);
    return !settled || given + kept > kRounding * (std::fabs(given) + kept);
  };
  if (!grows(1, 1)) return L;
  const auto largest = [&](auto&& bad) {
    double low = 0, high = 1;
    for (int k = 0; k < kBisections; ++k) {
      const double middle = 0.5 * (low + high);
      (bad(middle) ? high : low) = middle;
    }
    return low;
  };
  if (!grows(0, 1))
    grows(largest([&](double share) { return grows(share, 1); }), 1);
  else
    grows(0, largest([&](double friction) { return grows(0, friction); }));
  return L;
}

ImpactMap impact_map(const Eigen::MatrixXd& mass, const Eigen::VectorXd& J,
                     const Eigen::VectorXd& v, double restitution) {
  const Eigen::LLT<Eigen::MatrixXd> factor(mass);
  MECHFIT_CHECK(factor.info() == Eigen::Success, "M is not positive definite");
  const Eigen::VectorXd direction = factor.solve(J);
  const Eigen::VectorXd unit = direction / J.dot(direction);
  const double speed = J.dot(v);
  ImpactMap map;
  map.v = v - (1 + restitution) * speed * unit;
  map.slope_e = -speed * unit;
  map.slope_v =
      Eigen::MatrixXd::Identity(v.size(), v.size()) - (1 + restitution) * unit * J.transpose();
  return map;
}

FrictionMap friction_map(const Eigen::MatrixXd& mass, const Eigen::VectorXd& J,
                         const Eigen::VectorXd& T, const Eigen::VectorXd& v, double restitution,
                         double friction) {
  FrictionMap map{impact_map(mass, J, v, restitution), Eigen::VectorXd::Zero(v.size())};
  const double approach = J.dot(v);
  if (T.isZero(0) || approach >= 0) return map;
  const Eigen::LLT<Eigen::MatrixXd> factor(mass);
  Eigen::MatrixXd A(2, v.size());
  A << J.transpose(), T.transpose();
  const Eigen::MatrixXd moves = factor.solve(A.transpose());
  const Eigen::Matrix2d W = A * moves;
  const Eigen::Vector2d b((1 + restitution) * approach, T.dot(v));
  const Eigen::Vector2d L = solve_pair(W, b, friction);
  map.sticks = friction > 0 && std::fabs(L[1]) < friction * L[0] * (1 - kRounding);
  if (map.sticks) {  // L = -W^-1 b
    const Eigen::Matrix2d inverse = W.inverse();
    Eigen::MatrixXd before = A;
    before.row(0) *= 1 + restitution;
    map.slope_v.setIdentity();
    map.slope_v -= moves * inverse * before;
    map.slope_e = -approach * moves * inverse.col(0);
  } else {
    // Without friction no impulse tells the side: the point slides on as it came out.
    const double side = friction > 0 ? (L[1] < 0 ? -1 : 1) : (T.dot(map.v) > 0 ? -1 : 1);
    const double own = W(0, 0) + side * friction * W(0, 1);
    const Eigen::VectorXd moved = moves.col(0) + side * friction * moves.col(1);
    map.slope_v.setIdentity();
    map.slope_v -= (1 + restitution) / own * moved * J.transpose();
    map.slope_e = -approach / own * moved;
    map.slope_mu = side * L[0] * (moves.col(1) - W(0, 1) / own * moved);
  }
  map.v = v + moves * L;
  return map;
}

}  // namespace mechfit
