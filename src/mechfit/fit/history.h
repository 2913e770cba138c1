#pragma once

#include <cmath>
#include <limits>
#include <vector>

namespace mechfit {

// One epoch or iteration of a fit.
struct FitRecord {
  int step = 0;              // 1 ..
  double objective = 0;      // loss, or J of joint estimation
  double validation = 0;     // what the criterion says, on held-out runs; NaN: not looked at
  double learning_rate = 0;  // of Adam
  int halvings = 0;          // of steps that left the feasible set
  int rejected = 0;          // steps whose loss or gradient was not finite
};

// What the validation numbers of a history are.
enum class Criterion {
  error,          // smaller is better
  log_likelihood  // of a held-out observation, larger is better
};

struct FitHistory {
  explicit FitHistory(Criterion c = Criterion::error) : criterion(c) {}

  Criterion criterion;
  std::vector<FitRecord> records;
  int selected = 0;  // the step with the best validation; 0: none yet
  double best = std::numeric_limits<double>::quiet_NaN();  // its validation

  bool improves(double validation) const {
    if (selected == 0) return std::isfinite(validation);
    return criterion == Criterion::error ? validation < best : validation > best;
  }
  void add(const FitRecord& record) {
    records.push_back(record);
    if (!improves(record.validation)) return;
    best = record.validation;
    selected = record.step;
  }
};

}  // namespace mechfit
