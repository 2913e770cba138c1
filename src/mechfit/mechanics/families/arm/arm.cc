#include "mechfit/mechanics/families/arm/arm.h"

#include <algorithm>

#include "mechfit/base/error.h"
#include "mechfit/mechanics/families/arm/arm_equations.h"

namespace mechfit {
namespace {

// A link of which nothing is known: 2 kg, radius of gyration about 0.1 m, its centre in the joint.
constexpr double kFirstMass = 2.0, kFirstRadius = 0.1;

LinkInertia first_link() {
  LinkInertia link;
  link.mass = kFirstMass;
  link.inertia = kFirstMass * kFirstRadius * kFirstRadius * Eigen::Matrix3d::Identity();
  return link;
}

ArmConfig checked(ArmConfig config) {
  const int n = config.kinematics.n();
  check_kinematics(config.kinematics, "arm");
  MECHFIT_CHECK(static_cast<int>(config.joints.size()) == n &&
                static_cast<int>(config.input_matrix.size()) == n * config.inputs);
  if (config.scales.v.empty()) config.scales = Scales::unit(n, config.inputs);
  MECHFIT_CHECK(static_cast<int>(config.scales.v.size()) == n &&
                static_cast<int>(config.scales.u.size()) == config.inputs);
  return config;
}

Equations equations(const ArmConfig& config, const std::vector<LinkInertia>& links) {
  MECHFIT_CHECK(links.empty() || static_cast<int>(links.size()) == config.kinematics.n());
  std::vector<std::array<double, kLinkNumbers>> start;
  for (int i = 0; i < config.kinematics.n(); ++i)
    start.push_back(link_numbers(!links.empty() && links[i].mass > 0 ? links[i] : first_link()));
  return arm_equations(config.kinematics, config.joints, start);
}

// Friction by position goes with the angle where there is one, whatever it is to the log.
JointType position_type(const ArmConfig& config, int i) {
  return config.kinematics.joints[i].kind == JointKind::revolute ? JointType::periodic
                                                                 : config.joints[i];
}

JointForces own_forces(const ArmConfig& config) {
  std::vector<Slip> slips;
  for (int i = 0; config.friction && i < config.kinematics.n(); ++i)
    slips.push_back(own_slip(i, config.friction, position_type(config, i), config.scales));
  return JointForces(
      {ForceParameters::linear, std::move(slips), config.input_map, config.input_matrix},
      config.scales);
}

}  // namespace

Arm::Arm(ArmConfig config, const std::vector<LinkInertia>& links)
    : config_(checked(std::move(config))),
      n_(config_.kinematics.n()),
      body_(equations(config_, links)),
      joint_forces_(own_forces(config_)),
      theta_(body_.parameters().begin(), body_.parameters().end()) {
  theta_.resize(body_count() + joint_forces_.parameter_count());
  joint_forces_.initialise(std::span(theta_).subspan(body_count()));
}

LinkInertia Arm::link(int i) const {
  return link_inertia(std::span(theta_).subspan(kLinkNumbers * i, kLinkNumbers));
}

void Arm::set_parameters(std::span<const double> theta) {
  MECHFIT_CHECK(theta.size() == theta_.size());
  body_.set_parameters(theta.first(body_count()));
  joint_forces_.set_parameters(theta.subspan(body_count()));
  std::copy(theta.begin(), theta.end(), theta_.begin());
}

Arm::Workspace Arm::make_workspace() const {
  return {body_.make_workspace(), joint_forces_.make_workspace()};
}

void Arm::forces(const Points& x, double* p, double* f, Workspace& w) const {
  MECHFIT_CHECK(x.u || inputs() == 0);
  body_.forces({x.q, x.v, nullptr}, p, f, w.body);
  joint_forces_.add(x.q, x.v, x.u, f, w.joint_forces);
}

// The bodies know neither inputs nor parameters of the joint forces.
void Arm::clear_forces(const Adjoints& adjoints) const {
  if (adjoints.u) std::fill_n(adjoints.u, inputs() * kBlock, 0.0);
  if (adjoints.theta_lanes)
    std::fill_n(adjoints.theta_lanes + body_count() * kBlock,
                joint_forces_.parameter_count() * kBlock, 0.0);
}

void Arm::pullback(const Covectors& covectors, const Adjoints& adjoints, Workspace& w) const {
  Adjoints body = adjoints;
  body.u = nullptr;
  body_.pullback(covectors, body, w.body);
  clear_forces(adjoints);
  if (!covectors.b) return;
  joint_forces_.pullback(covectors.b, adjoints.q, adjoints.v, adjoints.u, w.joint_forces);
  if (adjoints.theta) joint_forces_.gather(covectors.b, w.joint_forces);
  if (adjoints.theta_lanes)
    joint_forces_.gradient_lanes(covectors.b, adjoints.theta_lanes + body_count() * kBlock,
                                 w.joint_forces);
}

void Arm::mass_pullback(const double* weights, const Adjoints& adjoints, Workspace& w) const {
  Adjoints body = adjoints;
  body.u = nullptr;
  body_.mass_pullback(weights, body, w.body);
  clear_forces(adjoints);
}

void Arm::clear_gradient(Workspace& w) const {
  body_.clear_gradient(w.body);
  joint_forces_.clear_gradient(w.joint_forces);
}

void Arm::add_gradient(Workspace& w, std::span<double> merged, bool add) const {
  MECHFIT_CHECK(merged.size() == theta_.size());
  body_.add_gradient(w.body, merged.first(body_count()), add);
  joint_forces_.add_gradient(w.joint_forces, merged.subspan(body_count()), add);
}

void Arm::expand_gradient(std::span<const double> merged, std::span<double> theta) const {
  MECHFIT_CHECK(merged.size() == theta_.size() && theta.size() == theta_.size());
  std::copy(merged.begin(), merged.end(), theta.begin());
}

}  // namespace mechfit
