#include "mechfit/fit/arm/geometry_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "mechfit/base/constants.h"
#include "mechfit/base/random.h"
#include "mechfit/fit/arm/geometry_cost.h"

namespace mechfit {
namespace {

// Random starts, and the stretches on which the best of them are refined, so many at a time until
// kAgree of them end with the least error, kMostRefined at most.
constexpr int kStarts = 400, kStretches = 500, kIterations = 60;
constexpr int kRefined = 6, kMostRefined = 60, kAgree = 3;
// Then the best one on more stretches, each joint's errors in units of their own rms, which follows
// in so many turns.
constexpr int kLastStretches = 2000, kLastIterations = 15, kTurns = 3;
// Correlations of errors below this are noise of their estimate.
constexpr double kLeastCorrelation = 0.05;
constexpr double kLength = 0.5;  // [m] size that lengths have before data are seen
constexpr double kDifference = 1e-6;
constexpr double kMostStep = 0.6;  // rad, m: further the linear model says nothing
constexpr double kStill = 1e-4;    // relative fall that ends a refinement
constexpr double kAlike = 1.1;     // ratio of errors up to which two results are the same
// A number whose standard deviation is above this is not known [rad, m].
constexpr double kUnknown = 0.2;
// Share of the error below which another sign or offset contradicts a description.
constexpr double kContradicts = 0.5;
// Of random numbers.
constexpr std::uint64_t kStream = 0x67656f6d;

int numbers(int n) { return 4 * n - 3; }
bool is_length(int k, int n) { return k >= 2 * n - 1; }

bool is_held(const std::vector<char>& held, int k) { return !held.empty() && held[k]; }

struct Refinement {
  std::vector<double> eta, sd;
  double cost = 0;
};

class Refiner {
 public:
  Refiner(const GeometryCost& cost, const std::vector<std::string>& names)
      : cost_(cost), names_(names), n_(cost.joints()), k_(numbers(n_)), w_(cost.make_workspace()) {}

  double torques() const { return static_cast<double>(n_) * cost_.samples(); }

  // Neighbouring stretches that count as one, 1 + 2 sum of the errors' correlations, the mean over
  // joints. Of the errors of the last `value`.
  double alike() const {
    const int size = cost_.samples();
    double sum = 0;
    for (int i = 0; i < n_; ++i) {
      const auto e = w_.e.segment(i * size, size);
      sum += 1.0 / n_;
      for (int lag = 1; lag < size / 4; ++lag) {
        const double rho = e.head(size - lag).dot(e.tail(size - lag)) / e.squaredNorm();
        if (!(rho > kLeastCorrelation)) break;
        sum += 2 * rho / n_;
      }
    }
    return sum;
  }

  double value(const std::vector<double>& eta) {
    double sum = cost_.value(chain_of(eta, names_), w_) * n_ * cost_.samples();
    for (int k = 0; k < k_; ++k) sum += std::pow(prior(k) * eta[k], 2);
    return sum / (n_ * cost_.samples());
  }

  // Levenberg-Marquardt; `held` numbers stay. Standard deviations count stretches whose errors are
  // alike as one.
  Refinement refine(std::vector<double> eta, int iterations, const std::vector<char>& held = {}) {
    double now = value(eta), damping = 1e-2;
    Eigen::MatrixXd H;
    for (int it = 0; it < iterations; ++it) {
      Eigen::VectorXd g;
      derivatives(eta, held, H, g);
      bool moved = false;
      double fall = 0;
      for (int trial = 0; trial < 6 && !moved; ++trial) {
        Eigen::MatrixXd damped = H;
        damped.diagonal() += damping * H.diagonal();
        damped.diagonal().array() += damping * 1e-6 * H.trace() / k_ + 1e-300;
        Eigen::VectorXd step = damped.ldlt().solve(-g);
        step *= std::min(1.0, kMostStep / step.cwiseAbs().maxCoeff());
        std::vector<double> next = eta;
        for (int k = 0; k < k_; ++k) next[k] += step[k];
        const double then = value(next);
        moved = then < now;
        damping = moved ? std::max(damping / 5, 1e-6) : damping * 6;
        if (!moved) continue;
        fall = now - then;
        eta = next;
        now = then;
      }
      if (!moved || (fall < kStill * now && damping < 1e-2)) break;
    }
    Eigen::VectorXd g;
    now = value(eta);
    derivatives(eta, held, H, g);
    Refinement out{eta, {}, now};
    const Eigen::MatrixXd covariance =
        now * alike() * H.completeOrthogonalDecomposition().pseudoInverse();
    for (int k = 0; k < k_; ++k)
      out.sd.push_back(is_held(held, k) ? 0.0 : std::sqrt(std::max(covariance(k, k), 0.0)));
    return out;
  }

 private:
  double prior(int k) const { return is_length(k, n_) ? std::sqrt(cost_.ridge()) / kLength : 0.0; }

  // Of half the sum of squares.
  void derivatives(const std::vector<double>& eta, const std::vector<char>& held,
                   Eigen::MatrixXd& H, Eigen::VectorXd& g) {
    cost_.value(chain_of(eta, names_), w_);
    cost_.linearise(chain_of(eta, names_), w_);
    Eigen::MatrixXd J(w_.e.size(), k_);
    for (int k = 0; k < k_; ++k) {
      std::vector<double> moved = eta;
      moved[k] += kDifference;
      cost_.slope(chain_of(moved, names_), kDifference, J.col(k), w_);
    }
    H.setZero(k_, k_);
    H.selfadjointView<Eigen::Lower>().rankUpdate(J.transpose());
    H = Eigen::MatrixXd(H.selfadjointView<Eigen::Lower>());
    g = J.transpose() * w_.e;
    for (int k = 0; k < k_; ++k) {
      H(k, k) += prior(k) * prior(k);
      g[k] += prior(k) * prior(k) * eta[k];
      if (!is_held(held, k)) continue;
      H.row(k).setZero();
      H.col(k).setZero();
      H(k, k) = 1;
      g[k] = 0;
    }
  }

  const GeometryCost& cost_;
  const std::vector<std::string>& names_;
  int n_, k_;
  GeometryCost::Workspace w_;
};

std::vector<Stretch> some_of(const std::vector<Stretch>& all, int count, Random& random) {
  std::vector<int> order(all.size());
  for (std::size_t k = 0; k < all.size(); ++k) order[k] = static_cast<int>(k);
  random.shuffle(order);
  order.resize(std::min(order.size(), static_cast<std::size_t>(count)));
  std::sort(order.begin(), order.end());
  std::vector<Stretch> some;
  for (const int k : order) some.push_back(all[k]);
  return some;
}

template <std::size_t N>
double one_of(const std::array<double, N>& values, Random& random) {
  return values[random.below(N)];
}

// Arms are built with axes that are parallel or at right angles.
std::vector<double> random_start(int n, Random& random) {
  const double right = kTurn / 4;
  std::vector<double> eta(numbers(n), 0.0);
  for (int i = 0; i < n - 1; ++i) {
    eta[1 + i] = one_of<4>({0, right, -right, 2 * right}, random);
    eta[n + i] = one_of<3>({0, right, -right}, random);
    eta[2 * n - 1 + i] = one_of<4>({0, 0.1, -0.1, 0.4}, random);
    eta[3 * n - 2 + i] = one_of<3>({0, 0.3, -0.3}, random);
  }
  return eta;
}

// Arms are built with axes that are parallel or at right angles and that often meet: numbers of a
// geometry go to the nearest such value, the least sure first, where the torques do not contradict
// it by more than its freedom is worth (Schwarz's criterion).
Refinement rounded(Refiner& refiner, Refinement best, int n) {
  const auto round = [&](int k) {
    const double right = kTurn / 4;
    return is_length(k, n) ? 0.0 : right * std::round(best.eta[k] / right);
  };
  std::vector<char> held(best.eta.size(), 0), asked = held;
  refiner.value(best.eta);
  const double count = refiner.torques() / refiner.alike();
  const double price = std::log(count);
  while (true) {
    int next = -1;
    double least = price;
    for (int k = 0; k < numbers(n); ++k) {
      const double z2 = std::pow((best.eta[k] - round(k)) / best.sd[k], 2);
      if (asked[k] || !(z2 < least)) continue;
      least = z2;
      next = k;
    }
    if (next < 0) return best;
    asked[next] = held[next] = 1;
    std::vector<double> eta = best.eta;
    eta[next] = round(next);
    Refinement other = refiner.refine(eta, kLastIterations, held);
    if (count * std::log(other.cost / best.cost) < price)
      best = std::move(other);
    else
      held[next] = 0;
  }
}

}  // namespace

ArmKinematics chain_of(const std::vector<double>& eta, const std::vector<std::string>& names) {
  const int n = static_cast<int>(names.size());
  ArmKinematics chain;
  const double g = 9.80665;
  chain.gravity = {g * std::sin(eta[0]), 0, -g * std::cos(eta[0])};
  for (int i = 0; i < n; ++i) {
    const double theta = i + 1 < n ? eta[1 + i] : 0.0;
    ArmJoint joint =
        i == 0 ? modified_dh(0, 0, 0, theta)
               : modified_dh(eta[2 * n - 2 + i], eta[3 * n - 3 + i], eta[n - 1 + i], theta);
    joint.parent = i - 1;
    joint.name = names[i];
    chain.joints.push_back(joint);
  }
  return chain;
}

GeometrySearch search_geometry(const Arm& forces, const Samples& samples,
                               const std::vector<Stretch>& stretches, std::uint64_t seed,
                               ThreadPool& pool) {
  std::vector<std::string> names;
  for (const ArmJoint& joint : forces.config().kinematics.joints) names.push_back(joint.name);
  const int n = forces.joints();
  Random random(seed, kStream);
  const GeometryCost cost(forces, samples, some_of(stretches, kStretches, random));
  std::vector<std::vector<double>> starts;
  for (int k = 0; k < kStarts; ++k) starts.push_back(random_start(n, random));
  std::vector<Refiner> refiners;
  for (int k = 0; k < pool.size(); ++k) refiners.emplace_back(cost, names);
  std::vector<double> first(kStarts);
  pool.run(kStarts, [&](int k, int worker) { first[k] = refiners[worker].value(starts[k]); });
  std::vector<int> order(kStarts);
  for (int k = 0; k < kStarts; ++k) order[k] = k;
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return first[a] < first[b]; });
  GeometrySearch search;
  std::vector<Refinement> ends;
  auto best = ends.end();
  while (search.agree < kAgree && search.refined < kMostRefined) {
    const int begin = search.refined;
    search.refined += kRefined;
    ends.resize(search.refined);
    pool.run(kRefined, [&](int k, int worker) {
      ends[begin + k] = refiners[worker].refine(starts[order[begin + k]], kIterations);
    });
    best = std::min_element(ends.begin(), ends.end(),
                            [](const auto& a, const auto& b) { return a.cost < b.cost; });
    search.agree = 0;
    for (const Refinement& end : ends) search.agree += end.cost < kAlike * best->cost;
  }
  GeometryCost all(forces, samples, some_of(stretches, kLastStretches, random));
  Refinement last = Refiner(all, names).refine(best->eta, kLastIterations);
  search.error = last.cost;
  for (int turn = 0; turn < kTurns; ++turn) {
    all.weigh_by_errors(chain_of(last.eta, names));
    last = Refiner(all, names).refine(last.eta, kLastIterations);
  }
  Refiner refiner(all, names);
  last = rounded(refiner, std::move(last), n);
  search.eta = last.eta;
  search.sd = last.sd;
  return search;
}

std::vector<std::string> doubtful_joints(const Arm& arm, const Samples& samples,
                                         const std::vector<Stretch>& stretches, std::uint64_t seed,
                                         ThreadPool& pool) {
  const ArmKinematics& kinematics = arm.config().kinematics;
  Random random(seed, kStream);
  const GeometryCost cost(arm, samples, some_of(stretches, kStretches, random));
  struct Change {
    int joint, sign, quarters;
  };
  std::vector<Change> changes;
  for (int i = 0; i < arm.joints(); ++i)
    for (const int sign : {1, -1})
      for (int quarters = sign == 1 ? 1 : 0;
           kinematics.joints[i].kind == JointKind::revolute && quarters < 4; ++quarters)
        changes.push_back({i, sign, quarters});
  std::vector<GeometryCost::Workspace> workers;
  for (int k = 0; k < pool.size(); ++k) workers.push_back(cost.make_workspace());
  std::vector<double> errors(changes.size());
  const double as_given = cost.value(kinematics, workers[0]);
  pool.run(static_cast<int>(changes.size()), [&](int k, int worker) {
    const auto& [joint, sign, quarters] = changes[k];
    errors[k] = cost.value(with_sign_and_offset(kinematics, joint, sign, quarters * kTurn / 4),
                           workers[worker]);
  });
  std::vector<std::string> notes;
  for (int i = 0; i < arm.joints(); ++i) {
    int best = -1;
    for (std::size_t k = 0; k < changes.size(); ++k)
      if (changes[k].joint == i && errors[k] < kContradicts * as_given &&
          (best < 0 || errors[k] < errors[best]))
        best = static_cast<int>(k);
    if (best < 0) continue;
    notes.push_back(fmt::format(
        "joint '{}' of the description may be counted otherwise: with {}q{} in place of q the "
        "torques' squared error falls from {:.2g} to {:.2g} of their variance",
        kinematics.joints[i].name, changes[best].sign < 0 ? "-" : "",
        changes[best].quarters == 0 ? ""
                                    : fmt::format(" + {} degrees", 90 * changes[best].quarters),
        as_given, errors[best]));
  }
  return notes;
}

std::vector<std::string> geometry_in_words(const GeometrySearch& search,
                                           const std::vector<std::string>& names) {
  const int n = static_cast<int>(names.size());
  std::vector<std::string> notes = {fmt::format(
      "the geometry of the arm was found from its torques: {} of {} refined starts end with the "
      "same error; numbers called round are right angles or 0 that the torques do not contradict; "
      "with a description (option 'robot') nothing need be found",
      search.agree, search.refined)};
  const auto word = [&](int k, double unit, const char* name) {
    if (search.sd[k] == 0) return fmt::format("{} {:.3g} (round)", name, search.eta[k] * unit);
    return search.sd[k] < kUnknown
               ? fmt::format("{} {:.3g} +- {:.2g}", name, search.eta[k] * unit, search.sd[k] * unit)
               : fmt::format("{} not known", name);
  };
  const double degrees = 360 / kTurn;
  notes.push_back("geometry: gravity against the first axis, " + word(0, degrees, "deg"));
  for (int i = 1; i < n; ++i)
    notes.push_back(fmt::format("geometry: {} before {}: {}, {}, {}", names[i], names[i - 1],
                                word(n - 1 + i, degrees, "alpha [deg]"),
                                word(2 * n - 2 + i, 1, "a [m]"), word(3 * n - 3 + i, 1, "d [m]")));
  return notes;
}

}  // namespace mechfit
