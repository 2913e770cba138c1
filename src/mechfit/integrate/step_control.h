#pragma once

#include <array>
#include <vector>

#include "mechfit/integrate/rollout.h"

// Inner steps that choose themselves. A motion that turns with the rate w has v'' = -w^2 v, and
// what a method misses on a step h, relative to the motion h v, depends on (w h)^2 alone:
//
//   variational (w h)^2 / 24        rk4 (w h)^4 / 120        explicit midpoint (w h)^2 / 6
//
// So (w h)^2 is estimated as h^2 |v''| / |v|, from numbers that the steps leave behind, and
// compared with the value at which the error is the tolerance. |v| is the joint's largest speed so
// far, and not below a tenth of the fastest joint's of its kind. A recorded step on which the error
// turns out larger than twice the tolerance is done again with more inner steps; the next recorded
// step begins with as many as the last one needed.
namespace mechfit {

class InnerSteps {
 public:
  InnerSteps(const Model& model, const RolloutRequest& request, Integrator integrator);

  // As many parts as a recorded step of length h needs, from what is known so far; begins it.
  void begin(int lane, double h);
  // Begins again; false when there are as many parts as there may be.
  bool begin_again(int lane, double h);
  int parts(int lane) const { return parts_[lane]; }

  // Takes note of the speeds v in a lane, then of h^2 |v''| [n] on a step (rows of panels).
  void saw_speed(int lane, const double* v);
  double relative(int lane, const double* v, const double* bend) const;  // max of bend / |v|
  void saw_bend(int lane, double relative);
  void failed(int lane);  // the step could not be done
  bool good(int lane) const { return worst_[lane] <= kSlack * limit_; }
  bool good(double relative) const { return relative <= kSlack * limit_; }

 private:
  static constexpr double kSlack = 2;
  int least(double h) const;

  std::vector<JointType> types_;  // [n]
  StepControl control_;
  double limit_;         // (w h)^2 at which the error is the tolerance
  AlignedVector speed_;  // [n][kBlock]
  std::array<int, kBlock> parts_{};
  std::array<double, kBlock> worst_{};   // (w h)^2 on the present recorded step
  std::array<double, kBlock> rate2_{};   // w^2 on the one before
  std::array<double, kBlock> length_{};  // h of the inner steps
};

}  // namespace mechfit
