#pragma once

#include <string>
#include <vector>

#include "mechfit/base/thread_pool.h"
#include "mechfit/evaluate/predictions.h"
#include "mechfit/evaluate/scores.h"
#include "mechfit/evaluate/starts.h"
#include "mechfit/integrate/rollout.h"
#include "mechfit/log/acting_input.h"
#include "mechfit/mechanics/model_file.h"

namespace mechfit {

struct RolloutOptions {
  Integrator integrator = Integrator::variational;
  int substeps = 0;        // inner steps per sample; 0: as fine as the model was fitted, and finer
                           // where the motion asks for it
  bool deviations = true;  // predict how far the motions may be off: 40 times the work
};

// One simulation: where it starts, its samples and what acts between them.
struct RolloutStart {
  std::string name;
  std::vector<double> t;       // [T]
  std::vector<double> q0, v0;  // [n]
  std::vector<double> u;       // [T-1][m] as logged, they act as the model's timing says
  std::shared_ptr<const ActingInput> input = {};  // instead of u where it is not null
  DrawnStates drawn = {};  // states as likely as q0 and v0, where these are estimates
};

struct RolloutResult {
  Log log;                                        // q, qd, qdd and u, as far as each simulation got
  std::vector<StepStatus> status;                 // [runs]
  std::vector<std::vector<ContactEvent>> events;  // [runs] impacts, where the model has contacts
  std::vector<double> leaves;  // [runs] when the motion leaves the region that the model's data
                               // covered [s]; NaN: never, or the region is not known
};

// Of an ensemble the mean. Standard deviations are those of predictions (predictions.h), where the
// model file says what is unsure about the model.
RolloutResult roll_out(const ModelRecord& record, const std::vector<RolloutStart>& starts,
                       const RolloutOptions& options, ThreadPool& pool);

// The state of each run's first possible start: estimated by the model from the `window` samples
// before, or as logged. InputError for a run that is too short or has no velocities.
// Estimated ones also as `drawn` for predictions, where that is given; on steps of `grid`.
Starts run_states(const Model& model, const Log& log, StartKind kind, int window, ThreadPool& pool,
                  std::vector<Starts>* drawn = nullptr, double grid = 0);

// From the starts' states, with the steps and inputs of their runs, for `horizon` seconds or to the
// end of the run.
std::vector<RolloutStart> starts_of(const Model& model, const Log& log, const Starts& starts,
                                    double horizon, std::span<const Starts> drawn = {});

// From positions, or positions and velocities, with even steps and no inputs. InputError when the
// numbers do not fit the model.
RolloutStart start_from(const Model& model, const std::vector<double>& state, double horizon,
                        double step);

// Takes samples and inputs from what read_inputs_for read, for `horizon` seconds.
void take_inputs(const Log& inputs, const InputTiming& timing, double horizon, RolloutStart& start);

}  // namespace mechfit
