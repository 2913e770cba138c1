#include <pybind11/stl.h>

#include "bindings.h"
#include "mechfit/log/fingerprint.h"

namespace mechfit::python {
namespace {

// Calls back into Python from a fit that runs without the interpreter's lock. Ctrl-C ends the fit
// there; whatever else the callback raises is raised again when it has ended.
class Watcher {
 public:
  explicit Watcher(py::object progress) : progress_(std::move(progress)) {}

  bool operator()(const FitProgress& p) {
    const py::gil_scoped_acquire acquire;
    try {
      if (!progress_.is_none())
        progress_(static_cast<double>(p.record.step) / p.steps, p.what, p.record.step,
                  p.record.objective, p.criterion == Criterion::error, p.record.validation, p.best);
      if (PyErr_CheckSignals() != 0) throw py::error_already_set();
      return true;
    } catch (py::error_already_set& error) {
      if (error.matches(PyExc_KeyboardInterrupt))
        interrupted = true;
      else
        error_ = std::current_exception();
      return false;
    }
  }
  void raise_again() const {
    if (error_) std::rethrow_exception(error_);
  }
  bool interrupted = false;

 private:
  py::object progress_;
  std::exception_ptr error_;
};

// As the command line does: the description's joints that the log has.
FitOptions settle(FitKeywords keywords, const Log& log, std::vector<std::string>& notes) {
  if (keywords.robot_file.empty()) {
    if (!keywords.robot_joints.empty())
      throw py::value_error("robot_joints names joints of a description: give robot too");
    return keywords;
  }
  MatchedRobot matched = match_joints(read_robot(keywords.robot_file), log.channels.joints,
                                      keywords.robot_joints, keywords.robot_file);
  keywords.robot = std::make_shared<const ArmDescription>(std::move(matched.robot));
  notes = std::move(matched.notes);
  return keywords;
}

// Reads, fits and scores as the command line does, so that both write the same model file.
std::unique_ptr<FittedModel> fit_log(const ReadLog& log, const ReadLog* validation,
                                     const py::dict& keywords, int threads,
                                     const py::object& progress, const py::object& fit_error) {
  std::vector<std::string> notes;
  const FitOptions options = settle(read_options(fit_table(), keywords), log.log, notes);
  Watcher watcher(progress);
  FitHooks hooks;
  hooks.progress = [&](const FitProgress& p) { return watcher(p); };
  const std::optional<Log> held_back = validation ? std::optional(validation->log) : std::nullopt;
  std::unique_ptr<FittedModel> out;
  FitStatus status = FitStatus::finished;
  {
    const py::gil_scoped_release release;
    ThreadPool pool(threads);
    FitResult result = fit(log.log, held_back, options, pool, hooks);
    status = result.status;
    result.notes.insert(result.notes.begin(), notes.begin(), notes.end());
    if (found_model(status)) {
      ModelRecord record = fit_record(result, options);
      EvaluationData held_out = held_out_data(result, pool);
      Scores scores = score_fit(record, held_out, result, pool);
      add_scores(scores, fingerprint(log.log, held_back), record);
      out = std::make_unique<FittedModel>(std::move(record));
      out->fit = std::make_shared<FittedModel::Fit>(
          FittedModel::Fit{std::move(result), std::move(held_out), std::move(scores)});
    }
  }
  watcher.raise_again();
  if (out) return out;
  if (watcher.interrupted)
    PyErr_SetNone(PyExc_KeyboardInterrupt);
  else
    PyErr_SetString(fit_error.ptr(), explain(status));
  throw py::error_already_set();
}

ReadLog smooth_log(const ReadLog& log, const FittedModel* model, const std::string& method,
                   int threads) {
  SmoothOptions options;
  options.method = Convert<SmoothMethod>::from(py::str(method), "method", {});
  const py::gil_scoped_release release;
  ThreadPool pool(threads);
  if (model) return {smooth_with_model(ensemble_of(*model->record), log.log, pool).log, {}};
  return {smooth(log.log, options, pool).log, {}};
}

}  // namespace

const std::vector<Option<FitKeywords>>& fit_table() {
  using O = FitKeywords;
  constexpr double kMany = 1e8;
  static const std::vector<Option<O>> table = {
      option<O>("family", &O::family,
                "smm (networks), trig (trigonometric polynomials), arm (rigid bodies), a built-in "
                "system, or auto: whichever of the first three explains the held-out runs better"),
      option<O>("method", &O::method,
                "joint: motion and model together; the others fit smoothed data"),
      option<O>("force", &O::force, "Forces besides potential and inputs"),
      option<O>(
          "friction", &O::friction,
          "Terms of friction, joined by '+': viscous, coulomb, offset (a constant load), "
          "asymmetric (by direction), stribeck (sticking), position (harmonics of the joint), "
          "none, or auto"),
      option<O>("fix", &O::fix, "Known constants of a built-in system, as in {'g': 9.81}"),
      option<O>(
          "robot", &O::robot_file,
          "File that describes the machine, for family arm: URDF, a MuJoCo model, or a table of "
          "modified Denavit-Hartenberg parameters in TOML"),
      option<O>("robot_joints", &O::robot_joints,
                "Joints of the description that the log has, in its order (default: those of the "
                "same names, else all of them)"),
      option<O>(
          "contacts", &O::contacts,
          "What the machine may hit: none, stops of joints, floor (and walls) for the points of a "
          "machine that moves in a plane, or auto: what of both the log shows"),
      option<O>("input_joints", &O::input_joints, "Joint that each input pushes"),
      option<O>("learn_inputs", &O::learn_inputs, "Learn how inputs act on the joints (matrix B)"),
      option<O>("learn_gains", &O::learn_gains,
                "Learn what each input is worth in units of the first (motor currents)"),
      option<O>("input_hold", &O::input_hold,
                "What inputs do between samples, held or linear (default: auto, what is more "
                "likely)"),
      option<O>("input_delay", &O::input_delay,
                "Seconds from the logging of an input until it acts (default: auto, what is most "
                "likely)",
                {0, kLongestInputTime}),
      option<O>("input_lag", &O::input_lag,
                "Seconds T of a first-order actuator, T x' = u - x, between the inputs and the "
                "machine, or auto",
                {0, kLongestInputTime}),
      option<O>("degree", &O::degree,
                "Degree of the harmonics of trig (default: 1 or 2, chosen on held-out runs)",
                {1, 8}),
      option<O>("hidden", &O::hidden,
                "Widths of the hidden layers of networks (default: 16,16, or 32,32,32 on smoothed "
                "data)",
                {1, 65536}),
      option<O>("ensemble", &O::ensemble,
                "Number of networks to fit: their mean predicts, their spread says how surely",
                {1, 1000}),
      option<O>("step", &O::step,
                "Seconds between the nodes of the motions that joint estimation finds (default: "
                "chosen)",
                kPositive),
      option<O>("epochs", &O::epochs, "Passes over the data at most (default: as the method needs)",
                {1, kMany}),
      option<O>("learning_rate", &O::learning_rate, "Initial step size of Adam (default: 0.01)",
                kPositive),
      option<O>("quick", &O::quick,
                "No cross-validation: one part of the log is held out, not each of four in turn"),
      option<O>("keep_all", &O::keep_all,
                "Keep outliers, stale ends of runs and held values, which are taken out otherwise"),
      option<O>("seed", &O::seed,
                "Seed of the networks' start, of shuffling and of the choice of held-out runs",
                {0, 1e18}),
      option<O>("batch", &O::batch, "Samples per step, on smoothed data", {1, kMany}),
      option<O>("smoother", &O::smoother, "Method that finds velocities and accelerations"),
      option<O>("smoothed", &O::smoothed, "The log has q, qd and qdd to train on: do not smooth"),
      option<O>("selection", &O::selection, "Error on validation runs that chooses the epoch"),
      option<O>("patience", &O::patience,
                "Stop after that many epochs without improvement; 0: never", {0, kMany}),
      option<O>("barrier_weight", &O::barrier_weight,
                "Weight mu of the DEL objective's barrier (default: both terms of equal size)",
                kPositive),
      option<O>("integrator", &O::integrator, "Integrator of next-state regression"),
      option<O>("precision", &O::precision,
                "Numbers in which networks compute while they are trained, on smoothed data"),
  };
  return table;
}

void bind_fit(py::module_& m) {
  m.def("fit", &fit_log, py::arg("log"), py::arg("validation"), py::arg("options"),
        py::arg("threads"), py::arg("progress"), py::arg("fit_error"));
  m.def("fit_options", [] { return describe_options(fit_table()); });
  m.def("smooth", &smooth_log, py::arg("log"), py::arg("model"), py::arg("method"),
        py::arg("threads"));
}

}  // namespace mechfit::python
