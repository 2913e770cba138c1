#include "mechfit/evaluate/acceleration_error.h"
#include "mechfit/fit/fit.h"
#include "mechfit/log/steps.h"
#include "mechfit/study/methods.h"

namespace mechfit {
namespace {

constexpr int kMembers = 4;  // networks whose accelerations are averaged

// Angles, which the paper's networks see as plain numbers.
Log periodic(Log log) {
  log.channels.joint_types.assign(log.channels.joint_types.size(), JointType::periodic);
  return log;
}

// Test error of the mean of several models' accelerations.
double mean_error(const std::vector<Model>& members, const CellTask& task) {
  const Log test = pick_runs(task.data.truth, task.split.test);
  const MotionPoints points = motion_points(test, InputAtSample::next);
  std::vector<double> mean(points.a.size(), 0.0);
  for (const Model& member : members) {
    const std::vector<double> a = predict_accelerations(member, points, task.pool);
    for (std::size_t i = 0; i < mean.size(); ++i)
      mean[i] += a[i] / static_cast<double>(members.size());
  }
  return compare_accelerations(mean, points).mse;
}

// What `mechfit fit` does with the same runs, with nothing but its defaults.
CellResult fit_cell(const CellTask& task, FitOptions options) {
  options.seed = static_cast<std::uint64_t>(task.cell.seed);
  // The data are the midpoint rule's own, at this step: finer ones would be another machine.
  options.step = median_step(task.data.observed);
  const FitResult fitted =
      fit(periodic(pick_runs(task.data.observed, task.split.train)),
          periodic(pick_runs(task.data.observed, task.split.validation)), options, task.pool);
  CellResult result;
  result.test_error =
      fitted.members.empty() ? test_error(fitted.model, task) : mean_error(fitted.members, task);
  result.validation_error = -fitted.history.best;  // of a log-likelihood
  result.selected_epoch = fitted.history.selected;
  result.details = {{"few_parameters", fitted.model.kind() == ParameterKind::weights ? 0.0 : 1.0},
                    {"parameters", static_cast<double>(fitted.model.parameter_count())}};
  return result;
}

StudyMethod joint_method(const char* name, const char* label, double cost,
                         const std::string& family, int ensemble = 1) {
  return {name, label, false, cost, [family, ensemble](const CellTask& task) {
            FitOptions options;
            options.family = family.empty() ? task.data.equations : family;
            options.ensemble = ensemble;
            return fit_cell(task, options);
          }};
}

}  // namespace

std::vector<StudyMethod> beyond_methods() {
  std::vector<StudyMethod> methods = paper_methods();
  methods.push_back(joint_method("joint-smm", "joint, network", 3.0, "smm"));
  methods.push_back(joint_method("joint-ensemble", "joint, 4 networks", 12.0, "smm", kMembers));
  methods.push_back(joint_method("joint-trig", "joint, trig", 1.0, "trig"));
  methods.push_back(joint_method("joint-auto", "joint, auto", 4.0, "auto"));
  methods.push_back(joint_method("joint-system", "joint, true equations", 0.2, ""));
  return methods;
}

}  // namespace mechfit
