#include "mechfit/mechanics/joint_forces.h"

namespace mechfit {

Formula trace(const FrictionFunction& f, const Formula& w, const Formula& x, double sharpness) {
  using Kind = FrictionFunction::Kind;
  using Factor = FrictionFunction::Factor;
  const Formula t = tanh(sharpness * w);
  switch (f.kind) {
    case Kind::viscous:
      return w;
    case Kind::coulomb:
      return t;
    case Kind::offset:
      return 1;
    case Kind::asymmetric_viscous:
      return w * t;
    case Kind::asymmetric_coulomb:
      return t * t;
    case Kind::stribeck: {
      const Formula y = sharpness / kStribeckWidths * w;
      return t * exp(-(y * y));
    }
    case Kind::position:
      break;
  }
  const Formula angle = f.harmonic * x, wave = f.sine ? sin(angle) : cos(angle);
  return f.factor == Factor::one ? wave : wave * (f.factor == Factor::speed ? w : t);
}

void JointForces::trace(SymbolicModel& out) const {
  for (const Term& term : terms_) {
    const Slip& slip = config_.slips[term.slip];
    const Formula w = slip.j < 0 ? out.v[slip.i] : out.v[slip.i] - out.v[slip.j];
    const Formula x = slip.rate * (out.q[slip.i] - slip.origin);
    const Formula force = term.c * mechfit::trace(term.function, w, x, sharpness_[term.slip]);
    out.force[slip.i] -= force;
    if (slip.j >= 0) out.force[slip.j] += force;
  }
  for (int i = 0; i < n_; ++i)
    for (int k = 0; k < m_; ++k) out.force[i] += b_[i * m_ + k] * out.u[k];
}

}  // namespace mechfit
