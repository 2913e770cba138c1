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
// Smoothed motions are soon left. Effects on errors, on the logs of joint_problem.h: held 75 and
// 300 within 9 %; held_s 0.3 0 to +14 %, 3 -9 to +51 %; moving 500 -3 to +24 % in two thirds of the
// time, 2000 -8 to +24 %; first_s 0.2 +4 to +26 %, 1.8 -36 to +2 %.
inline constexpr SchedulePlan kFromSmoothed = {150, 1, 1000, 0.6};
// Motions that another family made obey some mechanics already. held 500 +18 to +36 % in 0.7 of the
// time, 2000 -4 to -23 % in 1.5 times as long; held_s 0.03 -18 to +6 %, 0.3 +27 to +110 %; moving
// 100 and 400 within 8 %; first_s 0.03 -17 to +81 %, 0.3 +1 to +29 %.
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
