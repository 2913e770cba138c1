#include <algorithm>

#include "mechfit/mechanics/families/trig/trig.h"
#include "mechfit/mechanics/lanes.h"

namespace mechfit {
namespace {

// out += a x b, lane by lane
void add_product(const double* a, const double* b, double* out) {
  for_lanes([=](int l) { out[l] += a[l] * b[l]; });
}

}  // namespace

// With Mb, Vb the derivatives of M, V along q' = b and Mv that of M along q' = v,
//   s = a'Mv + 1/2 v'Mb v - Vb + b'F + left'M right + c'Mv v + c'M acc
void Trig::pullback(const Covectors& covectors, const Adjoints& adjoints, Workspace& w) const {
  if (covectors.b && adjoints.q) load_hessian(w);
  std::fill(w.a_terms.begin(), w.a_terms.end(), 0.0);
  if (covectors.a) add_pairs(covectors.a, w.v.data(), w.a_terms.data());
  for (int k = 0; covectors.left && k < covectors.pairs; ++k)
    add_pairs(covectors.left + k * n_ * kBlock, covectors.right + k * n_ * kBlock,
              w.a_terms.data());
  if (covectors.c && covectors.acc) add_pairs(covectors.c, covectors.acc, w.a_terms.data());
  std::fill(w.c_terms.begin(), w.c_terms.end(), 0.0);
  if (covectors.c) add_pairs(covectors.c, w.v.data(), w.c_terms.data());

  if (adjoints.q) configuration_adjoint(covectors, adjoints.q, w);
  if (adjoints.v) velocity_adjoint(covectors, adjoints.v, w);
  if (adjoints.u) std::fill_n(adjoints.u, m_ * kBlock, 0.0);
  if (adjoints.theta || adjoints.theta_lanes) parameter_adjoint(covectors, adjoints, w);
  if (covectors.b) joint_forces_adjoint(covectors.b, adjoints, w);
}

void Trig::joint_forces_adjoint(const double* b, const Adjoints& adjoints, Workspace& w) const {
  joint_forces_.pullback(b, adjoints.q, adjoints.v, adjoints.u, w.joint_forces);
  if (adjoints.theta) joint_forces_.gather(b, w.joint_forces);
  if (adjoints.theta_lanes)
    joint_forces_.gradient_lanes(b, adjoints.theta_lanes + friction_offset() * kBlock,
                                 w.joint_forces);
}

void Trig::configuration_adjoint(const Covectors& covectors, double* q, Workspace& w) const {
  std::fill_n(q, n_ * kBlock, 0.0);
  for (int e = 0; e < entries(); ++e)
    for (int i = 0; i < n_; ++i)
      add_product(w.a_terms.data() + e * kBlock, w.mass_slope.data() + (e * n_ + i) * kBlock,
                  q + i * kBlock);
  const auto add_curved = [&](const AlignedVector& H, const double* direction) {
    for (int i = 0; i < n_; ++i)
      for (int j = 0; j < n_; ++j)
        add_product(H.data() + (i >= j ? i * n_ + j : j * n_ + i) * kBlock, direction + j * kBlock,
                    q + i * kBlock);
  };
  if (covectors.b) add_curved(w.hessian, covectors.b);
  if (!covectors.c) return;
  std::fill(w.weights.begin(), w.weights.end(), 0.0);
  for (int f = 0; f < mass_functions_; ++f)
    for (int e = 0; e < entries(); ++e) {
      const double t = theta_[e * mass_functions_ + f];
      const double* c = w.c_terms.data() + e * kBlock;
      double* weight = w.weights.data() + f * kBlock;
      for_lanes([=](int l) { weight[l] += t * c[l]; });
    }
  basis_.hessian(mass_functions_, w.weights.data(), w.basis, w.curvature.data());
  add_curved(w.curvature, w.v.data());
}

void Trig::velocity_adjoint(const Covectors& covectors, double* v, Workspace& w) const {
  std::fill_n(v, n_ * kBlock, 0.0);
  const auto add_matrix = [&](const double* matrix, const double* x) {
    multiply(matrix, x, w.scratch.data());
    for (int k = 0; k < n_ * kBlock; ++k) v[k] += w.scratch[k];
  };
  // M along a direction, in w.weights
  const auto along = [&](const double* direction) {
    std::fill_n(w.weights.begin(), entries() * kBlock, 0.0);
    for (int e = 0; e < entries(); ++e)
      for (int i = 0; i < n_; ++i)
        add_product(w.mass_slope.data() + (e * n_ + i) * kBlock, direction + i * kBlock,
                    w.weights.data() + e * kBlock);
    return w.weights.data();
  };
  if (covectors.a) add_matrix(w.mass.data(), covectors.a);
  if (covectors.c) {
    add_matrix(along(w.v.data()), covectors.c);
    for (int e = 0; e < entries(); ++e)
      for (int i = 0; i < n_; ++i)
        add_product(w.c_terms.data() + e * kBlock, w.mass_slope.data() + (e * n_ + i) * kBlock,
                    v + i * kBlock);
  }
  if (covectors.b) add_matrix(along(covectors.b), w.v.data());
}

// The gradient of s to theta; that of the joint forces is zero here.
void Trig::parameter_adjoint(const Covectors& covectors, const Adjoints& adjoints,
                             Workspace& w) const {
  double* lanes = adjoints.theta_lanes ? adjoints.theta_lanes : w.lanes.data();
  lagrangian_adjoint(covectors, lanes, w);
  if (adjoints.theta_lanes)
    std::fill_n(lanes + friction_offset() * kBlock, joint_forces_.parameter_count() * kBlock, 0.0);
  if (adjoints.theta)
    for (std::size_t k = 0; k < w.sums.size(); ++k) w.sums[k] += lanes[k];
}

// The gradient of s to the coefficients of M and V in every lane.
void Trig::lagrangian_adjoint(const Covectors& covectors, double* lanes, const Workspace& w) const {
  const double* b = covectors.b;
  std::fill_n(lanes, friction_offset() * kBlock, 0.0);
  for (int f = 0; f < basis_.size(); ++f) {
    const double* value = w.basis.value.data() + f * kBlock;
    const double* slope = w.basis.slope.data() + f * n_ * kBlock;
    double along_b[kBlock] = {}, along_v[kBlock] = {};
    for (int i = 0; i < n_; ++i) {
      if (b) add_product(slope + i * kBlock, b + i * kBlock, along_b);
      if (covectors.c) add_product(slope + i * kBlock, w.v.data() + i * kBlock, along_v);
    }
    if (b && f > 0) {
      double* out = lanes + (potential_offset() + f - 1) * kBlock;
      for_lanes([&](int l) { out[l] = -config_.scales.energy * along_b[l]; });
    }
    if (f >= mass_functions_) continue;
    for (int i = 0, e = 0; i < n_; ++i)
      for (int j = 0; j <= i; ++j, ++e) {
        const double* a_term = w.a_terms.data() + e * kBlock;
        const double* c_term = w.c_terms.data() + e * kBlock;
        const double *vi = w.v.data() + i * kBlock, *vj = w.v.data() + j * kBlock;
        const double d = (i == j ? 0.5 : 1.0) * d_[i] * d_[j];
        double* out = lanes + (e * mass_functions_ + f) * kBlock;
        for_lanes([&](int l) {
          out[l] = a_term[l] * value[l] + d * vi[l] * vj[l] * along_b[l] + c_term[l] * along_v[l];
        });
      }
  }
}

void Trig::mass_pullback(const double* weights, const Adjoints& adjoints, Workspace& w) const {
  for (int i = 0; i < n_; ++i)
    for (int j = 0; j <= i; ++j) {
      const double d = (i == j ? 1 : 2) * d_[i] * d_[j];
      double* t = w.a_terms.data() + entry(i, j) * kBlock;
      for_lanes([&](int l) { t[l] = d * weights[(i * n_ + j) * kBlock + l]; });
    }
  std::fill(w.c_terms.begin(), w.c_terms.end(), 0.0);
  if (adjoints.q) configuration_adjoint({}, adjoints.q, w);
  if (adjoints.v) std::fill_n(adjoints.v, n_ * kBlock, 0.0);
  if (adjoints.u) std::fill_n(adjoints.u, m_ * kBlock, 0.0);
  if (adjoints.theta || adjoints.theta_lanes) parameter_adjoint({}, adjoints, w);
}

}  // namespace mechfit
