#include "mechfit/mechanics/families/trig/trig_basis.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

#include "mechfit/base/error.h"
#include "mechfit/mechanics/lanes.h"

namespace mechfit {

// A function is m(x) T(phase), phase = sum k_i q_i; T' is the derivative to the phase.
struct TrigBasis::Factors {
  double m[kBlock], T[kBlock], T_prime[kBlock];
};

TrigBasis::TrigBasis(std::vector<JointType> types, std::vector<double> offset,
                     std::vector<double> scale, const Limits& limits)
    : types_(std::move(types)), offset_(std::move(offset)), limits_(limits) {
  const int n = static_cast<int>(types_.size());
  MECHFIT_CHECK(n > 0 && limits.degree >= 1 && limits.joints >= 0);
  MECHFIT_CHECK(offset_.size() == types_.size() && scale.size() == types_.size());
  for (double s : scale) inverse_scale_.push_back(1 / s);
  std::vector<int> order(n);
  add_functions(order, 0, 0, 0);
  std::stable_sort(functions_.begin(), functions_.end(),
                   [](const Function& a, const Function& b) { return a.joints < b.joints; });
}

// add_functions, counted: ways[joints][turns], with `joints` that have an order, and whether one of
// them is periodic.
double TrigBasis::count(const std::vector<JointType>& types, const Limits& limits) {
  const int n = static_cast<int>(types.size()), most = std::min(limits.joints, n);
  std::vector<std::array<double, 2>> ways(most + 1, {0, 0});
  ways[0][0] = 1;
  for (const JointType type : types) {
    const bool periodic = type == JointType::periodic;
    const double degree = limits.degree;
    for (int joints = most; joints > 0; --joints) {
      const auto [still, turning] = ways[joints - 1];
      if (periodic) {
        ways[joints][1] += degree * still + 2 * degree * turning;
      } else {
        ways[joints][0] += 2 * degree * still;
        ways[joints][1] += 2 * degree * turning;
      }
    }
  }
  double sum = 0;
  for (const auto& [still, turning] : ways) sum += still + 2 * turning;
  return sum;
}

// Every choice for the joints from i on; `joints` of those before have an order, `turning` is the
// first non-zero one of a periodic joint. Of k and -k, which give the same functions, the one whose
// first non-zero is positive.
void TrigBasis::add_functions(std::vector<int>& order, std::size_t i, int joints, int turning) {
  if (i == types_.size()) {
    functions_.push_back({order, false, joints});
    if (turning > 0) functions_.push_back({order, true, joints});
    return;
  }
  const bool periodic = types_[i] == JointType::periodic;
  const int highest = joints == limits_.joints ? 0 : (periodic ? 1 : 2) * limits_.degree;
  for (int k = periodic && turning > 0 ? -highest : 0; k <= highest; ++k) {
    order[i] = k;
    add_functions(order, i + 1, joints + (k != 0), periodic && turning == 0 ? k : turning);
  }
  order[i] = 0;
}

int TrigBasis::size(int joints) const {
  const auto few = [&](const Function& f) { return f.joints <= joints; };
  return static_cast<int>(std::count_if(functions_.begin(), functions_.end(), few));
}

std::string TrigBasis::name(int function, const std::vector<std::string>& joints) const {
  MECHFIT_CHECK(joints.size() == types_.size());
  const Function& f = functions_.at(function);
  std::string powers, phase;
  for (std::size_t i = 0; i < types_.size(); ++i) {
    const int k = f.order[i];
    if (k == 0) continue;
    const std::string factor = std::abs(k) == 1 ? "" : std::to_string(std::abs(k)) + " ";
    if (types_[i] == JointType::plain)
      powers += (powers.empty() ? "" : " ") + joints[i] + (k == 1 ? "" : "^" + std::to_string(k));
    else
      phase += (phase.empty() ? "" : k > 0 ? " + " : " - ") + factor + joints[i];
  }
  if (phase.empty()) return powers.empty() ? "1" : powers;
  return powers + (powers.empty() ? "" : " ") + (f.sine ? "sin(" : "cos(") + phase + ")";
}

int TrigBasis::find(const TrigBasis& other, int function) const {
  const auto found = std::find(functions_.begin(), functions_.end(), other.functions_[function]);
  return found == functions_.end() ? -1 : static_cast<int>(found - functions_.begin());
}

TrigBasis::Workspace TrigBasis::make_workspace() const {
  const int n = static_cast<int>(types_.size());
  Workspace w;
  w.phase = make_panel(n * limits_.degree * 2);
  w.powers = make_panel(n * (2 * limits_.degree + 1));
  w.value = make_panel(size());
  w.slope = make_panel(size() * n);
  return w;
}

const double* TrigBasis::power(const Workspace& w, int joint, int exponent) const {
  return w.powers.data() + (joint * (2 * limits_.degree + 1) + exponent) * kBlock;
}

// m differentiated once to each of the plain joints first, second (-1: not).
void TrigBasis::monomial(const Function& function, const Workspace& w, int first, int second,
                         double* out) const {
  for_lanes([&](int l) { out[l] = 1; });
  for (int i = 0; i < static_cast<int>(types_.size()); ++i) {
    if (types_[i] == JointType::periodic || function.order[i] == 0) {
      if (i == first || i == second) for_lanes([&](int l) { out[l] = 0; });
      continue;
    }
    double factor = 1;
    int exponent = function.order[i];
    for (int times = (i == first) + (i == second); times > 0; --times) {
      factor *= exponent * inverse_scale_[i];
      exponent = std::max(exponent - 1, 0);
    }
    const double* x = power(w, i, exponent);
    for_lanes([&](int l) { out[l] *= factor * x[l]; });
  }
}

void TrigBasis::factors(const Function& function, const Workspace& w, Factors& out) const {
  double c[kBlock], s[kBlock];
  for_lanes([&](int l) {
    c[l] = 1;
    s[l] = 0;
  });
  for (int i = 0; i < static_cast<int>(types_.size()); ++i) {
    const int k = function.order[i];
    if (types_[i] == JointType::plain || k == 0) continue;
    const double* e = w.phase.data() + (i * limits_.degree + std::abs(k) - 1) * 2 * kBlock;
    const double sign = k > 0 ? 1 : -1;
    for_lanes([&](int l) {
      const double cosine = c[l] * e[l] - sign * s[l] * e[kBlock + l];
      s[l] = s[l] * e[l] + sign * c[l] * e[kBlock + l];
      c[l] = cosine;
    });
  }
  for_lanes([&](int l) {
    out.T[l] = function.sine ? s[l] : c[l];
    out.T_prime[l] = function.sine ? c[l] : -s[l];
  });
  monomial(function, w, -1, -1, out.m);
}

void TrigBasis::evaluate(const double* q, Workspace& w) const {
  const int n = static_cast<int>(types_.size()), degree = limits_.degree;
  for (int i = 0; i < n; ++i) {
    const double* qi = q + i * kBlock;
    if (types_[i] == JointType::plain) {
      double* x = w.powers.data() + i * (2 * degree + 1) * kBlock;
      for_lanes([&](int l) { x[l] = 1; });
      for (int a = 1; a <= 2 * degree; ++a, x += kBlock)
        for_lanes([&](int l) { x[kBlock + l] = x[l] * (qi[l] - offset_[i]) * inverse_scale_[i]; });
      continue;
    }
    double* e = w.phase.data() + i * degree * 2 * kBlock;
    const double* first = e;
    for (int l = 0; l < kBlock; ++l) {
      e[l] = std::cos(qi[l]);
      e[kBlock + l] = std::sin(qi[l]);
    }
    for (int k = 2; k <= degree; ++k, e += 2 * kBlock)
      for_lanes([&](int l) {
        e[2 * kBlock + l] = e[l] * first[l] - e[kBlock + l] * first[kBlock + l];
        e[3 * kBlock + l] = e[kBlock + l] * first[l] + e[l] * first[kBlock + l];
      });
  }
  Factors x;
  double m[kBlock];
  for (int f = 0; f < size(); ++f) {
    const Function& function = functions_[f];
    factors(function, w, x);
    double* value = w.value.data() + f * kBlock;
    for_lanes([&](int l) { value[l] = x.m[l] * x.T[l]; });
    for (int i = 0; i < n; ++i) {
      double* slope = w.slope.data() + (f * n + i) * kBlock;
      if (types_[i] == JointType::periodic) {
        const double k = function.order[i];
        for_lanes([&](int l) { slope[l] = k * x.m[l] * x.T_prime[l]; });
      } else {
        monomial(function, w, i, -1, m);
        for_lanes([&](int l) { slope[l] = m[l] * x.T[l]; });
      }
    }
  }
}

void TrigBasis::hessian(int count, const double* weights, const Workspace& w, double* H) const {
  const int n = static_cast<int>(types_.size());
  std::fill_n(H, n * n * kBlock, 0.0);
  Factors x;
  double m[kBlock];
  for (int f = 0; f < count; ++f, weights += kBlock) {
    const Function& function = functions_[f];
    factors(function, w, x);
    for (int i = 0; i < n; ++i) {
      if (function.order[i] == 0) continue;
      for (int j = 0; j <= i; ++j) {
        if (function.order[j] == 0) continue;
        double* h = H + (i * n + j) * kBlock;
        const bool turning_i = types_[i] == JointType::periodic;
        const bool turning_j = types_[j] == JointType::periodic;
        if (turning_i && turning_j) {
          const double kk = -function.order[i] * function.order[j];
          for_lanes([&](int l) { h[l] += weights[l] * kk * x.m[l] * x.T[l]; });
        } else if (turning_i || turning_j) {
          const double k = function.order[turning_i ? i : j];
          monomial(function, w, turning_i ? j : i, -1, m);
          for_lanes([&](int l) { h[l] += weights[l] * k * m[l] * x.T_prime[l]; });
        } else {
          monomial(function, w, i, j, m);
          for_lanes([&](int l) { h[l] += weights[l] * m[l] * x.T[l]; });
        }
      }
    }
  }
}

}  // namespace mechfit
