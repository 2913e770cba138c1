#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "mechfit/estimate/kalman/smoother.h"
#include "mechfit/integrate/rollout.h"
#include "mechfit/log/input_timing.h"
#include "mechfit/mechanics/families/start.h"

namespace mechfit {

// How a model is fitted: by estimating the motion and the model together (joint.h), or by one of
// the objectives on smoothed data (objectives.h).
enum class FitMethod { joint, del, acceleration, next_state, gauge_free, torque };
template <>
inline constexpr auto kNames<FitMethod> = names<FitMethod>({{FitMethod::joint, "joint"},
                                                            {FitMethod::del, "del"},
                                                            {FitMethod::acceleration,
                                                             "acceleration"},
                                                            {FitMethod::next_state, "next-state"},
                                                            {FitMethod::gauge_free, "gauge-free"},
                                                            {FitMethod::torque, "torque"}});

// By what the best parameters are chosen on smoothed validation runs.
enum class Selection {
  acceleration,  // predicted against smoothed accelerations, the paper's rule
  objective      // the training objective itself
};
template <>
inline constexpr auto kNames<Selection> = names<Selection>(
    {{Selection::acceleration, "acceleration"}, {Selection::objective, "objective"}});

// What a machine may hit.
enum class ContactOption {
  none,       // nothing: as if there were no contacts
  automatic,  // what the log shows of both, where held-out runs become more likely
  stops,      // stops of joints, without that question
  floor       // floors, walls and ceilings of machines that move in a plane, without it
};
template <>
inline constexpr auto kNames<ContactOption> =
    names<ContactOption>({{ContactOption::none, "none"},
                          {ContactOption::automatic, "auto"},
                          {ContactOption::stops, "stops"},
                          {ContactOption::floor, "floor"}});

struct FitOptions {
  // smm (networks), trig (trigonometric polynomials), arm (rigid bodies, needs `robot`), the name
  // of an analytic system (list_systems), or auto: those that take part by themselves (families.h),
  // whichever makes the held-out runs most likely
  std::string family = "auto";
  FitMethod method = FitMethod::joint;
  double learning_rate = 0.0;  // 0: 0.01
  int epochs = 0;  // passes over the data at most; 0: what joint estimation needs, else 500
  int batch = 256;
  std::uint64_t seed = 0;
  // Widths: tanh, the last one linear when there are three or more; empty: 16, 16 by joint
  // estimation, 32, 32, 32 by the other methods
  std::vector<int> hidden;
  int degree = 0;    // of trig's harmonics; 0: 1 or 2, whichever makes held-out runs more likely
  int ensemble = 1;  // networks that are fitted, which differ in seed and features
  // Joint estimation: no cross-validation, one held-out part and the sum of its log-likelihood
  // decide between families
  bool quick = false;
  // Outliers, stale ends of runs and held values (cleaning.h), and observations that the model
  // contradicts (contradictions.h), are not taken out; nor are they from a log that is `smoothed`
  bool keep_all = false;
  double step = 0.0;  // of the motions that joint estimation finds: longer than the samples' thins
                      // the log, shorter puts unobserved nodes between them; 0: chosen
  ForceKind force = ForceKind::friction;
  // Terms of friction, where `force` has it: viscous, coulomb, offset, asymmetric, stribeck,
  // position, joined by '+' (friction.h), none, or auto: viscous+coulomb
  std::string friction = "auto";
  std::vector<std::string> input_joints;  // the joint that each input pushes; empty: the first ones
  bool learn_inputs = false;              // every entry of B is learned
  bool learn_gains = false;               // what each input is worth in units of the first
  // How inputs act (input_timing.h). Without a value joint estimation takes what is most likely,
  // the other methods held inputs that act at once.
  std::optional<InputHold> input_hold;
  std::optional<double> input_delay;      // [s]
  std::optional<double> input_lag = 0.0;  // of the actuator [s]
  SmoothMethod smoother = SmoothMethod::white_jerk;
  bool smoothed = false;  // the log already has positions, velocities and accelerations to train on
  Selection selection = Selection::acceleration;
  int patience = 0;
  std::optional<double> barrier_weight;
  Integrator integrator = Integrator::midpoint;  // of next-state regression, or rk4
  Precision precision = Precision::float64;      // float32: networks on smoothed data train faster
  bool scale = true;                  // take scales from the data and weigh errors per joint
  std::map<std::string, double> fix;  // constants of an analytic system that are known
  ContactOption contacts = ContactOption::none;  // joint estimation only
  // Geometry of the machine and what its links start from; with it family arm takes part
  std::shared_ptr<const ArmDescription> robot;
};

}  // namespace mechfit
