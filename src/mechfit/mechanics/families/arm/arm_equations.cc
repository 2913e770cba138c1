#include "mechfit/mechanics/families/arm/arm_equations.h"

#include <Eigen/Geometry>
#include <cmath>

#include "mechfit/base/error.h"
#include "mechfit/mechanics/families/arm/arm_geometry.h"

namespace mechfit {
namespace {

using Vector = std::array<Expr, 3>;

// Of a body, about the origin of a frame and along its axes.
struct Body {
  Expr m;
  Vector h;                     // first moment
  Expr xx, xy, xz, yy, yz, zz;  // inertia
};

// Velocity and force of a joint that moves with speed one: momentum of what it carries.
struct Wrench {
  Vector f, t;
};

// What lies between the frame of a joint's link and that of the link before it. Frames are turned
// so that z is the joint's axis: x_before = R [turn about z by q] x + p, or p + R (x + q z).
struct Step {
  Eigen::Matrix3d R;
  Eigen::Vector3d p;
  bool turns;
  Expr q, sine, cosine;
};

// Entries within rounding of 0 and +-1 are these: half of all entries cost nothing then.
double clean(double x) {
  for (const double whole : {0.0, 1.0, -1.0})
    if (std::abs(x - whole) < 1e-12) return whole;
  return x;
}

void add(double factor, const Expr& x, Expr& sum) {
  factor = clean(factor);
  if (factor == -1)
    sum -= x;
  else
    sum += factor * x;
}

Vector turned(const Eigen::Matrix3d& R, const Vector& x) {
  Vector y;
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < 3; ++k) add(R(i, k), x[k], y[i]);
  return y;
}

// R I R'
void turn_inertia(const Eigen::Matrix3d& R, Body& body) {
  const Expr I[3][3] = {
      {body.xx, body.xy, body.xz}, {body.xy, body.yy, body.yz}, {body.xz, body.yz, body.zz}};
  const auto entry = [&](int i, int j) {
    Expr sum;
    for (int k = 0; k < 3; ++k) {
      add(R(i, k) * R(j, k), I[k][k], sum);
      for (int l = 0; l < k; ++l) add(R(i, k) * R(j, l) + R(i, l) * R(j, k), I[k][l], sum);
    }
    return sum;
  };
  const Body old = body;
  body = {old.m,       old.h,       entry(0, 0), entry(0, 1),
          entry(0, 2), entry(1, 1), entry(1, 2), entry(2, 2)};
}

Vector turned_about_z(const Step& step, const Vector& x) {
  return {step.cosine * x[0] - step.sine * x[1], step.sine * x[0] + step.cosine * x[1], x[2]};
}

// With A = xx - yy and k = c^2 A - 2 c s xy: xx' = yy + k, yy' = xx - k, xy' = c s A + (2 c^2 - 1)
// xy
void turn_about_z(const Step& step, Body& body) {
  const Expr A = body.xx - body.yy, c2 = step.cosine * step.cosine, cs = step.cosine * step.sine;
  const Expr k = c2 * A - 2.0 * (cs * body.xy);
  const Expr xx = body.yy + k;
  body.yy = body.xx - k;
  body.xy = cs * A + (2.0 * c2 - 1.0) * body.xy;
  body.xx = xx;
  const Vector side = turned_about_z(step, {body.xz, body.yz, 0.0});
  body.xz = side[0];
  body.yz = side[1];
}

// The origin moves: r' = r + p. With g = h + m p,
//   xx += p_y (h_y + g_y) + p_z (h_z + g_z),   xy -= g_x p_y + h_y p_x,   and so on
void shift(const Vector& p, Body& body) {
  Vector g, e;
  for (int k = 0; k < 3; ++k) {
    g[k] = body.h[k] + p[k] * body.m;
    e[k] = p[k] * (body.h[k] + g[k]);
  }
  body.xx += e[1] + e[2];
  body.yy += e[0] + e[2];
  body.zz += e[0] + e[1];
  body.xy -= g[0] * p[1] + p[0] * body.h[1];
  body.xz -= g[0] * p[2] + p[0] * body.h[2];
  body.yz -= g[1] * p[2] + p[1] * body.h[2];
  body.h = g;
}

Vector literal(const Eigen::Vector3d& x) { return {clean(x[0]), clean(x[1]), clean(x[2])}; }

Vector cross(const Vector& a, const Vector& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

// The body of a joint's link in the frame of the link before it.
Body before(const Step& step, Body body) {
  if (step.turns) {
    body.h = turned_about_z(step, body.h);
    turn_about_z(step, body);
  } else {
    shift({0.0, 0.0, step.q}, body);
  }
  body.h = turned(step.R, body.h);
  turn_inertia(step.R, body);
  shift(literal(step.p), body);
  return body;
}

// Its first moment alone.
Vector moment_before(const Step& step, const Body& body) {
  Vector h = body.h;
  if (step.turns)
    h = turned_about_z(step, h);
  else
    h[2] += step.q * body.m;
  h = turned(step.R, h);
  for (int k = 0; k < 3; ++k) h[k] += clean(step.p[k]) * body.m;
  return h;
}

Wrench before(const Step& step, Wrench w) {
  if (step.turns) {
    w = {turned_about_z(step, w.f), turned_about_z(step, w.t)};
  } else {
    w.t[0] -= step.q * w.f[1];
    w.t[1] += step.q * w.f[0];
  }
  w = {turned(step.R, w.f), turned(step.R, w.t)};
  const Vector lever = cross(literal(step.p), w.f);
  for (int k = 0; k < 3; ++k) w.t[k] += lever[k];
  return w;
}

Body sum(const Body& a, const Body& b) {
  return {a.m + b.m,   {a.h[0] + b.h[0], a.h[1] + b.h[1], a.h[2] + b.h[2]},
          a.xx + b.xx, a.xy + b.xy,
          a.xz + b.xz, a.yy + b.yy,
          a.yz + b.yz, a.zz + b.zz};
}

// The link's own body from its ten numbers (link_inertia.h), in its own frame.
Body own_body(EquationWriter& s, const std::string& link,
              const std::array<double, kLinkNumbers>& start) {
  std::vector<Expr> u;
  for (int k = 0; k < kLinkNumbers; ++k)
    u.push_back(s.constant(link + " " + kLinkNumberNames[k], start[k],
                           k == 0 ? "kg^0.5" : "kg^0.5 m", Range::any));
  const Expr &d = u[0], &t1 = u[1], &t2 = u[2], &t3 = u[3];
  const Expr sxx = u[4] * u[4] + u[5] * u[5] + u[6] * u[6] + t1 * t1;
  const Expr sxy = u[5] * u[7] + u[6] * u[8] + t1 * t2;
  const Expr sxz = u[6] * u[9] + t1 * t3;
  const Expr syy = u[7] * u[7] + u[8] * u[8] + t2 * t2;
  const Expr syz = u[8] * u[9] + t2 * t3;
  const Expr szz = u[9] * u[9] + t3 * t3;
  return {d * d, {t1 * d, t2 * d, t3 * d}, syy + szz, -sxy, -sxz, sxx + szz, -syz, sxx + syy};
}

// A rotation whose third column is the axis; the identity for z itself.
Eigen::Matrix3d frame_of(const Eigen::Vector3d& axis) {
  return Eigen::Quaterniond::FromTwoVectors(Eigen::Vector3d::UnitZ(), axis.normalized())
      .toRotationMatrix();
}

}  // namespace

// Down the tree, c_k is the composite body of joint k's link and all that it carries. Its momentum
// for speed one of joint k, passed to the links before, has the entries of M along their axes:
//   turns:   f = z x h, t = I z      slides:   f = m z, t = h x z
// The first moment of all, in the base's frame, gives V = -g'h.
Equations arm_equations(const ArmKinematics& kinematics, const std::vector<JointType>& types,
                        const std::vector<std::array<double, kLinkNumbers>>& start) {
  const int n = kinematics.n();
  MECHFIT_CHECK(static_cast<int>(types.size()) == n && static_cast<int>(start.size()) == n);
  std::vector<JointDefinition> joints;
  for (int i = 0; i < n; ++i)
    joints.push_back({kinematics.joints[i].name, types[i],
                      kinematics.joints[i].kind == JointKind::revolute ? "rad" : "m"});
  EquationWriter s("arm", joints);
  std::vector<Body> body(n);
  std::vector<Step> steps;
  for (int i = 0; i < n; ++i) {
    const ArmJoint& joint = kinematics.joints[i];
    const Eigen::Matrix3d own = frame_of(vector3(joint.axis));
    const Eigen::Matrix3d parent = joint.parent < 0
                                       ? Eigen::Matrix3d(Eigen::Matrix3d::Identity())
                                       : frame_of(vector3(kinematics.joints[joint.parent].axis));
    Step step{parent.transpose() * matrix3(joint.rotation) * own,
              parent.transpose() * vector3(joint.place),
              joint.kind == JointKind::revolute,
              s.q(i),
              0.0,
              0.0};
    if (step.turns) step.sine = sin(step.q), step.cosine = cos(step.q);
    steps.push_back(step);
    body[i] = own_body(s, joint.name, start[i]);
    body[i].h = turned(own.transpose(), body[i].h);
    turn_inertia(own.transpose(), body[i]);
  }
  for (int k = n - 1; k >= 0; --k) {
    const Body& c = body[k];
    Wrench w;
    if (steps[k].turns)
      w = {{-c.h[1], c.h[0], 0.0}, {c.xz, c.yz, c.zz}};
    else
      w = {{0.0, 0.0, c.m}, {c.h[1], -c.h[0], 0.0}};
    s.M(k, k) = steps[k].turns ? w.t[2] : w.f[2];
    for (int i = k, to = kinematics.joints[k].parent; to >= 0;
         i = to, to = kinematics.joints[to].parent) {
      w = before(steps[i], w);
      s.M(k, to) = steps[to].turns ? w.t[2] : w.f[2];
    }
    const int parent = kinematics.joints[k].parent;
    if (parent >= 0) {
      body[parent] = sum(body[parent], before(steps[k], c));
      continue;
    }
    const Vector h = moment_before(steps[k], c);
    for (int i = 0; i < 3; ++i) add(-kinematics.gravity[i], h[i], s.V);
  }
  for (int i = 0; i < n; ++i)
    s.M(i, i) += s.constant(kinematics.joints[i].name + " rotor", 0,
                            steps[i].turns ? "kg m^2" : "kg", Range::nonnegative);
  return s.finish();
}

}  // namespace mechfit
