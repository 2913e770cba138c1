#include "mechfit/study/methods.h"

#include "mechfit/base/error.h"
#include "mechfit/evaluate/acceleration_error.h"
#include "mechfit/fit/smoothed/trainer.h"
#include "mechfit/mechanics/families/smm/smm.h"

namespace mechfit {
namespace {

// The paper's model: three hidden layers of 32 (tanh, tanh, linear) in physical units, conservative
// for undamped data, a force network of (q, v) for damped. Methods and rates of one seed start from
// the same networks.
Smm initial_model(const CellTask& task) {
  SmmConfig config;
  config.joints = task.data.observed.channels.joint_types;
  config.force_network = task.cell.system == "damped";
  Smm smm(config);
  Random random(static_cast<std::uint64_t>(task.cell.seed));
  smm.initialise(random);
  return smm;
}

CellResult train(const CellTask& task, FitMethod method) {
  TrainOptions options;
  options.objective.method = method;
  options.learning_rate = task.cell.rate;
  options.epochs = task.settings.epochs;
  options.seed = static_cast<std::uint64_t>(task.cell.seed);
  options.barrier_share = task.settings.barrier_share;
  const Samples training = make_samples(pick_runs(task.data.smoothed, task.split.train));
  const Samples validation = make_samples(pick_runs(task.data.smoothed, task.split.validation));
  Trainer trainer(Model(initial_model(task)), training, validation, options, task.pool);
  double halvings = 0, rejected = 0;
  while (!trainer.done()) {
    const FitRecord& record = trainer.epoch();
    halvings += record.halvings;
    rejected += record.rejected;
  }
  CellResult result;
  result.test_error = test_error(trainer.best(), task);
  result.validation_error = trainer.state().history.best;
  result.selected_epoch = trainer.state().history.selected;
  result.details = {{"rejected_steps", rejected}};
  if (method == FitMethod::del) {
    result.details.emplace_back("halved_steps", halvings);
    result.details.emplace_back("alpha", trainer.state().alpha);
    result.details.emplace_back("mu", trainer.state().mu);
  }
  return result;
}

StudyMethod paper_method(const char* label, double cost, FitMethod method) {
  return {name_of(method), label, true, cost,
          [method](const CellTask& task) { return train(task, method); }};
}

}  // namespace

std::vector<StudyMethod> paper_methods() {
  return {paper_method("DEL", 2.0, FitMethod::del),
          paper_method("acceleration", 1.0, FitMethod::acceleration),
          paper_method("next-state", 1.7, FitMethod::next_state)};
}

const StudyMethod& find_method(const std::vector<StudyMethod>& methods, const std::string& name) {
  std::string known;
  for (const StudyMethod& method : methods) {
    if (method.name == name) return method;
    known += (known.empty() ? "" : ", ") + method.name;
  }
  throw InputError("unknown method '" + name + "', expected one of " + known);
}

std::vector<Cell> make_cells(const Grid& grid, const std::vector<StudyMethod>& methods) {
  std::vector<Cell> cells;
  const std::vector<double> no_rate = {0.0};
  for (const std::string& system : grid.systems)
    for (const double noise : grid.noises)
      for (const std::string& method : grid.methods)
        for (const double rate : find_method(methods, method).has_rate ? grid.rates : no_rate)
          for (int seed = 0; seed < grid.seeds; ++seed)
            cells.push_back({system, noise, method, rate, seed});
  return cells;
}

double test_error(const Model& model, const CellTask& task) {
  const Log test = pick_runs(task.data.truth, task.split.test);
  return acceleration_mse(model, motion_points(test, InputAtSample::next), task.pool);
}

}  // namespace mechfit
