#pragma once

namespace mechfit {

// How the joint fit of a network proceeds. It begins with the motions held, then moves them with
// every step. s falls, in units of the accelerations: its most likely value, right for families
// with few parameters, would follow a network into overfitting.
struct SchedulePlan {
  int held;        // steps with the motions held
  double held_s;   // where s arrives, from 1, after half of them
  int moving;      // steps that move the motions
  double first_s;  // of those; falls to a tenth of the accelerations
};
// Smoothed motions are soon left. Those that another family made obey some mechanics already.
inline constexpr SchedulePlan kFromSmoothed = {150, 1, 1000, 0.6};
inline constexpr SchedulePlan kFromPrepared = {1000, 0.1, 200, 0.1};

class Schedule {
 public:
  // steps: of the whole fit, 0: as the plan says.
  Schedule(SchedulePlan plan, int steps);

  int steps() const { return steps_; }
  bool held(int step) const { return step <= plan_.held; }
  bool last_held(int step) const { return step == plan_.held; }
  double s_at(int step) const;     // in units of the accelerations
  double rate_at(int step) const;  // in units of the first learning rate

 private:
  int falling() const;  // moving steps in which s and the rate fall

  SchedulePlan plan_;
  int steps_;
};

}  // namespace mechfit
