#include "mechfit/integrate/step_control.h"

#include <algorithm>
#include <cmath>

#include "mechfit/base/constants.h"
#include "mechfit/base/error.h"

namespace mechfit {
namespace {

// More inner steps than this are not made: 64 steps of a recorded one with ten samples a turn have
// an error of 1e-5 of their motion, so that what needs more does not exist for the model.
constexpr int kMostInner = 64;
// A recorded step that failed is cut into so many times as many.
constexpr int kFinerAfterFailure = 4;
// A joint's speed counts as at least this part of the fastest joint's of its kind: one that hardly
// moves must not ask for steps that nothing else needs.
constexpr double kSlowest = 0.1;
// Bends below so many rad (m) are none: no sensor sees them.
constexpr double kSmallestBend = 1e-9;

double limit_of(Integrator integrator, double tolerance) {
  switch (integrator) {
    case Integrator::variational:
      return 24 * tolerance;
    case Integrator::rk4:
      return std::sqrt(120 * tolerance);
    case Integrator::midpoint:
      return 6 * tolerance;
  }
  return 0;
}

}  // namespace

InnerSteps::InnerSteps(const Model& model, const RolloutRequest& request, Integrator integrator)
    : types_(model.joint_types()),
      control_(request.control),
      limit_(limit_of(integrator, request.control.tolerance)),
      speed_(make_panel(model.joints())) {}

int InnerSteps::least(double h) const {
  // A step that is longer by rounding alone is not cut.
  const double parts = control_.longest > 0 ? std::ceil(h / control_.longest - 1e-6) : 1;
  return static_cast<int>(std::clamp(parts, 1.0, 1.0 * kMostInner));
}

void InnerSteps::begin(int lane, double h) {
  const double wanted = std::ceil(h * std::sqrt(rate2_[lane] / limit_) - 1e-6);
  parts_[lane] = std::max(least(h), static_cast<int>(std::min(wanted, 1.0 * kMostInner)));
  worst_[lane] = 0;
  length_[lane] = h / parts_[lane];
}

bool InnerSteps::begin_again(int lane, double h) {
  if (parts_[lane] >= kMostInner) return false;
  const double factor = std::isfinite(worst_[lane])
                            ? std::clamp(std::sqrt(worst_[lane] / limit_), 1.0, 8.0)
                            : kFinerAfterFailure;
  const double wanted = std::max(parts_[lane] + 1.0, std::ceil(parts_[lane] * factor));
  parts_[lane] = static_cast<int>(std::min(wanted, 1.0 * kMostInner));
  worst_[lane] = 0;
  rate2_[lane] = 0;
  length_[lane] = h / parts_[lane];
  return true;
}

void InnerSteps::saw_speed(int lane, const double* v) {
  for (std::size_t i = 0; i < types_.size(); ++i)
    speed_[i * kBlock + lane] = std::max(speed_[i * kBlock + lane], std::abs(v[i * kBlock + lane]));
}

double InnerSteps::relative(int lane, const double* v, const double* bend) const {
  const int n = static_cast<int>(types_.size());
  double fastest[2] = {}, worst = 0;  // of joints that are not plain, and of plain ones
  const auto speed = [&](int i) {
    return std::max(speed_[i * kBlock + lane], std::abs(v[i * kBlock + lane]));
  };
  const auto kind = [&](int i) { return types_[i] == JointType::plain ? 1 : 0; };
  for (int i = 0; i < n; ++i) fastest[kind(i)] = std::max(fastest[kind(i)], speed(i));
  for (int i = 0; i < n; ++i) {
    const double b = std::abs(bend[i * kBlock + lane]);
    if (!std::isfinite(b)) return kInfinity;
    if (b * length_[lane] <= kSmallestBend) continue;
    worst = std::max(worst, b / std::max(speed(i), kSlowest * fastest[kind(i)]));
  }
  return worst;
}

void InnerSteps::saw_bend(int lane, double relative) {
  worst_[lane] = std::max(worst_[lane], relative);
  rate2_[lane] = worst_[lane] / (length_[lane] * length_[lane]);
}

void InnerSteps::failed(int lane) {
  worst_[lane] = kInfinity;
  rate2_[lane] = 0;
}

}  // namespace mechfit
