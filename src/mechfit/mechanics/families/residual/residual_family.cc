#include "mechfit/base/error.h"
#include "mechfit/mechanics/families/residual/residual.h"
#include "mechfit/mechanics/families/start.h"

// What a base with a network of forces says of itself.
namespace mechfit {
namespace {

// Prior precision of every weight, as of structured mechanical models.
constexpr double kWeightDecay = 1.0;

}  // namespace

std::vector<Start> Residual::starts(const StartData&) {
  throw InputError("a network beside a known structure is made from a fit of the structure");
}

std::vector<ParameterInfo> Residual::parameters_info() const {
  std::vector<ParameterInfo> list = base_.parameters_info();
  for (int k = 0; k < network_.parameter_count(); ++k) {
    ParameterInfo info{"force network " + std::to_string(k), ""};
    info.prior_precision = kWeightDecay;
    list.push_back(std::move(info));
  }
  return list;
}

Description Residual::describe() const {
  Description out = base_.describe();
  out.words += ", and a network of forces for what these leave unexplained";
  return out;
}

SymbolicModel Residual::symbolic() const {
  std::optional<SymbolicModel> base = base_.symbolic();
  if (!base)
    throw InputError(std::string("models of family ") + base_.family() +
                     " cannot be written as formulas");
  SymbolicModel out = std::move(*base);
  std::vector<Formula> x;
  for (int i = 0; i < n_; ++i) {
    if (types_[i] == JointType::periodic) {
      x.push_back(cos(out.q[i]));
      x.push_back(sin(out.q[i]));
    } else {
      x.push_back((out.q[i] - config_.place[i]) * (1 / config_.reach[i]));
    }
  }
  for (int i = 0; i < n_; ++i) x.push_back(out.v[i] * (1 / config_.speed[i]));
  for (int i = 0; i < n_; ++i) x.push_back(tanh(out.v[i] * (1 / config_.width[i])));
  const double* theta = theta_.data() + base_count();
  std::vector<int> widths = config_.hidden;
  widths.push_back(n_);
  for (std::size_t layer = 0; layer < widths.size(); ++layer) {
    const double* bias = theta + widths[layer] * x.size();
    std::vector<Formula> y;
    for (int i = 0; i < widths[layer]; ++i) {
      Formula sum = bias[i];
      for (const Formula& input : x) sum += *theta++ * input;
      y.push_back(layer + 1 < widths.size() ? tanh(sum) : sum);
    }
    theta += widths[layer];
    x = std::move(y);
  }
  for (int i = 0; i < n_; ++i) out.force[i] += config_.force[i] * x[i];
  return out;
}

}  // namespace mechfit
