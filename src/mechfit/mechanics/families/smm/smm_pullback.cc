#include <algorithm>
#include <cmath>

#include "mechfit/base/error.h"
#include "mechfit/mechanics/families/smm/smm.h"
#include "mechfit/mechanics/families/smm/smm_lanes.h"

// What flows backwards through a structured mechanical model, and its gradients to theta.
namespace mechfit {
// out_i += sum over the features of joint i of bend x_bar, times direction_i
void Smm::bend_to_joints(const AlignedVector& x_bar, const double* direction, const Workspace& w,
                         double* out) const {
  smm_lanes::bend_to_joints(n_, config_.joints.data(), w.bend.data(), x_bar.data(), direction, out);
}

void Smm::pullback(const Covectors& covectors, const Adjoints& adjoints, Workspace& w) const {
  const double *b = covectors.b, *c = covectors.c;
  mass_net_.begin_adjoint(w.mass);
  if (b) {
    along(b, 0, w);
    w.mass.xdot[0] = w.potential.xdot[0] = w.direction[0].data();
    mass_net_.tangent(0, true, true, w.mass);
  }
  const smm_lanes::Terms terms{covectors.a,
                               b ? w.mass.ydot[0].data() : nullptr,
                               c,
                               covectors.acc,
                               covectors.left,
                               covectors.right,
                               covectors.pairs};
  smm_lanes::pullback(n_, w.mass.y.data(), w.mass.ydot[1].data(), d_.data(), w.w.data(),
                      w.pi.data(), terms, w.scratch.data(), w.l_bar.data(), w.lv_bar.data(),
                      adjoints.v);
  if (c) mass_net_.reverse(1, w.lv_bar.data(), true, w.mass);

  const bool wants_q = adjoints.q != nullptr;
  mass_net_.adjoint(w.l_bar.data(), {b != nullptr, c != nullptr}, wants_q, adjoints.theta, w.mass);
  if (b) {
    potential_net_.begin_adjoint(w.potential);
    potential_net_.tangent(0, true, false, w.potential);
    potential_net_.adjoint(nullptr, {true, false}, wants_q, adjoints.theta, w.potential);
  }
  if (adjoints.theta_lanes) {
    clear_lanes(w);
    double* lanes = w.merged_lanes.data();
    mass_net_.gradient_lanes(w.l_bar.data(), {b != nullptr, c != nullptr}, w.mass, lanes);
    lanes += mass_net_.merged_size() * kBlock;
    if (b) potential_net_.gradient_lanes(nullptr, {true, false}, w.potential, lanes);
  }

  if (wants_q) {
    std::fill_n(adjoints.q, n_ * kBlock, 0.0);
    to_joints(w.mass.x_adjoint, w, adjoints.q);
    if (b) {
      to_joints(w.potential.x_adjoint, w, adjoints.q);
      bend_to_joints(w.mass.x_reverse[0], b, w, adjoints.q);
      bend_to_joints(w.potential.x_reverse[0], b, w, adjoints.q);
    }
    if (c) bend_to_joints(w.mass.x_reverse[1], w.v.data(), w, adjoints.q);
  }
  if (adjoints.v && c) to_joints(w.mass.x_reverse[1], w, adjoints.v);
  if (adjoints.u) std::fill_n(adjoints.u, m_ * kBlock, 0.0);
  if (b && config_.force_network) force_network_pullback(b, adjoints, w);
  if (b) joint_forces_pullback(b, adjoints, w);
  if (adjoints.theta_lanes) expand_lanes(w, adjoints.theta_lanes);
}

void Smm::force_network_pullback(const double* b, const Adjoints& adjoints, Workspace& w) const {
  for (int i = 0; i < n_; ++i)
    for (int s = 0; s < kBlock; ++s)
      w.f_bar[static_cast<std::size_t>(i * kBlock + s)] =
          force_scale_[static_cast<std::size_t>(i)] * b[i * kBlock + s];
  force_net_.begin_adjoint(w.force);
  force_net_.adjoint(w.f_bar.data(), {false, false}, adjoints.q || adjoints.v, adjoints.theta,
                     w.force);
  if (adjoints.theta_lanes) {
    const int before = mass_net_.merged_size() + potential_net_.merged_size();
    force_net_.gradient_lanes(w.f_bar.data(), {false, false}, w.force,
                              w.merged_lanes.data() + before * kBlock);
  }
  if (adjoints.q) to_joints(w.force.x_adjoint, w, adjoints.q);
  if (adjoints.v)
    for (int i = 0; i < n_; ++i)
      for (int s = 0; s < kBlock; ++s)
        adjoints.v[i * kBlock + s] +=
            inverse_v_[static_cast<std::size_t>(i)] *
            w.force.x_adjoint[static_cast<std::size_t>((features_ + i) * kBlock + s)];
}

void Smm::joint_forces_pullback(const double* b, const Adjoints& adjoints, Workspace& w) const {
  joint_forces_.pullback(b, adjoints.q, adjoints.v, adjoints.u, w.joint_forces);
  if (adjoints.theta) joint_forces_.gather(b, w.joint_forces);
  if (adjoints.theta_lanes) {
    const int before = merged_size() - joint_forces_.parameter_count();
    joint_forces_.gradient_lanes(b, w.merged_lanes.data() + before * kBlock, w.joint_forces);
  }
}

void Smm::clear_lanes(Workspace& w) const {
  w.merged_lanes.assign(static_cast<std::size_t>(merged_size()) * kBlock, 0.0);
}

void Smm::expand_lanes(Workspace& w, double* theta_lanes) const {
  const std::size_t size = w.merged_lanes.size() / kBlock, count = theta_.size();
  if (size == count) {  // no layers are merged
    std::copy(w.merged_lanes.begin(), w.merged_lanes.end(), theta_lanes);
    return;
  }
  std::vector<double> merged(size), theta(count);
  for (std::size_t s = 0; s < kBlock; ++s) {
    for (std::size_t k = 0; k < size; ++k) merged[k] = w.merged_lanes[k * kBlock + s];
    expand_gradient(merged, theta);
    for (std::size_t k = 0; k < count; ++k) theta_lanes[k * kBlock + s] = theta[k];
  }
}

void Smm::mass_pullback(const double* weights, const Adjoints& adjoints, Workspace& w) const {
  smm_lanes::mass_pullback(n_, w.mass.y.data(), d_.data(), weights, w.l_bar.data());
  mass_net_.begin_adjoint(w.mass);
  mass_net_.adjoint(w.l_bar.data(), {false, false}, adjoints.q != nullptr, adjoints.theta, w.mass);
  if (adjoints.theta_lanes) {
    clear_lanes(w);
    mass_net_.gradient_lanes(w.l_bar.data(), {false, false}, w.mass, w.merged_lanes.data());
    expand_lanes(w, adjoints.theta_lanes);
  }
  if (adjoints.q) {
    std::fill_n(adjoints.q, n_ * kBlock, 0.0);
    to_joints(w.mass.x_adjoint, w, adjoints.q);
  }
  if (adjoints.v) std::fill_n(adjoints.v, n_ * kBlock, 0.0);
  if (adjoints.u) std::fill_n(adjoints.u, m_ * kBlock, 0.0);
}

int Smm::merged_size() const {
  return mass_net_.merged_size() + potential_net_.merged_size() +
         (config_.force_network ? force_net_.merged_size() : 0) + joint_forces_.parameter_count();
}

void Smm::clear_gradient(Workspace& w) const {
  mass_net_.clear_gradient(w.mass);
  potential_net_.clear_gradient(w.potential);
  if (config_.force_network) force_net_.clear_gradient(w.force);
  joint_forces_.clear_gradient(w.joint_forces);
}

void Smm::add_gradient(const Workspace& w, std::span<double> merged, bool add) const {
  MECHFIT_CHECK(static_cast<int>(merged.size()) == merged_size());
  auto rest = merged;
  auto take = [&](const Mlp& net, const Mlp::Workspace& workspace) {
    net.add_gradient(workspace, rest.first(static_cast<std::size_t>(net.merged_size())), add);
    rest = rest.subspan(static_cast<std::size_t>(net.merged_size()));
  };
  take(mass_net_, w.mass);
  take(potential_net_, w.potential);
  if (config_.force_network) take(force_net_, w.force);
  joint_forces_.add_gradient(w.joint_forces, rest, add);
}

void Smm::expand_gradient(std::span<const double> merged, std::span<double> theta) const {
  MECHFIT_CHECK(theta.size() == theta_.size());
  std::span<const double> values = theta_;
  auto expand = [&](const Mlp& net) {
    const auto size = static_cast<std::size_t>(net.merged_size());
    const auto count = static_cast<std::size_t>(net.parameter_count());
    net.expand_gradient(values.first(count), merged.first(size), theta.first(count));
    values = values.subspan(count);
    merged = merged.subspan(size);
    theta = theta.subspan(count);
  };
  expand(mass_net_);
  expand(potential_net_);
  if (config_.force_network) expand(force_net_);
  std::copy(merged.begin(), merged.end(), theta.begin());
}

}  // namespace mechfit
