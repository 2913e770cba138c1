#include "tests/mujoco/judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "mechfit/mechanics/families/analytic/analytic.h"

namespace mechfit::testing {
namespace {

// Hinges turn about -y, so that a body at angle q hangs at (sin q, 0, -cos q).
constexpr char kSwing[] = "0 -1 0";

std::string hinge(const std::string& name, const char* axis, double damping) {
  return fmt::format(R"(<joint name="{}" type="hinge" axis="{}" damping="{:.17g}"/>)", name, axis,
                     damping);
}

std::string inertial(double depth, double mass, double inertia, double about_rod = 1e-12) {
  return fmt::format(
      R"(<inertial pos="0 0 {:.17g}" mass="{:.17g}" diaginertia="{:.17g} {:.17g} {:.17g}"/>)",
      -depth, mass, inertia, inertia, about_rod);
}

std::string point(double depth, double mass) { return inertial(depth, mass, 1e-12); }

std::string rod(double length, double mass) {
  return inertial(length / 2, mass, mass * length * length / 12);
}

std::string pendulum_xml(const AnalyticSystem& s) {
  return fmt::format("<worldbody><body>{}{}</body></worldbody>",
                     hinge("q1", kSwing, s.constant("eta")),
                     point(s.constant("l"), s.constant("m")));
}

std::string chain_xml(const AnalyticSystem& s) {
  std::string open, close;
  double above = 0;
  for (int i = 1; i <= s.joints(); ++i) {
    const double l = s.constant(fmt::format("l{}", i)), m = s.constant(fmt::format("m{}", i));
    open += fmt::format(R"(<body pos="0 0 {:.17g}">{}{})", -above,
                        hinge(fmt::format("q{}", i), kSwing, s.constant(fmt::format("eta{}", i))),
                        rod(l, m));
    close += "</body>";
    above = l;
  }
  return "<worldbody>" + open + close + "</worldbody>";
}

// Damping acts on absolute speeds: on the second joint through a tendon of length q1 + q2.
std::string points_xml(const AnalyticSystem& s) {
  return fmt::format(
      R"(<worldbody><body>{}{}<body pos="0 0 {:.17g}">{}{}</body></body></worldbody>
         <tendon><fixed damping="{:.17g}"><joint joint="q1" coef="1"/><joint joint="q2" coef="1"/>
         </fixed></tendon>)",
      hinge("q1", kSwing, s.constant("eta1")), point(s.constant("l1"), s.constant("m1")),
      -s.constant("l1"), hinge("q2", kSwing, 0), point(s.constant("l2"), s.constant("m2")),
      s.constant("eta2"));
}

// The first link as a body of any mass with the right inertia and first moment about the pivot.
std::string links_xml(const AnalyticSystem& s) {
  const double J1 = s.constant("J1"), s1 = s.constant("s1"), mass = 4 * s1 * s1 / J1;
  return fmt::format(
      R"(<worldbody><body>{}{}<body pos="0 0 {:.17g}">{}{}</body></body></worldbody>)",
      hinge("q1", kSwing, s.constant("eta1")), inertial(s1 / mass, mass, 0.75 * J1),
      -s.constant("l1"), hinge("q2", kSwing, s.constant("eta2")),
      point(s.constant("l2"), s.constant("m2")));
}

std::string cart_pole_xml(const AnalyticSystem& s) {
  return fmt::format(
      R"(<worldbody><body><joint type="slide" axis="1 0 0" damping="{:.17g}"/>{}<body>{}{}</body>
         </body></worldbody>)",
      s.constant("eta_cart"), point(0, s.constant("m_cart")),
      hinge("q", kSwing, s.constant("eta_pole")), point(s.constant("l"), s.constant("m_pole")));
}

std::string furuta_xml(const AnalyticSystem& s) {
  return fmt::format(
      R"(<worldbody><body>{}{}<body pos="{:.17g} 0 0">{}{}</body></body></worldbody>)",
      hinge("arm", "0 0 1", s.constant("eta_arm")),
      inertial(0, 1, s.constant("J_arm"), s.constant("J_arm")), s.constant("r"),
      hinge("pendulum", "1 0 0", s.constant("eta_pendulum")),
      inertial(s.constant("l"), s.constant("m"), s.constant("J")));
}

std::string spring_pendulum_xml(const AnalyticSystem& s) {
  return fmt::format(
      R"(<worldbody><body>{}<joint type="slide" axis="0 0 -1" damping="{:.17g}"
         stiffness="{:.17g}" springref="{:.17g}"/>{}</body></worldbody>)",
      hinge("q", kSwing, s.constant("eta_angle")), s.constant("eta_length"), s.constant("k"),
      s.constant("l"), point(0, s.constant("m")));
}

std::string body_xml(const AnalyticSystem& s) {
  if (s.name() == "pendulum") return pendulum_xml(s);
  if (s.name() == "double-pendulum" || s.name() == "acrobot" || s.name() == "pendubot" ||
      s.name() == "chain")
    return chain_xml(s);
  if (s.name() == "double-pendulum-points") return points_xml(s);
  if (s.name() == "double-pendulum-links") return links_xml(s);
  if (s.name() == "cart-pole") return cart_pole_xml(s);
  if (s.name() == "furuta") return furuta_xml(s);
  if (s.name() == "spring-pendulum") return spring_pendulum_xml(s);
  throw std::runtime_error("no MuJoCo model of " + s.name());
}

mjModel* load(const AnalyticSystem& system, double time_step) {
  const std::string xml = fmt::format(
      R"(<mujoco><compiler angle="radian" inertiafromgeom="false"/>
         <option gravity="0 0 {:.17g}" timestep="{:.17g}" integrator="RK4"/>{}</mujoco>)",
      -system.constant("g"), time_step, body_xml(system));
  const auto files = std::make_unique<mjVFS>();
  mj_defaultVFS(files.get());
  mj_makeEmptyFileVFS(files.get(), "model.xml", static_cast<int>(xml.size()));
  std::memcpy(files->filedata[0], xml.data(), xml.size());
  char error[1000] = "";
  mjModel* model = mj_loadXML("model.xml", files.get(), error, sizeof error);
  mj_deleteVFS(files.get());
  if (model == nullptr) throw std::runtime_error(std::string(error) + "\n" + xml);
  return model;
}

}  // namespace

Judge::Judge(const AnalyticSystem& system, double time_step)
    : driven_(system.name() == "acrobot" ? 1 : 0),
      absolute_(system.name() == "double-pendulum-points" ||
                system.name() == "double-pendulum-links"),
      model_(load(system, time_step), mj_deleteModel),
      data_(mj_makeData(model_.get()), mj_deleteData) {}

Judge::Judge(const AnalyticSystem& system, double time_step, const Contacts& stops, SoftStop soft)
    : Judge(system, time_step) {
  mjModel& m = *model_;
  for (const Contact& stop : stops) {
    const int j = stop.joint;
    m.jnt_limited[j] = 1;
    m.jnt_range[2 * j + (stop.shape == ContactShape::upper_stop)] = stop.position;
    // Negative: stiffness and damping by themselves, of accelerations. As hard as it goes, which is
    // so far from 1 (mjMAXIMP): with so much of the force that would be without the stop.
    const double hard = mjMAXIMP;
    m.jnt_solref[j * mjNREF] = -soft.rate * soft.rate * hard;
    m.jnt_solref[j * mjNREF + 1] = -2 * soft.damping * soft.rate * hard;
    m.jnt_solimp[j * mjNIMP] = m.jnt_solimp[j * mjNIMP + 1] = hard;
  }
  m.opt.tolerance = 0;
}

std::vector<double> Judge::to_relative(std::vector<double> x) const {
  if (absolute_)
    for (std::size_t i = x.size() - 1; i > 0; --i) x[i] -= x[i - 1];
  return x;
}

std::vector<double> Judge::from_relative(const double* x) const {
  std::vector<double> y(x, x + model_->nv);
  if (absolute_)
    for (std::size_t i = 1; i < y.size(); ++i) y[i] += y[i - 1];
  return y;
}

void Judge::set_state(const MujocoState& state, const std::vector<double>& u) {
  mj_resetData(model_.get(), data_.get());
  const auto q = to_relative(state.q), v = to_relative(state.v);
  std::copy(q.begin(), q.end(), data_->qpos);
  std::copy(v.begin(), v.end(), data_->qvel);
  if (u.size() > 1)
    std::copy(u.begin(), u.end(), data_->qfrc_applied);
  else if (!u.empty())
    data_->qfrc_applied[driven_] = u[0];
}

std::vector<double> Judge::acceleration(const MujocoState& state, const std::vector<double>& u) {
  set_state(state, u);
  mj_forward(model_.get(), data_.get());
  return from_relative(data_->qacc);
}

MujocoState Judge::simulate(const MujocoState& state, const std::vector<double>& u, int steps) {
  set_state(state, u);
  for (int k = 0; k < steps; ++k) mj_step(model_.get(), data_.get());
  return {from_relative(data_->qpos), from_relative(data_->qvel)};
}

}  // namespace mechfit::testing
