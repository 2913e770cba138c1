#include "mechfit/mechanics/contact.h"

#include <algorithm>
#include <cmath>

#include "mechfit/base/error.h"
#include "mechfit/files/json_fields.h"

namespace mechfit {
namespace {

// Step of the differences of a user's gradient, relative to the size of v: the third root of the
// rounding error balances it against the truncation.
constexpr double kDifference = 6e-6;

using Direction = std::array<double, 2>;

double slide(const PlanarPoint& point, Direction d, std::size_t j, std::size_t n) {
  return point.slide.empty() ? 0 : d[0] * point.slide[j] + d[1] * point.slide[n + j];
}

double rod_angle(const PlanarPoint::Rod& rod, std::span<const double> q) {
  double a = rod.offset;
  for (std::size_t j = 0; j < q.size(); ++j) a += rod.angle[j] * q[j];
  return a;
}

std::string word(ContactShape shape) { return name_of(shape); }

}  // namespace

// d' x(q) = d' slide q + sum_i l_i (d_x sin a_i - d_y cos a_i)
double position_along(const PlanarPoint& point, Direction d, std::span<const double> q,
                      std::span<double> gradient) {
  const std::size_t n = q.size();
  double sum = 0;
  for (std::size_t j = 0; j < n; ++j) {
    const double own = slide(point, d, j, n);
    sum += own * q[j];
    if (!gradient.empty()) gradient[j] = own;
  }
  for (const auto& rod : point.rods) {
    const double a = rod_angle(rod, q), sine = std::sin(a), cosine = std::cos(a);
    sum += rod.length * (d[0] * sine - d[1] * cosine);
    if (gradient.empty()) continue;
    const double slope = rod.length * (d[0] * cosine + d[1] * sine);
    for (std::size_t j = 0; j < n; ++j) gradient[j] += slope * rod.angle[j];
  }
  return sum;
}

std::array<double, 2> position_of(const PlanarPoint& point, std::span<const double> q) {
  return {position_along(point, {1, 0}, q), position_along(point, {0, 1}, q)};
}

double Contact::gap(std::span<const double> q) const { return gradient(q, {}); }

double Contact::gradient(std::span<const double> q, std::span<double> J,
                         std::span<double> T) const {
  std::fill(T.begin(), T.end(), 0.0);
  switch (shape) {
    case ContactShape::upper_stop:
    case ContactShape::lower_stop: {
      const double sign = shape == ContactShape::upper_stop ? -1 : 1;
      std::fill(J.begin(), J.end(), 0.0);
      if (!J.empty()) J[joint] = sign;
      return sign * (q[joint] - position);
    }
    case ContactShape::half_plane:
      if (!T.empty()) position_along(point, {normal[1], -normal[0]}, q, T);
      return position_along(point, normal, q, J) - position;
    case ContactShape::function:
      return function(q, J) - position;
  }
  return 0;
}

void Contact::curvature(std::span<const double> q, std::span<const double> v,
                        std::span<double> out) const {
  const std::size_t n = q.size();
  std::fill(out.begin(), out.end(), 0.0);
  if (shape == ContactShape::half_plane) {
    for (const auto& rod : point.rods) {
      const double a = rod_angle(rod, q);
      double rate = 0;  // of the angle
      for (std::size_t j = 0; j < n; ++j) rate += rod.angle[j] * v[j];
      const double bend = rate * rod.length * (-normal[0] * std::sin(a) + normal[1] * std::cos(a));
      for (std::size_t j = 0; j < n; ++j) out[j] += bend * rod.angle[j];
    }
  } else if (shape == ContactShape::function) {
    double size = 0;
    for (const double x : v) size = std::max(size, std::fabs(x));
    if (size == 0) return;
    std::vector<double> at(n), ahead(n), behind(n);
    const double step = kDifference / size;
    for (std::size_t j = 0; j < n; ++j) at[j] = q[j] + step * v[j];
    function(at, ahead);
    for (std::size_t j = 0; j < n; ++j) at[j] = q[j] - step * v[j];
    function(at, behind);
    for (std::size_t j = 0; j < n; ++j) out[j] = (ahead[j] - behind[j]) / (2 * step);
  }
}

double Contact::along(std::span<const double> q) const {
  return shape == ContactShape::half_plane ? position_along(point, {normal[1], -normal[0]}, q) : 0;
}

Contact joint_stop(const Channels& channels, int joint, bool upper, double position,
                   double restitution) {
  MECHFIT_CHECK(joint >= 0 && joint < channels.n());
  Contact contact;
  contact.shape = upper ? ContactShape::upper_stop : ContactShape::lower_stop;
  contact.name = word(contact.shape) + " of " + channels.joints[joint];
  contact.joint = joint;
  contact.position = position;
  contact.restitution = restitution;
  return contact;
}

Contact half_plane(const std::string& name, const PlanarPoint& point, double normal_x,
                   double normal_y, double position, double restitution, double friction) {
  const double length = std::hypot(normal_x, normal_y);
  MECHFIT_CHECK(length > 0);
  Contact contact;
  contact.shape = ContactShape::half_plane;
  contact.name = name;
  contact.point = point;
  contact.normal = {normal_x / length, normal_y / length};
  contact.position = position;
  contact.restitution = restitution;
  contact.friction = friction;
  return contact;
}

Contact contact_function(const std::string& name, ContactFunction function, double restitution) {
  Contact contact;
  contact.shape = ContactShape::function;
  contact.name = name;
  contact.function = std::move(function);
  contact.restitution = restitution;
  return contact;
}

void check_contacts(const Contacts& contacts, int joints, const std::string& name) {
  const std::size_t n = joints;
  for (const Contact& c : contacts) {
    const std::string which = name + ": contact " + in_quotes(c.name) + ": ";
    const auto expect = [&](bool good, const std::string& what) {
      if (!good) throw InputError(which + what);
    };
    expect(c.joint >= 0 && c.joint < joints,
           "joint " + std::to_string(c.joint) + ", expected 0 to " + std::to_string(joints - 1));
    expect(std::isfinite(c.position), "its position is not finite");
    expect(c.restitution >= 0 && c.restitution <= 1, "restitution, expected 0 to 1");
    expect(c.friction >= 0 && std::isfinite(c.friction), "friction, expected 0 or more");
    for (const double error : {c.position_error, c.restitution_error, c.friction_error})
      expect(error >= 0 && std::isfinite(error), "a standard error is not negative");
    expect(c.shape != ContactShape::function || c.function, "no function was given");
    if (c.shape != ContactShape::half_plane) continue;
    expect(std::fabs(std::hypot(c.normal[0], c.normal[1]) - 1) < 1e-9,
           "its normal is not of length 1");
    expect(c.point.slide.empty() || c.point.slide.size() == 2 * n,
           "slide has " + std::to_string(c.point.slide.size()) + " numbers, expected " +
               std::to_string(2 * n) + " or none");
    for (const auto& rod : c.point.rods)
      expect(rod.angle.size() == n, "a rod's angle has " + std::to_string(rod.angle.size()) +
                                        " numbers, expected " + std::to_string(n));
  }
}

std::string format_contacts(const Contacts& contacts) {
  auto list = nlohmann::json::array();
  for (const Contact& c : contacts) {
    if (c.shape == ContactShape::function)
      throw InputError("contact " + in_quotes(c.name) +
                       " is a function of the program, which a file cannot hold");
    nlohmann::json one{{"name", c.name},
                       {"shape", word(c.shape)},
                       {"position", c.position},
                       {"position_error", c.position_error},
                       {"restitution", c.restitution},
                       {"restitution_error", c.restitution_error}};
    if (c.shape == ContactShape::half_plane) {
      one["normal"] = c.normal;
      one["friction"] = c.friction;
      one["friction_error"] = c.friction_error;
      one["slide"] = c.point.slide;
      one["rods"] = nlohmann::json::array();
      for (const auto& rod : c.point.rods)
        one["rods"].push_back(
            {{"length", rod.length}, {"angle", rod.angle}, {"offset", rod.offset}});
    } else {
      one["joint"] = c.joint;
    }
    list.push_back(one);
  }
  return to_text({{"contacts", list}});
}

Contacts parse_contacts(const std::string& text, int joints, const std::string& name) {
  Contacts out;
  for (const JsonFields& fields : JsonFields(text, name).objects("contacts")) {
    Contact c;
    c.name = fields.text("name");
    c.shape = fields.choice<ContactShape>("shape");
    c.position = fields.number("position");
    c.position_error = fields.number("position_error");
    c.restitution = fields.number("restitution");
    c.restitution_error = fields.number("restitution_error");
    if (c.shape == ContactShape::half_plane) {
      const std::vector<double> normal = fields.numbers("normal");
      if (normal.size() != 2) throw InputError(name + ": 'normal': expected 2 numbers");
      c.normal = {normal[0], normal[1]};
      c.friction = fields.number("friction");
      c.friction_error = fields.number("friction_error");
      c.point.slide = fields.numbers("slide");
      for (const JsonFields& rod : fields.objects("rods"))
        c.point.rods.push_back({rod.number("length"), rod.numbers("angle"), rod.number("offset")});
    } else {
      c.joint = fields.integer("joint", 0, joints - 1);
    }
    out.push_back(std::move(c));
  }
  check_contacts(out, joints, name);
  return out;
}

}  // namespace mechfit
