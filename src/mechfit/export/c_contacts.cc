#include <fmt/format.h>

#include "mechfit/base/error.h"
#include "mechfit/export/c_parts.h"
#include "mechfit/files/number.h"

namespace mechfit {
namespace {

std::string with_error(double value, double error) {
  return fmt::format("{:.6g}", value) + (error > 0 ? fmt::format(" +- {:.2g}", error) : "");
}

std::string words_of(const Contact& contact, const Channels& channels) {
  const bool plane = contact.shape == ContactShape::half_plane;
  const std::string unit = plane ? "m" : channels.units[contact.joint];
  std::string out = fmt::format("{} at {}{}, restitution {}", contact.name,
                                with_error(contact.position, contact.position_error),
                                unit.empty() ? "" : " " + unit,
                                with_error(contact.restitution, contact.restitution_error));
  if (plane)
    out += fmt::format(", Coulomb friction {}, which $_impact leaves out",
                       with_error(contact.friction, contact.friction_error));
  return out;
}

// phi = normal' x(q) - psi for the point x(q) = slide q + sum of l (sin a, -cos a).
std::string half_plane_case(const Contact& contact, int number, const CStyle& style) {
  const PlanarPoint& point = contact.point;
  const auto [nx, ny] = contact.normal;
  std::string out = fmt::format("      phi = -$_contact_position[{}];\n", number);
  const std::size_t n = point.slide.size() / 2;
  for (std::size_t j = 0; j < n; ++j) {
    const double slope = nx * point.slide[j] + ny * point.slide[n + j];
    if (slope != 0)
      out +=
          fmt::format("      phi += {0} * q[{1}];\n      J[{1}] += {0};\n", style.number(slope), j);
  }
  for (const PlanarPoint::Rod& rod : point.rods) {
    std::string angle = style.number(rod.offset);
    for (std::size_t j = 0; j < rod.angle.size(); ++j)
      if (rod.angle[j] != 0) angle += fmt::format(" + {} * q[{}]", style.number(rod.angle[j]), j);
    out += fmt::format(
        "      angle = {0};\n      phi += {1} * {4}(angle) - {2} * {5}(angle);\n"
        "      slope = {1} * {5}(angle) + {2} * {4}(angle);\n",
        angle, style.number(rod.length * nx), style.number(rod.length * ny), 0,
        style.function("sin"), style.function("cos"));
    for (std::size_t j = 0; j < rod.angle.size(); ++j)
      if (rod.angle[j] != 0)
        out += fmt::format("      J[{}] += {} * slope;\n", j, style.number(rod.angle[j]));
  }
  return out + "      return phi;\n";
}

std::string gap_function(const Contacts& contacts, const CStyle& style) {
  std::string cases;
  bool planes = false;
  for (std::size_t k = 0; k < contacts.size(); ++k) {
    const Contact& contact = contacts[k];
    cases += fmt::format("    case {}:\n", k);
    switch (contact.shape) {
      case ContactShape::upper_stop:
      case ContactShape::lower_stop: {
        const bool upper = contact.shape == ContactShape::upper_stop;
        cases += fmt::format(
            "      J[{0}] = {1};\n      return {2}(q[{0}] - $_contact_position[{3}]);\n",
            contact.joint, upper ? "-1" : "1", upper ? "-" : "", k);
        break;
      }
      case ContactShape::half_plane:
        cases += half_plane_case(contact, static_cast<int>(k), style);
        planes = true;
        break;
      case ContactShape::function:
        throw InputError("contact " + in_quotes(contact.name) +
                         " is a function of the program, which a file cannot hold");
    }
  }
  return std::string(R"(
/* How far a contact is from being touched, phi(q), and its gradient J [JOINTS] */
static inline $_real $_gap(int contact, const $_real* q, $_real* J) {
)") + (planes ? "  $_real phi, angle, slope;\n" : "") +
         "  for (int i = 0; i < $_JOINTS; ++i) J[i] = 0;\n  switch (contact) {\n" + cases +
         "  }\n  return 1;\n}\n";
}

const char* const kImpacts = R"(
/* An impact at q: v+ = v - (1 + e) M^-1 J' (J v) / (J M^-1 J'), where the contact is approached.
   0: done; 1: M(q) is not positive definite. */
static inline int $_impact(int contact, $_real e, const $_real* q, $_real* v) {
  $_real M[$_JOINTS * $_JOINTS], J[$_JOINTS], push[$_JOINTS], speed = 0, weight = 0;
  $_gap(contact, q, J);
  $_mass(q, M);
  if ($_factor(M)) return 1;
  for (int i = 0; i < $_JOINTS; ++i) {
    push[i] = J[i];
    speed += J[i] * v[i];
  }
  if (speed >= 0) return 0;
  $_solve(M, push);
  for (int i = 0; i < $_JOINTS; ++i) weight += J[i] * push[i];
  for (int i = 0; i < $_JOINTS; ++i) v[i] -= (1 + e) * speed / weight * push[i];
  return 0;
}

/* Back onto the surface of a contact that q is beyond, along M^-1 J', without speed towards it */
static inline int $_rest(int contact, $_real* q, $_real* v) {
  $_real M[$_JOINTS * $_JOINTS], J[$_JOINTS], push[$_JOINTS], weight = 0;
  const $_real phi = $_gap(contact, q, J);
  if (phi >= 0) return 0;
  $_mass(q, M);
  if ($_factor(M)) return 1;
  for (int i = 0; i < $_JOINTS; ++i) push[i] = J[i];
  $_solve(M, push);
  for (int i = 0; i < $_JOINTS; ++i) weight += J[i] * push[i];
  for (int i = 0; i < $_JOINTS; ++i) q[i] -= phi / weight * push[i];
  return $_impact(contact, 0, q, v);
}

/* A Runge-Kutta step of h seconds from q, v to x, w */
static inline int $_free_step($_real h, const $_real* u, const $_real* q, const $_real* v,
                              $_real* x, $_real* w) {
  for (int i = 0; i < $_JOINTS; ++i) {
    x[i] = q[i];
    w[i] = v[i];
  }
  return $_rk4_step(h, u, x, w);
}

/* The contact that a step of h seconds is first beyond, *when, with the state there; -1: none.
   Those that lie on their surface are not asked. -2: M is not positive definite. */
static inline int $_first_contact($_real h, const $_real* u, const $_real* q, const $_real* v,
                                  const int* lying, $_real* x, $_real* w, $_real* when) {
  int first = -1;
  $_real J[$_JOINTS];
  *when = h;
  for (int k = 0; k < $_CONTACTS; ++k) {
    $_real low = 0, high = *when;
    if (lying[k]) continue;
    if ($_free_step(high, u, q, v, x, w)) return -2;
    if ($_gap(k, x, J) >= 0) continue;
    for (int i = 0; i < $_BISECTIONS; ++i) {
      const $_real middle = (low + high) / 2;
      if ($_free_step(middle, u, q, v, x, w)) return -2;
      if ($_gap(k, x, J) >= 0)
        low = middle;
      else
        high = middle;
    }
    first = k;
    *when = high;
  }
  return $_free_step(*when, u, q, v, x, w) ? -2 : first;
}

/* One step of h seconds by the classical Runge-Kutta method that bounces off the contacts, u held:
   the step is cut at impacts. Of a bounce that would last less than a tenth of the step rest is left:
   the step ends on the surface, without speed towards it. 0: done; 1: M is not positive definite on the way, q and v are as they were; 2: more
   than 200 impacts. */
static inline int $_contact_step($_real h, const $_real* u, $_real* q, $_real* v) {
  $_real x[$_JOINTS], w[$_JOINTS], end[$_JOINTS], end_v[$_JOINTS], a[$_JOINTS], J[$_JOINTS];
  $_real left = h, when;
  int lying[$_CONTACTS] = {0};
  for (int i = 0; i < $_JOINTS; ++i) {
    x[i] = q[i];
    w[i] = v[i];
  }
  for (int impacts = 0; impacts < 200; ++impacts) {
    const int k = $_first_contact(left, u, x, w, lying, end, end_v, &when);
    $_real speed = 0, pull = 0;
    if (k == -2) return 1;
    if (k >= 0) {
      if ($_acceleration(end, end_v, u, a)) return 1;
      $_gap(k, end, J);
      for (int i = 0; i < $_JOINTS; ++i) {
        speed += J[i] * end_v[i];
        pull += J[i] * a[i];
      }
      if (-2 * $_contact_restitution[k] * speed < -pull * h / 10) {
        lying[k] = 1;
        continue;
      }
      if ($_impact(k, $_contact_restitution[k], end, end_v)) return 1;
    }
    for (int i = 0; i < $_JOINTS; ++i) {
      x[i] = end[i];
      w[i] = end_v[i];
    }
    left -= when;
    if (left > 0) continue;
    for (int j = 0; j < $_CONTACTS; ++j)
      if ($_rest(j, x, w)) return 1;
    for (int i = 0; i < $_JOINTS; ++i) {
      q[i] = x[i];
      v[i] = w[i];
    }
    return 0;
  }
  return 2;
}
)";

}  // namespace

std::string contact_functions(const Contacts& contacts, const Channels& channels,
                              const CStyle& style) {
  if (contacts.empty()) return "";
  std::string out =
      "\n/* The machine hits what stands here. The functions above know nothing of it: they are "
      "its "
      "motion\n   between impacts. A contact lets phi(q) >= 0; an impact turns the speed phidot "
      "into -e phidot.\n";
  std::vector<double> position, restitution, friction;
  for (std::size_t k = 0; k < contacts.size(); ++k) {
    out += fmt::format("   {}  {}\n", k, quiet(words_of(contacts[k], channels)));
    position.push_back(contacts[k].position);
    restitution.push_back(contacts[k].restitution);
    friction.push_back(contacts[k].friction);
  }
  out += fmt::format(
      "   */\n#define $_CONTACTS {}\n/* Halvings of a step until an impact's time is found */\n"
      "#define $_BISECTIONS {}\n",
      contacts.size(), style.single ? 24 : 52);
  out += write_array("$_contact_position", position, style);
  out += write_array("$_contact_restitution", restitution, style);
  out += write_array("$_contact_friction", friction, style);
  return out + gap_function(contacts, style) + kImpacts;
}

}  // namespace mechfit
