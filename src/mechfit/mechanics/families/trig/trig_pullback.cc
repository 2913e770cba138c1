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
  if (adjoints.u) {
    std::fill_n(adjoints.u, m_ * kBlock, 0.0);
    for (int i = 0; i < n_ && covectors.b; ++i)
      for (int j = 0; j < m_; ++j) {
        const double b = b_[i * m_ + j];
        for_lanes([&](int l) { adjoints.u[j * kBlock + l] += b * covectors.b[i * kBlock + l]; });
      }
  }
  if (adjoints.theta || adjoints.theta_lanes) {
    double* lanes = adjoints.theta_lanes ? adjoints.theta_lanes : w.lanes.data();
    parameter_adjoint(covectors, lanes, w);
    if (adjoints.theta)
      for (std::size_t k = 0; k < w.sums.size(); ++k) w.sums[k] += lanes[k];
  }
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
  if (!covectors.b) return;
  add_matrix(along(covectors.b), w.v.data());
  for (std::size_t s = 0; s < slips_.size(); ++s) {
    const auto [i, j, scale] = slips_[s];
    const double* t = w.slip_tanh.data() + s * kBlock;
    const double linear = viscous(static_cast<int>(s));
    const double dry = coulomb(static_cast<int>(s)) / (kCoulombWidth * scale);
    const double* bi = covectors.b + i * kBlock;
    const double* bj = j < 0 ? nullptr : covectors.b + j * kBlock;
    double *vi = v + i * kBlock, *vj = j < 0 ? nullptr : v + j * kBlock;
    for_lanes([=](int l) {
      const double rate = linear + dry * (1 - t[l] * t[l]);
      const double push = rate * (bj ? bi[l] - bj[l] : bi[l]);
      vi[l] -= push;
      if (vj) vj[l] += push;
    });
  }
}

// The gradient of s to theta in every lane.
void Trig::parameter_adjoint(const Covectors& covectors, double* lanes, Workspace& w) const {
  const double* b = covectors.b;
  std::fill_n(lanes, parameter_count() * kBlock, 0.0);
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
  if (!b) return;
  const int slips = static_cast<int>(slips_.size());
  const Scales& scales = config_.scales;
  for (int s = 0; s < slips; ++s) {
    const auto [i, j, scale] = slips_[s];
    const double *slip = w.slip.data() + s * kBlock, *t = w.slip_tanh.data() + s * kBlock;
    const double* bi = b + i * kBlock;
    const double* bj = j < 0 ? nullptr : b + j * kBlock;
    double* linear = lanes + (friction_offset() + s) * kBlock;
    double* dry = linear + slips * kBlock;
    const double unit = scales.energy / (scale * scales.time);
    for_lanes([&](int l) {
      const double push = -unit * (bj ? bi[l] - bj[l] : bi[l]);
      linear[l] = push * slip[l] / scale;
      dry[l] = push * t[l];
    });
  }
  if (config_.input_map == InputMap::fixed) return;
  double* out = lanes + input_offset() * kBlock;
  for (int i = 0; i < n_; ++i)
    for (int j = 0; j < m_; ++j) {
      const bool learned = config_.input_map == InputMap::learned;
      const double unit =
          learned ? force_scale_[i] / scales.u[j] : config_.input_matrix[i * m_ + j];
      double* row = learned ? out + (i * m_ + j) * kBlock : out;
      for_lanes([&](int l) { row[l] += unit * b[i * kBlock + l] * w.u[j * kBlock + l]; });
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
  if (!adjoints.theta && !adjoints.theta_lanes) return;
  double* lanes = adjoints.theta_lanes ? adjoints.theta_lanes : w.lanes.data();
  parameter_adjoint({}, lanes, w);
  if (adjoints.theta)
    for (std::size_t k = 0; k < w.sums.size(); ++k) w.sums[k] += lanes[k];
}

}  // namespace mechfit
