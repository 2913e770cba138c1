#include "mechfit/integrate/contact_stepper.h"

#include <algorithm>
#include <cmath>

#include "mechfit/base/error.h"

namespace mechfit {
namespace {

// A bounce that lasts less than this share of the step ends: it would rise by less than 1/800 of
// what falls in a step (a t^2 / 8).
constexpr double kShortestBounce = 0.1;
// The root's bracket, as a share of the step, and evaluations at most: regula falsi with halved
// ends (Illinois) takes some eight.
constexpr double kBracket = 1e-13;
constexpr int kRootTrials = 100;
// Halvings in search of a time at which a contact that was just left is open.
constexpr int kOpenTrials = 30;
// Newton's steps of the impulses that hold what lies, and their relative change in the end. The
// error shrinks by the order of the step each time.
constexpr int kHoldTrials = 25;
constexpr double kHeld = 1e-13;
// Contacts within this share of what is passed in a step touch at once.
constexpr double kAtOnce = 1e-9;

bool finite(std::span<const double> x) {
  return std::all_of(x.begin(), x.end(), [](double value) { return std::isfinite(value); });
}

double dot(std::span<const double> a, std::span<const double> b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

using Vector = Eigen::Map<Eigen::VectorXd>;
using ConstVector = Eigen::Map<const Eigen::VectorXd>;

}  // namespace

ContactStepper::ContactStepper(const Model& model, std::span<const Contact> contacts,
                               Integrator integrator)
    : contacts_(contacts),
      integrator_(integrator),
      n_(model.joints()),
      variational_(model),
      dynamics_(model),
      touching_(model, contacts),
      mass_(static_cast<std::size_t>(n_) * n_),
      surface_(contacts.size(), 0.0),
      resting_(contacts.size(), 0) {
  for (State* x : {&q_, &v_, &q_next_, &v_next_, &momentum_, &momentum_next_, &vm_, &kicked_,
                   &k_[0], &k_[1], &k_[2], &k_[3], &stage_q_, &stage_v_, &normal_, &bend_})
    x->resize(n_);
}

void ContactStepper::start(std::span<const double> q) {
  q_.assign(q.begin(), q.end());
  std::fill(resting_.begin(), resting_.end(), 0);
  std::fill(surface_.begin(), surface_.end(), -HUGE_VAL);
  settle_surfaces();
}

void ContactStepper::continue_from(const ContactStepper& other) {
  surface_ = other.surface_;
  resting_ = other.resting_;
}

// A surface that the motion began beyond moves along with it, and never back.
void ContactStepper::settle_surfaces() {
  for (std::size_t i = 0; i < contacts_.size(); ++i)
    surface_[i] = std::min(0.0, std::max(surface_[i], contacts_[i].gap(q_)));
}

double ContactStepper::depth(int contact, const State& q) const {
  return contacts_[contact].gap(q) - surface_[contact];
}

double ContactStepper::speed(int contact, const State& q, const State& v) {
  contacts_[contact].gradient(q, normal_);
  return dot(normal_, v);
}

StepStatus ContactStepper::runge_kutta(const State& q, const State& v, std::span<const double> u,
                                       double h, State& q_next, State& v_next) {
  struct Stage {
    double c, b;
  };
  static constexpr Stage kRk4[] = {{0, 1.0 / 6}, {0.5, 1.0 / 3}, {0.5, 1.0 / 3}, {1, 1.0 / 6}};
  static constexpr Stage kMidpoint[] = {{0, 0}, {0.5, 1}};
  const std::span<const Stage> stages =
      integrator_ == Integrator::rk4 ? std::span<const Stage>(kRk4) : kMidpoint;
  State q_sum = q, v_sum = v;
  stage_v_ = v;
  for (std::size_t s = 0; s < stages.size(); ++s) {
    for (int i = 0; i < n_; ++i) {
      const double q_rate = s ? stage_v_[i] : 0, v_rate = s ? k_[s - 1][i] : 0;
      stage_q_[i] = q[i] + stages[s].c * h * q_rate;
      momentum_[i] = v[i] + stages[s].c * h * v_rate;
    }
    stage_v_ = momentum_;
    if (!dynamics_.acceleration(stage_q_, stage_v_, u, k_[s])) return StepStatus::mass_not_positive;
    for (int i = 0; i < n_; ++i) {
      q_sum[i] += stages[s].b * h * stage_v_[i];
      v_sum[i] += stages[s].b * h * k_[s][i];
    }
  }
  q_next = q_sum;
  v_next = v_sum;
  return finite(q_next) && finite(v_next) ? StepStatus::ok : StepStatus::not_finite;
}

StepStatus ContactStepper::free_step(const State& q, const State& v, std::span<const double> u,
                                     double h, State& q_next, State& v_next) {
  if (!(h > 0)) {
    q_next = q;
    v_next = v;
    return StepStatus::ok;
  }
  if (integrator_ != Integrator::variational) return runge_kutta(q, v, u, h, q_next, v_next);
  // P = M v at both ends of the step
  dynamics_.momentum(q, v, momentum_);
  vm_ = v;
  const StepStatus status = variational_.step(q, momentum_, u, h, vm_, q_next, momentum_next_);
  if (status != StepStatus::ok) return status;
  if (!finite(q_next) || !finite(momentum_next_)) return StepStatus::not_finite;
  dynamics_.mass(q_next, mass_);
  const Eigen::LLT<Eigen::MatrixXd> factor(Eigen::Map<const Eigen::MatrixXd>(mass_.data(), n_, n_));
  if (factor.info() != Eigen::Success) return StepStatus::mass_not_positive;
  Vector(v_next.data(), n_) = factor.solve(ConstVector(momentum_next_.data(), n_));
  return StepStatus::ok;
}

StepStatus ContactStepper::advance(const State& q, const State& v, std::span<const double> u,
                                   double h, State& q_next, State& v_next) {
  lying_.clear();
  for (std::size_t i = 0; i < contacts_.size(); ++i)
    if (resting_[i]) lying_.push_back(static_cast<int>(i));
  if (lying_.empty() || !(h > 0)) return free_step(q, v, u, h, q_next, v_next);
  if (!touching_.set(q, lying_)) return StepStatus::mass_not_positive;
  // z(L) = (phi(q_next) above its surface, way along it) / h is nearly linear in L, with slope W.
  const Eigen::MatrixXd W = touching_.W(), moves = touching_.moves();
  const std::vector<ContactRows> rows(touching_.rows().begin(), touching_.rows().end());
  Eigen::VectorXd L = Eigen::VectorXd::Zero(W.rows()), z(W.rows());
  for (int trial = 0; trial < kHoldTrials; ++trial) {
    kicked_ = v;
    Vector(kicked_.data(), n_) += moves * L;
    const StepStatus status = free_step(q, kicked_, u, h, q_next, v_next);
    if (status != StepStatus::ok) return status;
    for (std::size_t i = 0; i < lying_.size(); ++i) {
      const Contact& contact = contacts_[lying_[i]];
      z[rows[i].normal] = depth(lying_[i], q_next) / h;
      if (rows[i].tangent >= 0) z[rows[i].tangent] = (contact.along(q_next) - contact.along(q)) / h;
    }
    const Eigen::VectorXd before = L, b = z - W * L;
    (void)solve_complementarity(W, b, rows, L);  // what is wrong with it, the next trial sees
    if ((L - before).lpNorm<Eigen::Infinity>() <= kHeld * L.lpNorm<Eigen::Infinity>()) break;
  }
  impulse_ = L;
  if (!touching_.set(q_next, lying_)) return StepStatus::mass_not_positive;
  const std::vector<double> none(lying_.size(), 0.0);
  const Eigen::VectorXd end = touching_.impact(ConstVector(v_next.data(), n_), none);
  Vector(v_next.data(), n_) += touching_.moves() * end;
  return StepStatus::ok;
}

StepStatus ContactStepper::find_root(int contact, const State& q, const State& v,
                                     std::span<const double> u, double h, double& when) {
  State qa(n_), va(n_);
  const auto at = [&](double a, double& g) {
    const StepStatus status = advance(q, v, u, a, qa, va);
    if (status == StepStatus::ok) g = depth(contact, qa);
    return status;
  };
  double low = 0, high = h, g_low = depth(contact, q), g_high = 0;
  if (const auto status = at(h, g_high); status != StepStatus::ok) return status;
  // Where the contact was just left: a time at which it is open.
  if (g_low <= 0) {
    double a = h, g = 0;
    for (int trial = 0; trial < kOpenTrials && !(g > 0); ++trial) {
      a *= 0.5;
      if (const auto status = at(a, g); status != StepStatus::ok) return status;
      if (!(g > 0)) high = a, g_high = g;
    }
    when = 0;
    if (!(g > 0)) return StepStatus::ok;
    low = a;
    g_low = g;
  }
  int side = 0;
  for (int trial = 0; trial < kRootTrials && high - low > kBracket * h && g_low > 0; ++trial) {
    double a = (low * g_high - high * g_low) / (g_high - g_low);
    if (!(a > low && a < high)) a = 0.5 * (low + high);
    double g = 0;
    if (const auto status = at(a, g); status != StepStatus::ok) return status;
    if (g >= 0) {
      low = a;
      g_low = g;
      if (side == 1) g_high *= 0.5;
      side = 1;
    } else {
      high = a;
      g_high = g;
      if (side == -1) g_low *= 0.5;
      side = -1;
    }
  }
  when = low;
  return StepStatus::ok;
}

StepStatus ContactStepper::first_impact(const State& q, const State& v, std::span<const double> u,
                                        double h, int& contact, double& when) {
  contact = -1;
  when = h;
  const State q_end = q_next_;
  for (std::size_t i = 0; i < contacts_.size(); ++i) {
    if (resting_[i] || !(depth(static_cast<int>(i), q_end) < 0)) continue;
    double own = 0;
    if (const auto status = find_root(static_cast<int>(i), q, v, u, h, own);
        status != StepStatus::ok)
      return status;
    if (contact >= 0 && !(own < when)) continue;
    contact = static_cast<int>(i);
    when = own;
  }
  return StepStatus::ok;
}

// J a + v' (d2phi/dq2) v without any contact's force.
double ContactStepper::free_acceleration(int contact, std::span<const double> u, bool& ok) {
  ok = dynamics_.acceleration(q_, v_, u, k_[0]);
  if (!ok) return 0;
  contacts_[contact].curvature(q_, v_, bend_);
  contacts_[contact].gradient(q_, normal_);
  return dot(normal_, k_[0]) + dot(bend_, v_);
}

// The impulse where `contact` is reached, with all that touch there, and which of them lie still.
StepStatus ContactStepper::collide(int contact, double h, double when, std::span<const double> u,
                                   std::vector<ContactEvent>* events) {
  std::vector<int> touching, hit;
  std::vector<double> restitution, speeds;
  for (std::size_t k = 0; k < contacts_.size(); ++k) {
    const int i = static_cast<int>(k);
    const double own = speed(i, q_, v_);
    const bool at_once = !resting_[i] && own < 0 && depth(i, q_) <= -kAtOnce * own * h;
    if (i != contact && !at_once && !resting_[i]) continue;
    touching.push_back(i);
    restitution.push_back(resting_[i] ? 0 : contacts_[i].restitution);
    speeds.push_back(own);
    if (!resting_[i]) hit.push_back(static_cast<int>(touching.size()) - 1);
  }
  if (!touching_.set(q_, touching)) return StepStatus::mass_not_positive;
  const State before = v_;
  const auto apply = [&] {
    const Eigen::VectorXd L = touching_.impact(ConstVector(before.data(), n_), restitution);
    Vector(v_.data(), n_) = ConstVector(before.data(), n_) + touching_.moves() * L;
    return L;
  };
  Eigen::VectorXd L = apply();
  bool rests = false;
  for (const int k : hit) {
    const int i = touching[k];
    bool ok = false;
    const double pressed = -free_acceleration(i, u, ok), leaves = speed(i, q_, v_);
    if (!ok) return StepStatus::mass_not_positive;
    const bool lies = pressed > 0 && 2 * leaves < kShortestBounce * h * pressed;
    const bool stuck = when == 0 && !(speeds[k] < 0);  // nothing else would move on
    if (!lies && !stuck) continue;
    resting_[i] = 1;
    restitution[k] = 0;
    rests = true;
  }
  if (rests) L = apply();
  for (const int k : hit) {
    const double impulse = L[touching_.rows()[k].normal];
    if (events && impulse > 0 && speeds[k] < 0)
      events->push_back({touching[k], 0.0, speeds[k], impulse});
  }
  return StepStatus::ok;
}

StepStatus ContactStepper::step(std::span<double> q, std::span<double> v, std::span<const double> u,
                                double h, std::vector<ContactEvent>* events) {
  q_.assign(q.begin(), q.end());
  v_.assign(v.begin(), v.end());
  double done = 0;
  for (int impacts = 0;; ++impacts) {
    const double left = h - done;
    State q_end(n_), v_end(n_);
    if (const auto status = advance(q_, v_, u, left, q_end, v_end); status != StepStatus::ok)
      return status;
    q_next_ = q_end;
    std::vector<char> released(contacts_.size(), 0);
    for (std::size_t k = 0; k < lying_.size() && left > 0; ++k)
      released[lying_[k]] = !(impulse_[touching_.rows()[k].normal] > 0);
    int contact = -1;
    double when = left;
    if (const auto status = first_impact(q_, v_, u, left, contact, when); status != StepStatus::ok)
      return status;
    if (contact < 0) {
      q_ = q_end;
      v_ = v_end;
      for (std::size_t i = 0; i < contacts_.size(); ++i)
        if (released[i]) resting_[i] = 0;
      settle_surfaces();
      break;
    }
    if (impacts == kMostImpacts) return StepStatus::too_many_impacts;
    if (const auto status = advance(q_, v_, u, when, q_end, v_end); status != StepStatus::ok)
      return status;
    q_ = q_end;
    v_ = v_end;
    done += when;
    const std::size_t first = events ? events->size() : 0;
    if (const auto status = collide(contact, h, when, u, events); status != StepStatus::ok)
      return status;
    for (std::size_t k = first; events && k < events->size(); ++k) (*events)[k].time = done;
    settle_surfaces();
  }
  std::copy(q_.begin(), q_.end(), q.begin());
  std::copy(v_.begin(), v_.end(), v.begin());
  return StepStatus::ok;
}

}  // namespace mechfit
