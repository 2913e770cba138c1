#pragma once

#include "examples/control/step_model.h"

namespace control {

// Extended Kalman filter on a model: encoders see q with white noise, nothing measures v. What the
// model does not know is white noise on the acceleration.
class StateFilter {
 public:
  // noise, doubt: standard deviations of the encoders [rad or m] and of the acceleration over one
  // interval [rad/s^2 or m/s^2], one per joint. The machine rests at x.
  StateFilter(StepModel& model, const Vector& x, const Vector& noise, const Vector& doubt);

  const Vector& state() const { return x_; }
  bool predict(double u);           // over one interval; false where the model fails
  void update(const Vector& seen);  // q of the encoders

 private:
  StepModel& model_;
  Vector x_;
  Matrix P_, process_, noise_;
};

}  // namespace control
