#include "mechfit/mechanics/families/analytic/systems.h"

namespace mechfit {

namespace {

constexpr char kAngularDamping[] = "N m s/rad";
constexpr char kLinearDamping[] = "N s/m";

}  // namespace

// A cart of mass m on a rail; the force pushes it.
//   M = m,  V = 0,  F = u - eta v
Equations cart() {
  EquationWriter s("cart", {{"x", JointType::plain, "m"}}, {{"force", "N"}});
  s.M(0, 0) = s.constant("m", 1, "kg");
  s.F(0) = s.u(0);
  s.viscous_damping({"eta"}, {kLinearDamping});
  return s.finish();
}

// A point mass that flies in a vertical plane.
//   M = diag(m, m),  V = m g y,  F = -eta v
Equations ball() {
  EquationWriter s("ball", {{"x", JointType::plain, "m"}, {"y", JointType::plain, "m"}});
  const Expr m = s.constant("m", 1, "kg");
  const Expr g = s.constant("g", 10, "m/s^2", Range::any);
  s.M(0, 0) = m;
  s.M(1, 1) = m;
  s.V = m * g * s.q(1);
  s.viscous_damping({"eta_x", "eta_y"}, {kLinearDamping, kLinearDamping});
  return s.finish();
}

// A cart of mass m_cart at x, from which a point mass m_pole hangs on a massless rod of length l;
// the force pushes the cart.
//   M11 = m_cart + m_pole,  M12 = m_pole l cos q,  M22 = m_pole l^2,  V = -m_pole g l cos q
//   F = (u - eta_cart xdot, -eta_pole qdot)
Equations cart_pole() {
  EquationWriter s("cart-pole", {{"x", JointType::plain, "m"}, {"q", JointType::periodic, "rad"}},
                   {{"force", "N"}});
  const Expr cart = s.constant("m_cart", 1, "kg"), pole = s.constant("m_pole", 0.1, "kg");
  const Expr l = s.constant("l", 0.5, "m");
  const Expr g = s.constant("g", 10, "m/s^2", Range::any);
  s.M(0, 0) = cart + pole;
  s.M(1, 0) = pole * l * cos(s.q(1));
  s.M(1, 1) = pole * l * l;
  s.V = -(pole * g * l) * cos(s.q(1));
  s.F(0) = s.u(0);
  s.viscous_damping({"eta_cart", "eta_pole"}, {kLinearDamping, kAngularDamping});
  return s.finish();
}

// An arm that turns by q1 about the vertical (inertia J_arm about it) and carries at radius r a
// pendulum that swings by q2 across the arm: mass m, centre of mass at distance l, inertia J about
// every axis through it and across the rod, none about the rod. The torque drives the arm.
//   M11 = J_arm + m r^2 + (m l^2 + J) sin^2 q2,  M12 = m r l cos q2,  M22 = m l^2 + J
//   V = -m g l cos q2,  F = (u - eta_arm v1, -eta_pendulum v2)
Equations furuta() {
  EquationWriter s("furuta",
                   {{"arm", JointType::periodic, "rad"}, {"pendulum", JointType::periodic, "rad"}},
                   {{"torque", "N m"}});
  const Expr arm = s.constant("J_arm", 2.3e-4, "kg m^2"), r = s.constant("r", 0.085, "m");
  const Expr m = s.constant("m", 0.024, "kg"), l = s.constant("l", 0.0645, "m");
  const Expr J = s.constant("J", 3.3e-5, "kg m^2");
  const Expr g = s.constant("g", 9.81, "m/s^2", Range::any);
  const Expr swing = m * l * l + J;
  const Expr sine = sin(s.q(1)), cosine = cos(s.q(1));
  s.M(0, 0) = arm + m * r * r + swing * (sine * sine);
  s.M(1, 0) = m * r * l * cosine;
  s.M(1, 1) = swing;
  s.V = -(m * g * l) * cosine;
  s.F(0) = s.u(0);
  s.viscous_damping({"eta_arm", "eta_pendulum"}, {kAngularDamping, kAngularDamping});
  return s.finish();
}

// A point mass on a spring of stiffness k and free length l that swings as a whole; joints are the
// angle q and the length r of the spring.
//   M = diag(m r^2, m),  V = 1/2 k (r - l)^2 - m g r cos q
//   F = (-eta_angle qdot, -eta_length rdot)
Equations spring_pendulum() {
  EquationWriter s("spring-pendulum",
                   {{"q", JointType::periodic, "rad"}, {"r", JointType::plain, "m"}});
  const Expr m = s.constant("m", 1, "kg"), k = s.constant("k", 40, "N/m");
  const Expr l = s.constant("l", 1, "m");
  const Expr g = s.constant("g", 10, "m/s^2", Range::any);
  const Expr r = s.q(1), extension = r - l;
  s.M(0, 0) = m * (r * r);
  s.M(1, 1) = m;
  s.V = 0.5 * k * (extension * extension) - m * g * (r * cos(s.q(0)));
  s.viscous_damping({"eta_angle", "eta_length"}, {kAngularDamping, kLinearDamping});
  return s.finish();
}

}  // namespace mechfit
