#include <algorithm>

#include "mechfit/base/error.h"
#include "mechfit/mechanics/joint_forces.h"
#include "mechfit/mechanics/lanes.h"

// What flows backwards through the forces at the joints.
namespace mechfit {
namespace {

double block_sum(const double* x) {
  double sum = 0.0;
  for (int l = 0; l < kBlock; ++l) sum += x[l];
  return sum;
}

}  // namespace

// d/dw (viscous w + coulomb tanh(sharpness w)) = viscous + slope (1 - tanh^2)
void JointForces::pullback(const double* b, double* q, double* v, double* u,
                           const Workspace& w) const {
  for (int s = 0; v && s < slip_count(); ++s) {
    const double* t = w.slip_tanh.data() + s * kBlock;
    double push[kBlock], rate[kBlock] = {};
    along(config_.slips[s], b, push);
    for (const Term& term : terms_of(s)) {
      const double c = term.c, slope = term.slope;
      if (term.extra >= 0) {
        const double* g = w.along_w.data() + term.extra * kBlock;
        for_lanes([&](int l) { rate[l] += c * g[l]; });
      } else if (term.function.kind == FrictionFunction::Kind::viscous) {
        for_lanes([&](int l) { rate[l] += c; });
      } else {
        for_lanes([&](int l) { rate[l] += slope * (1.0 - t[l] * t[l]); });
      }
    }
    for_lanes([&](int l) { push[l] *= rate[l]; });
    subtract(config_.slips[s], push, v);
  }
  for (const Term& term : terms_) {
    if (!q || term.function.kind != FrictionFunction::Kind::position) continue;
    const double c = term.c, *g = w.along_x.data() + term.extra * kBlock;
    const int i = config_.slips[term.slip].i;
    const double* bi = b + i * kBlock;
    double* qi = q + i * kBlock;
    for_lanes([=](int l) { qi[l] -= bi[l] * c * g[l]; });
  }
  for (int i = 0; u && i < n_; ++i)
    for (int j = 0; j < m_; ++j) {
      const double entry = b_[i * m_ + j], *bi = b + i * kBlock;
      double* uj = u + j * kBlock;
      for_lanes([=](int l) { uj[l] += entry * bi[l]; });
    }
}

// rows += gradient of b'F to the parameters of friction and to the entries of B.
void JointForces::accumulate(const double* b, const Workspace& w, double* rows) const {
  for (int s = 0; s < slip_count(); ++s) {
    double push[kBlock];
    along(config_.slips[s], b, push);
    for (const Term& term : terms_of(s)) {
      const double *g = value_of(term, w), d = term.d, d_speed = term.d_speed;
      double* row = rows + term.parameter * kBlock;
      for_lanes([&](int l) { row[l] -= push[l] * d * g[l] / d_speed; });
    }
  }
  if (config_.input_map == InputMap::fixed) return;
  const bool units = config_.parameters == ForceParameters::linear &&
                     config_.input_map == InputMap::learned;  // now; otherwise in with_unit
  for (int i = 0; i < n_; ++i)
    for (int j = 0; j < m_; ++j) {
      const double unit = units ? force_scale_[i] / u_scale_[j] : 1.0;
      const double *bi = b + i * kBlock, *uj = w.u.data() + j * kBlock;
      double* row = rows + (friction_count() + i * m_ + j) * kBlock;
      for_lanes([=](int l) { row[l] += unit * bi[l] * uj[l]; });
    }
}

// What a gathered gradient to entry (i, j) of B is to its parameter.
double JointForces::with_unit(int i, int j, double gathered) const {
  if (config_.parameters == ForceParameters::linear) return gathered;  // accumulate has done it
  return gathered * force_scale_[i] / u_scale_[j];
}

// The parameter that all entries of B in column j share, counted from the first of the inputs; -1:
// none.
int JointForces::shared_parameter(int j) const {
  if (config_.input_map == InputMap::scaled) return 0;
  return config_.input_map == InputMap::gains ? j - 1 : -1;
}

void JointForces::gather(const double* b, Workspace& w) const { accumulate(b, w, w.sums.data()); }

void JointForces::gradient_lanes(const double* b, double* lanes, Workspace& w) const {
  std::fill(w.lanes.begin(), w.lanes.end(), 0.0);
  accumulate(b, w, w.lanes.data());
  std::copy_n(w.lanes.begin(), friction_count() * kBlock, lanes);
  double* inputs = lanes + friction_count() * kBlock;
  std::fill_n(inputs, (parameter_count() - friction_count()) * kBlock, 0.0);
  if (config_.input_map == InputMap::fixed) return;
  for (int i = 0; i < n_; ++i)
    for (int j = 0; j < m_; ++j) {
      const int at = i * m_ + j;
      const double* row = w.lanes.data() + (friction_count() + at) * kBlock;
      for (int l = 0; l < kBlock; ++l)
        if (config_.input_map == InputMap::learned)
          inputs[at * kBlock + l] = with_unit(i, j, row[l]);
        else if (const int k = shared_parameter(j); k >= 0)
          inputs[k * kBlock + l] += config_.input_matrix[at] * row[l];
    }
}

void JointForces::clear_gradient(Workspace& w) const {
  std::fill(w.sums.begin(), w.sums.end(), 0.0);
}

void JointForces::add_gradient(const Workspace& w, std::span<double> theta, bool add) const {
  MECHFIT_CHECK(static_cast<int>(theta.size()) == parameter_count());
  if (!add) std::fill(theta.begin(), theta.end(), 0.0);
  for (int k = 0; k < friction_count(); ++k) theta[k] += block_sum(w.sums.data() + k * kBlock);
  if (config_.input_map == InputMap::fixed || m_ == 0) return;
  const std::span<double> inputs = theta.subspan(friction_count());
  double gamma = 0.0;
  for (int i = 0; i < n_; ++i)
    for (int j = 0; j < m_; ++j) {
      const int at = i * m_ + j;
      const double sum = block_sum(w.sums.data() + (friction_count() + at) * kBlock);
      if (config_.input_map == InputMap::learned)
        inputs[at] += with_unit(i, j, sum);
      else if (config_.input_map == InputMap::scaled)
        gamma += config_.input_matrix[at] * sum;
    }
  if (config_.input_map == InputMap::scaled) inputs[0] += gamma;
  for (int j = 1; config_.input_map == InputMap::gains && j < m_; ++j) {
    double sum = 0.0;
    for (int i = 0; i < n_; ++i)
      sum += config_.input_matrix[i * m_ + j] *
             block_sum(w.sums.data() + (friction_count() + i * m_ + j) * kBlock);
    inputs[j - 1] += sum;
  }
}

}  // namespace mechfit
