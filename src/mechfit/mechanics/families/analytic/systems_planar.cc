#include <algorithm>

#include "mechfit/mechanics/families/analytic/systems.h"

namespace mechfit {

namespace {

constexpr char kAngularDamping[] = "N m s/rad";

JointDefinition angle(const std::string& name) { return {name, JointType::periodic, "rad"}; }

std::string numbered(const std::string& name, int i) { return name + std::to_string(i + 1); }

// Two uniform rods; q2 is the angle of the second relative to the first. Appendix of the paper,
// with I1 = m1 l1^2 / 3 and I2 = m2 l2^2 / 3:
//   M11 = I1 + I2 + m2 l1^2 + m2 l1 l2 cos q2,  M12 = I2 + 1/2 m2 l1 l2 cos q2,  M22 = I2
//   V = -1/2 m1 g l1 cos q1 - m2 g (l1 cos q1 + 1/2 l2 cos(q1 + q2)),  F = -eta v
// A motor may turn one of the joints: F_driven += u; -1: none does.
Equations two_rods(const std::string& name, int driven) {
  std::vector<InputDefinition> inputs;
  if (driven >= 0) inputs.push_back({"torque", "N m"});
  EquationWriter s(name, {angle("q1"), angle("q2")}, inputs);
  const Expr m1 = s.constant("m1", 1, "kg"), m2 = s.constant("m2", 1, "kg");
  const Expr l1 = s.constant("l1", 1, "m"), l2 = s.constant("l2", 1, "m");
  const Expr g = s.constant("g", 10, "m/s^2", Range::any);
  const Expr I1 = (1.0 / 3) * m1 * l1 * l1, I2 = (1.0 / 3) * m2 * l2 * l2;
  const Expr coupling = m2 * l1 * l2 * cos(s.q(1));
  s.M(0, 0) = I1 + I2 + m2 * l1 * l1 + coupling;
  s.M(1, 0) = I2 + 0.5 * coupling;
  s.M(1, 1) = I2;
  s.V = -((0.5 * m1 + m2) * g * l1) * cos(s.q(0)) - 0.5 * m2 * g * l2 * cos(s.q(0) + s.q(1));
  if (driven >= 0) s.F(driven) = s.u(0);
  s.viscous_damping({"eta1", "eta2"}, {kAngularDamping, kAngularDamping});
  return s.finish();
}

}  // namespace

// A point mass m on a massless rod of length l.
//   M = m l^2,  V = -m g l cos q,  F = -eta v
Equations pendulum() {
  EquationWriter s("pendulum", {angle("q1")});
  const Expr m = s.constant("m", 1, "kg"), l = s.constant("l", 1, "m");
  const Expr g = s.constant("g", 10, "m/s^2", Range::any);
  s.M(0, 0) = m * l * l;
  s.V = -(m * g * l) * cos(s.q(0));
  s.viscous_damping({"eta"}, {kAngularDamping});
  return s.finish();
}

Equations double_pendulum() { return two_rods("double-pendulum", -1); }
Equations acrobot() { return two_rods("acrobot", 1); }
Equations pendubot() { return two_rods("pendubot", 0); }

// Two point masses on massless rods, both angles absolute (from the vertical).
//   M11 = (m1 + m2) l1^2,  M12 = m2 l1 l2 cos(q1 - q2),  M22 = m2 l2^2
//   V = -(m1 + m2) g l1 cos q1 - m2 g l2 cos q2,  F = -eta v
Equations double_pendulum_points() {
  EquationWriter s("double-pendulum-points", {angle("q1"), angle("q2")});
  const Expr m1 = s.constant("m1", 1, "kg"), m2 = s.constant("m2", 1, "kg");
  const Expr l1 = s.constant("l1", 1, "m"), l2 = s.constant("l2", 1, "m");
  const Expr g = s.constant("g", 10, "m/s^2", Range::any);
  s.M(0, 0) = (m1 + m2) * l1 * l1;
  s.M(1, 0) = m2 * l1 * l2 * cos(s.q(0) - s.q(1));
  s.M(1, 1) = m2 * l2 * l2;
  s.V = -((m1 + m2) * g * l1) * cos(s.q(0)) - m2 * g * l2 * cos(s.q(1));
  s.viscous_damping({"eta1", "eta2"}, {kAngularDamping, kAngularDamping});
  return s.finish();
}

// Two rigid links, both angles absolute: the constants that the motion of any double pendulum can
// tell. A link with inertia J and first moment s about its joint moves like a point mass
// m = s^2 / J at distance l = J / s, with the rest of its mass at the joint, where the second
// link's rest counts with the first link: inertia J1 and first moment s1 about the pivot, length
// l1.
//   M11 = J1 + m2 l1^2,  M12 = m2 l1 l2 cos(q1 - q2),  M22 = m2 l2^2
//   V = -(s1 + m2 l1) g cos q1 - m2 l2 g cos q2
// Bearings turn by w1 = v1 and w2 = v2 - v1 and resist with
//   eta_i w_i + eta_dry_i tanh(w_i / 0.1 rad/s)
// Where angles are zero when upright, g is negative.
Equations double_pendulum_links() {
  constexpr double kSharpness = 10;  // [s/rad]
  EquationWriter s("double-pendulum-links", {angle("q1"), angle("q2")});
  // The values of two uniform rods of 1 kg and 1 m.
  const Expr J1 = s.constant("J1", 7.0 / 12, "kg m^2");
  const Expr s1 = s.constant("s1", 0.75, "kg m", Range::any);
  const Expr l1 = s.constant("l1", 1, "m"), m2 = s.constant("m2", 0.75, "kg");
  const Expr l2 = s.constant("l2", 2.0 / 3, "m");
  const Expr g = s.constant("g", 10, "m/s^2", Range::any);
  s.M(0, 0) = J1 + m2 * l1 * l1;
  s.M(1, 0) = m2 * l1 * l2 * cos(s.q(0) - s.q(1));
  s.M(1, 1) = m2 * l2 * l2;
  s.V = -((s1 + m2 * l1) * g) * cos(s.q(0)) - m2 * l2 * g * cos(s.q(1));
  const Expr slip[2] = {s.v(0), s.v(1) - s.v(0)};
  Expr torque[2];
  for (int i = 0; i < 2; ++i)
    torque[i] = s.constant(numbered("eta", i), 0, kAngularDamping, Range::nonnegative) * slip[i];
  for (int i = 0; i < 2; ++i)
    torque[i] += s.constant(numbered("eta_dry", i), 0, "N m", Range::nonnegative) *
                 tanh(kSharpness * slip[i]);
  s.F(0) = torque[1] - torque[0];
  s.F(1) = -torque[1];
  return s.finish();
}

// A planar chain of uniform rods; q_i is the angle of rod i relative to rod i - 1, so that rod i
// stands at phi_i = q_1 + ... + q_i. In phi, with s_i the mass carried by the end of rod i,
//   A_ii = (m_i / 3 + s_i) l_i^2,  A_ij = (m_i / 2 + s_i) l_i l_j cos(phi_i - phi_j)  for i > j
//   V = -sum_i (m_i / 2 + s_i) g l_i cos phi_i
// and M_kl = sum over i >= k, j >= l of A_ij.
Equations chain(int links) {
  std::vector<JointDefinition> joints;
  for (int i = 0; i < links; ++i) joints.push_back(angle(numbered("q", i)));
  EquationWriter s("chain", joints);
  std::vector<Expr> m, l, carried(links), sine(links), cosine(links);
  for (int i = 0; i < links; ++i) m.push_back(s.constant(numbered("m", i), 1, "kg"));
  for (int i = 0; i < links; ++i) l.push_back(s.constant(numbered("l", i), 1, "m"));
  const Expr g = s.constant("g", 10, "m/s^2", Range::any);
  for (int i = links - 2; i >= 0; --i) carried[i] = carried[i + 1] + m[i + 1];
  Expr phi;
  for (int i = 0; i < links; ++i) {
    phi += s.q(i);
    sine[i] = sin(phi);
    cosine[i] = cos(phi);
    s.V -= (0.5 * m[i] + carried[i]) * g * l[i] * cosine[i];
  }
  const auto at = [links](int i, int j) { return std::max(i, j) * links + std::min(i, j); };
  std::vector<Expr> A(links * links), sums(links * links);
  for (int i = 0; i < links; ++i) {
    A[at(i, i)] = ((1.0 / 3) * m[i] + carried[i]) * l[i] * l[i];
    for (int j = 0; j < i; ++j)
      A[at(i, j)] =
          (0.5 * m[i] + carried[i]) * l[i] * l[j] * (cosine[i] * cosine[j] + sine[i] * sine[j]);
  }
  // Suffix sums of A along its rows, then along its columns.
  for (int i = 0; i < links; ++i) {
    Expr sum;
    for (int j = links - 1; j >= 0; --j) {
      sum += A[at(i, j)];
      if (j <= i) sums[at(i, j)] = sum;
    }
  }
  for (int j = 0; j < links; ++j) {
    Expr sum;
    for (int i = links - 1; i >= j; --i) s.M(i, j) = sum += sums[at(i, j)];
  }
  std::vector<std::string> names, units(links, kAngularDamping);
  for (int i = 0; i < links; ++i) names.push_back(numbered("eta", i));
  s.viscous_damping(names, units);
  return s.finish();
}

// Point masses one below the other on massless rods; q_i is the angle of rod i from the vertical.
// With c_i = m_i + m_i+1 + ... carried by rod i,
//   M_ij = c_max(i,j) l_i l_j cos(q_i - q_j),  V = -sum_i c_i g l_i cos q_i,  F = -eta v
Equations chain_points(int masses) {
  std::vector<JointDefinition> joints;
  for (int i = 0; i < masses; ++i) joints.push_back(angle(numbered("q", i)));
  EquationWriter s("chain-points", joints);
  std::vector<Expr> carried, l, sine, cosine;
  for (int i = 0; i < masses; ++i) carried.push_back(s.constant(numbered("m", i), 1, "kg"));
  for (int i = 0; i < masses; ++i) l.push_back(s.constant(numbered("l", i), 1, "m"));
  const Expr g = s.constant("g", 10, "m/s^2", Range::any);
  for (int i = masses - 2; i >= 0; --i) carried[i] += carried[i + 1];
  for (int i = 0; i < masses; ++i) {
    sine.push_back(sin(s.q(i)));
    cosine.push_back(cos(s.q(i)));
    s.V -= carried[i] * g * l[i] * cosine[i];
    s.M(i, i) = carried[i] * l[i] * l[i];
    for (int j = 0; j < i; ++j)
      s.M(i, j) = carried[i] * l[i] * l[j] * (cosine[i] * cosine[j] + sine[i] * sine[j]);
  }
  std::vector<std::string> names, units(masses, kAngularDamping);
  for (int i = 0; i < masses; ++i) names.push_back(numbered("eta", i));
  s.viscous_damping(names, units);
  return s.finish();
}

}  // namespace mechfit
