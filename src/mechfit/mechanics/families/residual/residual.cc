#include "mechfit/mechanics/families/residual/residual.h"

#include <algorithm>
#include <cmath>

#include "mechfit/base/error.h"
#include "mechfit/mechanics/families/smm/smm_lanes.h"

namespace mechfit {
namespace {

int feature_count(const std::vector<JointType>& joints) {
  int count = 0;
  for (const JointType type : joints) count += type == JointType::periodic ? 2 : 1;
  return count;
}

ResidualConfig checked(ResidualConfig config, int n) {
  for (const auto* sizes : {&config.speed, &config.width, &config.reach, &config.force}) {
    MECHFIT_CHECK(static_cast<int>(sizes->size()) == n);
    for (const double x : *sizes) MECHFIT_CHECK(x > 0 && std::isfinite(x));
  }
  MECHFIT_CHECK(static_cast<int>(config.place.size()) == n);
  return config;
}

MlpShape shape_of(const ResidualConfig& config, int inputs, int outputs) {
  return {inputs, config.hidden, std::vector<Activation>(config.hidden.size(), Activation::tanh),
          outputs};
}

}  // namespace

Residual::Residual(Model base, ResidualConfig config, Random& random)
    : base_(std::move(base)),
      config_(checked(std::move(config), base_.joints())),
      n_(base_.joints()),
      features_(feature_count(base_.joint_types())),
      types_(base_.joint_types()),
      network_(shape_of(config_, features_ + 2 * n_, n_)),
      theta_(static_cast<std::size_t>(base_count()) + network_.parameter_count()) {
  const std::span<double> own = std::span(theta_).subspan(base_count());
  initialise(network_.shape(), Initialisation::row_normalised, random, own);
  const int last = config_.hidden.empty() ? features_ + 2 * n_ : config_.hidden.back();
  std::fill(own.end() - n_ * (last + 1), own.end(), 0.0);
  std::copy(base_.parameters().begin(), base_.parameters().end(), theta_.begin());
  network_.set_parameters(own);
}

void Residual::set_parameters(std::span<const double> theta) {
  MECHFIT_CHECK(theta.size() == theta_.size());
  base_.set_parameters(theta.first(base_count()));
  network_.set_parameters(theta.subspan(base_count()));
  std::copy(theta.begin(), theta.end(), theta_.begin());
}

Residual::Workspace Residual::make_workspace() const {
  Workspace w;
  w.base = base_.make_workspace();
  w.network = network_.make_workspace();
  w.x = make_panel(features_ + 2 * n_);
  w.slope = w.bend = make_panel(features_);
  w.y_bar = make_panel(n_);
  return w;
}

void Residual::forces(const Points& x, double* p, double* f, Workspace& w) const {
  base_.forces(x, p, f, w.base);
  smm_lanes::features(n_, types_.data(), config_.place.data(), config_.reach.data(), x.q,
                      w.x.data(), w.slope.data(), w.bend.data());
  double *speed = w.x.data() + features_ * kBlock, *step = speed + n_ * kBlock;
  for (int i = 0; i < n_; ++i)
    for (int l = 0; l < kBlock; ++l) {
      speed[i * kBlock + l] = x.v[i * kBlock + l] / config_.speed[i];
      step[i * kBlock + l] = std::tanh(x.v[i * kBlock + l] / config_.width[i]);
    }
  w.network.x = w.x.data();
  network_.forward(w.network);
  network_.output(w.network);
  for (int i = 0; i < n_; ++i)
    for (int l = 0; l < kBlock; ++l)
      f[i * kBlock + l] += config_.force[i] * w.network.y[i * kBlock + l];
}

// The base does not know the network's parameters.
void Residual::clear_lanes(const Adjoints& adjoints) const {
  if (adjoints.theta_lanes)
    std::fill_n(adjoints.theta_lanes + base_count() * kBlock, network_.parameter_count() * kBlock,
                0.0);
}

void Residual::pullback(const Covectors& covectors, const Adjoints& adjoints, Workspace& w) const {
  base_.pullback(covectors, adjoints, w.base);
  clear_lanes(adjoints);
  const double* b = covectors.b;
  if (!b) return;
  for (int i = 0; i < n_; ++i)
    for (int l = 0; l < kBlock; ++l) w.y_bar[i * kBlock + l] = config_.force[i] * b[i * kBlock + l];
  network_.begin_adjoint(w.network);
  network_.adjoint(w.y_bar.data(), {false, false}, adjoints.q || adjoints.v, adjoints.theta,
                   w.network);
  if (adjoints.theta_lanes)  // hidden layers are all tanh: none are merged
    network_.gradient_lanes(w.y_bar.data(), {false, false}, w.network,
                            adjoints.theta_lanes + base_count() * kBlock);
  const double* x_bar = w.network.x_adjoint.data();
  if (adjoints.q) smm_lanes::to_joints(n_, types_.data(), w.slope.data(), x_bar, adjoints.q);
  const double *speed = x_bar + features_ * kBlock, *step_bar = speed + n_ * kBlock;
  const double* step = w.x.data() + (features_ + n_) * kBlock;
  for (int i = 0; adjoints.v && i < n_; ++i)
    for (int l = 0; l < kBlock; ++l) {
      const int at = i * kBlock + l;
      adjoints.v[at] += speed[at] / config_.speed[i] +
                        step_bar[at] * (1 - step[at] * step[at]) / config_.width[i];
    }
}

void Residual::mass_pullback(const double* weights, const Adjoints& adjoints, Workspace& w) const {
  base_.mass_pullback(weights, adjoints, w.base);
  clear_lanes(adjoints);
}

void Residual::clear_gradient(Workspace& w) const {
  base_.clear_gradient(w.base);
  network_.clear_gradient(w.network);
}

void Residual::add_gradient(Workspace& w, std::span<double> merged, bool add) const {
  MECHFIT_CHECK(static_cast<int>(merged.size()) == merged_size());
  const std::span<double> own = merged.first(base_.merged_size());
  if (!add) std::fill(own.begin(), own.end(), 0.0);
  base_.add_gradient(w.base, own);
  network_.add_gradient(w.network, merged.subspan(base_.merged_size()), add);
}

void Residual::expand_gradient(std::span<const double> merged, std::span<double> theta) const {
  MECHFIT_CHECK(theta.size() == theta_.size());
  base_.expand_gradient(merged.first(base_.merged_size()), theta.first(base_count()));
  network_.expand_gradient(std::span<const double>(theta_).subspan(base_count()),
                           merged.subspan(base_.merged_size()), theta.subspan(base_count()));
}

}  // namespace mechfit
