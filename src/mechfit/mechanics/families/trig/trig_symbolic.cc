#include <algorithm>

#include "mechfit/mechanics/families/trig/trig.h"

namespace mechfit {

std::vector<Formula> TrigBasis::trace(std::span<const Formula> q) const {
  std::vector<Formula> out;
  for (const Function& function : functions_) {
    Formula phase = 0, value = 1;
    for (std::size_t i = 0; i < types_.size(); ++i) {
      if (types_[i] == JointType::periodic) {
        phase += function.order[i] * q[i];
      } else {
        const Formula x = inverse_scale_[i] * (q[i] - offset_[i]);
        for (int k = 0; k < function.order[i]; ++k) value = value * x;
      }
    }
    out.push_back(value * (function.sine ? sin(phase) : cos(phase)));
  }
  return out;
}

SymbolicModel Trig::symbolic() const {
  SymbolicModel out(n_, m_);
  const std::vector<Formula> functions = basis_.trace(out.q);
  const double* theta = theta_.data();
  for (int i = 0; i < n_; ++i)
    for (int j = 0; j <= i; ++j)
      for (int f = 0; f < mass_functions_; ++f, ++theta)
        out.M(i, j) += d_[i] * d_[j] * *theta * functions[f];
  for (int f = 1; f < basis_.size(); ++f, ++theta)
    out.potential += config_.scales.energy * *theta * functions[f];
  joint_forces_.trace(out);
  return out;
}

}  // namespace mechfit
