#pragma once

#include <vector>

#include "mechfit/net/kernels.h"

// Networks at one point, with rows instead of samples in lanes. What a call computes is planned
// beforehand as steps, so that nothing is looked up or decided in between.
namespace mechfit {

// One layer of a pass: y = f(W x + b) and, where xdot is given, its derivative ydot along xdot. The
// y, ydot and k of hidden layers have room for a multiple of kBlock numbers.
struct PointStep {
  enum class Function {
    activate,  // the activation, of which k keeps what the slope needs
    slope,     // times the slope that k tells, k = y for tanh
    none
  };
  Function function;
  Activation activation;
  const double *w, *transposed, *b;  // [rows][cols], [cols][rows] in strips, [rows] or null
  int rows, cols;
  const double *x, *xdot;
  double *k, *y, *ydot;
  using Run = void (*)(const PointStep& step);
  Run run = nullptr;  // chosen by the plan
};

// Steps in their order.
class PointPlan {
 public:
  void add(PointStep step);
  void run() const {
    for (const auto& step : steps_) step.run(step);
  }

 private:
  std::vector<PointStep> steps_;
};

}  // namespace mechfit
