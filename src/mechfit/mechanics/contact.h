#pragma once

#include <array>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "mechfit/base/names.h"
#include "mechfit/log/log.h"

// Where a machine touches: unilateral constraints beside any family.
//
//   phi(q; psi) >= 0,   J = dphi/dq,   dphi/dpsi = slope()
//
// At an impact phidot+ = -e phidot-, with an impulse along M^-1 J'; in the plane also along the
// surface, within Coulomb's cone |Lt| <= mu Ln (impact.h).
namespace mechfit {

enum class ContactShape {
  upper_stop,  // phi = psi - q_joint
  lower_stop,  // phi = q_joint - psi
  half_plane,  // phi = normal' x(q) - psi for a point x(q) of the plane: a floor, a wall
  function     // phi = f(q) - psi with f the user's; not stored in files
};
template <>
inline constexpr auto kNames<ContactShape> =
    names<ContactShape>({{ContactShape::upper_stop, "upper stop"},
                         {ContactShape::lower_stop, "lower stop"},
                         {ContactShape::half_plane, "half plane"},
                         {ContactShape::function, "function"}});

// A point of a planar machine: what slides, and rods of one after the other that hang down where
// their angle is 0.
//
//   x(q) = slide q + sum over rods of length (sin a, -cos a),   a = angle' q + hanging
struct PlanarPoint {
  struct Rod {
    double length = 1;
    std::vector<double> angle;  // [n]
    double offset = 0;          // of the angle [rad]
  };
  std::vector<double> slide;  // [2][n], or empty: nothing slides
  std::vector<Rod> rods;
};

// x(q), and along a direction d: d' x(q) with its gradient [n] where that is not empty.
std::array<double, 2> position_of(const PlanarPoint& point, std::span<const double> q);
double position_along(const PlanarPoint& point, std::array<double, 2> d, std::span<const double> q,
                      std::span<double> gradient = {});

// A function that the user gives: f, and its gradient [n] where that is not empty. Second
// derivatives are differences of the gradient.
using ContactFunction =
    std::function<double(std::span<const double> q, std::span<double> gradient)>;

struct Contact {
  std::string name;  // "upper stop of q1"
  ContactShape shape = ContactShape::upper_stop;
  int joint = 0;      // of a stop
  PlanarPoint point;  // of a half plane, with the unit vector that points away from what is solid
  std::array<double, 2> normal = {0, 1};
  ContactFunction function;
  double position = 0;     // psi, in the joint's unit, or a length
  double restitution = 0;  // e, 0 to 1
  double friction = 0;     // mu, of half planes
  // Standard errors of what was learned; 0: given.
  double position_error = 0, restitution_error = 0, friction_error = 0;

  double slope() const { return shape == ContactShape::upper_stop ? 1 : -1; }  // dphi/dpsi

  double gap(std::span<const double> q) const;  // phi
  // phi with J [n], and of a half plane the surface's direction in q: T = t' dx/dq [n], where the
  // point moves along the surface with T v.
  double gradient(std::span<const double> q, std::span<double> J, std::span<double> T = {}) const;
  // d(J v)/dq [n], the product of phi's Hessian with v.
  void curvature(std::span<const double> q, std::span<const double> v, std::span<double> out) const;
  // Where the point stands along the surface, t' x(q).
  double along(std::span<const double> q) const;
};

using Contacts = std::vector<Contact>;

Contact joint_stop(const Channels& channels, int joint, bool upper, double position,
                   double restitution);
Contact half_plane(const std::string& name, const PlanarPoint& point, double normal_x,
                   double normal_y, double position, double restitution, double friction);
Contact contact_function(const std::string& name, ContactFunction function, double restitution);

// InputError, beginning with `name`, for a joint that is not there, a restitution outside 0 to 1,
// a negative friction, numbers that are not finite.
void check_contacts(const Contacts& contacts, int joints, const std::string& name);

// One line of JSON; and back. InputError, beginning with `name`, when it does not fit n joints.
// A contact that is a function cannot be written: InputError.
std::string format_contacts(const Contacts& contacts);
Contacts parse_contacts(const std::string& text, int joints, const std::string& name);

}  // namespace mechfit
