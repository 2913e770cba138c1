#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "mechfit/estimate/kalman/smoother.h"
#include "mechfit/estimate/motion/motion_quadratic.h"
#include "mechfit/fit/smoothed/trainer.h"
#include "mechfit/log/log.h"

namespace mechfit {

// What is known of the forces that are not from the potential or the inputs.
enum class ForceKind { none, network, friction, friction_network };

// How a model is fitted: by estimating the motion and the model together (joint.h), or by one of
// the objectives on smoothed data.
enum class FitMethod { joint, del, acceleration, next_state, gauge_free };

struct FitOptions {
  // smm (networks), trig (trigonometric polynomials), the name of an analytic system
  // (list_systems), or auto: smm and, by joint estimation of up to four joints, trig, whichever
  // makes the held-out runs more likely
  std::string family = "auto";
  FitMethod method = FitMethod::joint;
  double learning_rate = 0.0;  // 0: 0.01
  int epochs = 0;  // passes over the data at most; 0: what joint estimation needs, else 500
  int batch = 256;
  std::uint64_t seed = 0;
  // Widths: tanh, the last one linear when there are three or more; empty: 16, 16 by joint
  // estimation, 32, 32, 32 by the other methods
  std::vector<int> hidden;
  int degree = 0;     // of trig's harmonics; 0: 1 or 2, whichever makes held-out runs more likely
  int ensemble = 1;   // networks that are fitted, which differ in seed and features
  double step = 0.0;  // joint estimation takes samples at least this far apart; 0: chosen
  ForceKind force = ForceKind::friction;
  std::vector<std::string> input_joints;  // the joint that each input pushes; empty: the first ones
  bool learn_inputs = false;              // every entry of B is learned
  SmoothMethod smoother = SmoothMethod::white_jerk;
  bool smoothed = false;  // the log already has positions, velocities and accelerations to train on
  Selection selection = Selection::acceleration;
  int patience = 0;
  std::optional<double> barrier_weight;
  RungeKutta integrator = RungeKutta::midpoint;
  Precision precision = Precision::float64;  // float32: networks on smoothed data train faster
  bool scale = true;                         // take scales from the data and weigh errors per joint
  std::map<std::string, double> fix;         // constants of an analytic system that are known
};

struct FitProgress {
  const EpochRecord& record;
  int epochs;
  double best_validation;
  std::string what;  // is being fitted, where there is more than one: trig, smm ...
};

struct FitHooks {
  // After every epoch; false ends the fit there.
  std::function<bool(const FitProgress&)> progress;
  // After every epoch: what `resume` needs to go on to the identical result.
  std::function<void(const TrainState&)> checkpoint;
  const TrainState* resume = nullptr;
};

struct FitResult {
  Model model;
  Channels channels;
  Log train, validation;  // the observed runs on either side
  TrainState state;
  bool finished = false;  // not ended by the progress hook
  std::vector<std::string> notes;

  // Of joint estimation:
  std::vector<Model> members;      // of an ensemble, `model` the first; else empty
  std::vector<double> covariance;  // of theta [p][p], for families with few parameters
  MotionNoise noise;               // of the observations and of the model
};

// From a log of observed positions to a model: holds runs out (unless `validation` is given),
// smooths, trains and selects. The same log, options and seed give the same bits whatever the
// number of threads.
FitResult fit(const Log& observed, const std::optional<Log>& validation, const FitOptions& options,
              ThreadPool& pool, const FitHooks& hooks = {});

// Of the data and the options: what a checkpoint or a model belongs to.
std::string fingerprint(const Log& observed, const std::optional<Log>& validation);

}  // namespace mechfit
