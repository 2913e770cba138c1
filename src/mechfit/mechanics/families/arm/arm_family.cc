#include <algorithm>
#include <cmath>

#include "mechfit/mechanics/families/arm/arm.h"

// What an arm says of itself.
namespace mechfit {
namespace {

// Numbers of links are known up to this many times their own size before data are seen, as
// constants of analytic systems are.
constexpr double kSpread = 3.0;
// Sizes: of a mass's root [kg^0.5], of a length [m] where a number is zero.
constexpr double kSmallestRoot = 0.1, kLength = 0.1;

}  // namespace

std::vector<ParameterInfo> Arm::parameters_info() const {
  std::vector<ParameterInfo> list = body_.parameters_info();
  for (int k = 0; k < kLinkNumbers * n_; ++k) {
    const double root = std::max(std::abs(theta_[k - k % kLinkNumbers]), kSmallestRoot);
    const double size =
        k % kLinkNumbers == 0 ? root : std::max(std::abs(theta_[k]), kLength * root);
    list[k].size = list[k].step = size;
    list[k].prior_precision = 1 / (kSpread * size * kSpread * size);
  }
  const std::vector<std::string> names = joint_forces_.parameter_names();
  for (int k = 0; k < joint_forces_.parameter_count(); ++k) {
    ParameterInfo info{names[k], ""};
    if (joint_forces_.nonnegative(k)) info.range = Range::nonnegative;
    info.prior_precision = joint_forces_.prior_precision(k);
    list.push_back(std::move(info));
  }
  return list;
}

bool Arm::scale_is_free() const { return !joint_forces_.fixes_scale(); }

// Masses by d^2 alone, centres t / d. Inertias come from several numbers, so they have no slope of
// one parameter: `link` has them.
Description Arm::describe() const {
  Description out;
  out.words = "an arm of " + std::to_string(n_) + " rigid bodies";
  for (int i = 0; i < n_; ++i) {
    const std::string& name = config_.kinematics.joints[i].name;
    const int at = kLinkNumbers * i;
    const LinkInertia body = link(i);
    out.values.push_back({name + " mass", body.mass, "kg", at, 2 * theta_[at]});
    for (int k = 0; k < 3; ++k)
      out.values.push_back({name + " first moment " + "xyz"[k], body.mass * body.centre[k], "kg m",
                            at + 1 + k, theta_[at]});
    if (rotor(i) > 0)
      out.values.push_back({name + " rotor", rotor(i), "", kLinkNumbers * n_ + i, 1.0});
  }
  for (auto& value : joint_forces_.values(body_count())) out.values.push_back(std::move(value));
  return out;
}

SymbolicModel Arm::symbolic() const {
  SymbolicModel out(n_, inputs());
  body_.trace(out);
  joint_forces_.trace(out);
  return out;
}

}  // namespace mechfit
