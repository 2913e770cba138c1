#include "mechfit/mechanics/families/smm/smm.h"

namespace mechfit {
namespace {

// b after a: hidden layers without activation.
LayerEquations merged(const LayerEquations& a, const LayerEquations& b) {
  LayerEquations out{b.outputs, a.inputs, b.tanh, {}, b.b};
  out.W.assign(static_cast<std::size_t>(b.outputs) * a.inputs, 0.0);
  for (int i = 0; i < b.outputs; ++i)
    for (int k = 0; k < b.inputs; ++k) {
      const double w = b.W[i * b.inputs + k];
      out.b[i] += w * a.b[k];
      for (int j = 0; j < a.inputs; ++j) out.W[i * a.inputs + j] += w * a.W[k * a.inputs + j];
    }
  return out;
}

// Parameters as Mlp has them: W1 [h1][in], b1, W2, b2 ...; `theta` goes on behind them.
NetworkEquations layers_of(const MlpShape& shape, std::span<const double>& theta) {
  NetworkEquations out;
  int inputs = shape.inputs;
  for (std::size_t l = 0; l <= shape.hidden.size(); ++l) {
    const bool last = l == shape.hidden.size();
    LayerEquations layer;
    layer.inputs = inputs;
    layer.outputs = last ? shape.outputs : shape.hidden[l];
    layer.tanh = !last && shape.activations[l] == Activation::tanh;
    const std::size_t weights = static_cast<std::size_t>(layer.inputs) * layer.outputs;
    layer.W.assign(theta.begin(), theta.begin() + static_cast<std::ptrdiff_t>(weights));
    theta = theta.subspan(weights);
    layer.b.assign(theta.begin(), theta.begin() + layer.outputs);
    theta = theta.subspan(layer.outputs);
    inputs = layer.outputs;
    if (!out.empty() && !out.back().tanh)
      out.back() = merged(out.back(), layer);
    else
      out.push_back(std::move(layer));
  }
  return out;
}

}  // namespace

SymbolicModel Smm::symbolic() const {
  SymbolicModel out(n_, m_);
  NetworkModel& networks = out.networks.emplace();
  networks.joints = config_.joints;
  networks.offset = config_.scales.q_offset;
  networks.scale = config_.scales.q;
  networks.d = d_;
  networks.energy = config_.scales.energy;
  std::span<const double> theta = theta_;
  networks.mass = layers_of(mass_net_.shape(), theta);
  networks.potential = layers_of(potential_net_.shape(), theta);
  if (config_.force_network) {
    networks.force = layers_of(force_net_.shape(), theta);
    networks.force_scale = force_scale_;
    networks.speed = inverse_v_;
  }
  joint_forces_.trace(out);
  return out;
}

}  // namespace mechfit
