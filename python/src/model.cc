#include <pybind11/stl.h>

#include "arrays.h"
#include "bindings.h"
#include "mechfit/files/files.h"

namespace mechfit::python {
namespace {

std::unique_ptr<FittedModel> from_record(ModelRecord record) {
  return std::make_unique<FittedModel>(std::move(record));
}

std::unique_ptr<FittedModel> from_bytes(const py::bytes& bytes) {
  return from_record(parse_model(std::string(bytes), "model"));
}

void save(const FittedModel& self, const std::string& path, bool overwrite) {
  save_model(path, *self.record, overwrite);
}

// What the file lacks, "" for nothing.
std::string export_to(const FittedModel& self, const std::string& path,
                      const std::optional<std::string>& target, const std::string& name,
                      const std::string& precision, bool overwrite) {
  std::optional<ExportTarget> wanted;
  if (target) wanted = Convert<ExportTarget>::from(py::str(*target), "target", {});
  const ExportTarget found = export_target(path, wanted);
  refuse_overwrite(path, overwrite);
  const CExportOptions options{name.empty() ? c_name(path) : name,
                               Convert<Precision>::from(py::str(precision), "precision", {})};
  const py::gil_scoped_release release;
  const ExportedModel exported = export_model(*self.record, found, options);
  write_file_atomically(path, exported.bytes);
  return exported.note;
}

py::list model_constants(const FittedModel& self) {
  py::list out;
  for (const ModelValue& value : model_values(*self.record))
    out.append(py::make_tuple(value.name, value.value, value.error, value.unit, value.given));
  return out;
}

py::list model_contacts(const FittedModel& self) {
  py::list out;
  for (const Contact& c : self.record->contacts) {
    const bool plane = c.shape == ContactShape::half_plane;
    const py::object joint =
        plane ? py::object(py::none()) : py::cast(self.record->channels.joints[c.joint]);
    const std::string& unit = plane ? "m" : self.record->channels.units[c.joint];
    out.append(py::make_tuple(c.name, name_of(c.shape), joint, c.position, c.position_error,
                              c.restitution, c.restitution_error, c.friction, c.friction_error,
                              unit));
  }
  return out;
}

const FittedModel::Fit& fit_of(const FittedModel& self, const char* what) {
  if (!self.fit)
    throw py::value_error(std::string(what) +
                          " needs the runs that a fit held out, which a model file does not keep");
  return *self.fit;
}

void report(const FittedModel& self, const std::string& folder, const std::string& settings,
            int threads) {
  const FittedModel::Fit& fit = fit_of(self, "report");
  const py::gil_scoped_release release;
  ThreadPool pool(threads);
  write_fit_report(folder, fit.result, fit.held_out, fit.scores,
                   {{"Options, as keywords of Python", settings}}, pool);
}

// The scores of a log, as JSON.
std::string score(const FittedModel& self, const ReadLog& log, const py::dict& keywords,
                  int threads) {
  const EvaluateOptions options = read_options(evaluate_table(), keywords);
  const py::gil_scoped_release release;
  ThreadPool pool(threads);
  return scores_json(evaluate(ensemble_of(*self.record), log.log, options, pool));
}

ReadLog read_for(const FittedModel& self, const std::vector<std::string>& files,
                 const py::dict& keywords) {
  ReadResult result = read_log_for(*self.record, files, read_options(read_table(), keywords));
  return {std::move(result.log), std::move(result.notes)};
}

// q, v and their standard deviations (None where not known), [lead..., T, n] each.
py::tuple simulate(const FittedModel& self, py::handle q0, py::handle v0, py::handle t,
                   py::handle u, const std::string& integrator, int substeps, bool deviations,
                   int threads) {
  const py::ssize_t n = self.n(), m = self.m();
  Arguments common;
  Array q = numbers(q0, n, "q0"), v = numbers(v0, n, "v0"), input = Array(Shape{0, m});
  common.include(q, "q0");
  common.include(v, "v0");
  const std::vector<double> times = values(series(t, "t"));
  const auto samples = static_cast<py::ssize_t>(times.size());
  if (samples < 2) throw py::value_error("t has fewer than 2 samples");
  for (std::size_t k = 1; k < times.size(); ++k)
    if (times[k] <= times[k - 1])
      throw py::value_error("t[" + std::to_string(k) + "] is not above the time before");
  if (!u.is_none()) {
    input = numbers(u, m, "u");
    common.include(input, "u", 2);
    const py::ssize_t rows = input.shape(input.ndim() - 2);
    if (rows != samples && rows != samples - 1)
      throw py::value_error("u has " + std::to_string(rows) + " rows, expected " +
                            std::to_string(samples) +
                            ", or one less: the last one acts on no step");
    input = common.spread(input, 2);
  }
  q = common.spread(q);
  v = common.spread(v);
  const py::ssize_t rows = input.shape(input.ndim() - 2);
  std::vector<RolloutStart> starts;
  for (py::ssize_t k = 0; k < common.count; ++k) {
    RolloutStart start;
    start.name = common.lead.empty() ? "motion" : "motion " + common.index(k);
    start.t = times;
    start.q0.assign(q.data() + k * n, q.data() + (k + 1) * n);
    start.v0.assign(v.data() + k * n, v.data() + (k + 1) * n);
    if (rows > 0)
      start.u.assign(input.data() + k * rows * m, input.data() + (k * rows + samples - 1) * m);
    // A line to the last sample acts on the last step.
    if (rows == samples && m > 0 && !self.record->timing.as_logged())
      start.input = std::make_shared<const ActingInput>(
          times, std::vector(input.data() + k * rows * m, input.data() + (k + 1) * rows * m),
          static_cast<int>(m), self.record->timing);
    starts.push_back(std::move(start));
  }
  RolloutOptions options;
  options.integrator = Convert<Integrator>::from(py::str(integrator), "integrator", {});
  options.substeps = substeps;
  options.deviations = deviations;
  RolloutResult result;
  {
    const py::gil_scoped_release release;
    ThreadPool pool(threads);
    result = roll_out(*self.record, starts, options, pool);
  }
  Array out[4];
  for (Array& x : out) x = common.make({samples, n});
  bool known = deviations;
  for (std::size_t k = 0; k < starts.size(); ++k) {
    const Trajectory& run = result.log.runs[k];
    if (result.status[k] != StepStatus::ok)
      throw py::value_error(starts[k].name + " stopped after " +
                            std::to_string(run.t.empty() ? 0 : run.t.back() - times[0]) +
                            " s: " + describe(result.status[k]));
    const auto store = [&](Array& to, const std::vector<double>& from) {
      std::copy(from.begin(), from.end(), to.mutable_data() + static_cast<long>(k) * samples * n);
    };
    store(out[0], run.q);
    store(out[1], run.qd);
    known = known && !run.q_sd.empty();
    if (known) store(out[2], run.q_sd);
    if (known) store(out[3], run.qd_sd);
  }
  if (!known) return py::make_tuple(out[0], out[1], py::none(), py::none());
  return py::make_tuple(out[0], out[1], out[2], out[3]);
}

std::vector<std::string> type_names(const FittedModel& self) {
  std::vector<std::string> out;
  for (const JointType type : self.record->channels.joint_types) out.push_back(name_of(type));
  return out;
}

}  // namespace

const std::vector<Option<EvaluateOptions>>& evaluate_table() {
  using O = EvaluateOptions;
  static const std::vector<Option<O>> table = {
      option<O>(
          "horizons", [](O & o) -> auto& { return o.rollout.horizons; },
          "Seconds after which rollouts are compared (default: chosen from the motion)", kPositive),
      option<O>(
          "start_every", [](O & o) -> auto& { return o.rollout.start_every; },
          "Seconds between starts of rollouts (default: evenly over the log)", kPositive),
      option<O>("most_starts", [](O & o) -> auto& { return o.rollout.most_starts; },
                "Number of rollouts at most", {1, 1e6}),
      option<O>(
          "substeps", [](O & o) -> auto& { return o.rollout.substeps; },
          "Inner steps of rollouts per step of the log (default: as fine as the model was fitted)",
          {1, 10000}),
      option<O>("start", &O::start,
                "States that rollouts start from: estimated from the samples before, or logged"),
      option<O>("window", &O::window, "Samples that an estimated start rests on", {5, 1e6}),
      option<O>("smoother", &O::smoother,
                "Method that estimates velocities and accelerations where the log has none"),
      option<O>("keep_all", &O::keep_all,
                "Keep outliers, stale ends of runs and held values, which do not judge a model "
                "otherwise"),
  };
  return table;
}

void bind_model(py::module_& m) {
  py::class_<FittedModel> model(m, "Model");
  model
      .def_static(
          "load", [](const std::string& path) { return from_record(load_model(path)); },
          py::arg("path"))
      .def_static("from_bytes", &from_bytes, py::arg("data"))
      .def("to_bytes", [](const FittedModel& s) { return py::bytes(format_model(*s.record)); })
      .def("save", &save, py::arg("path"), py::arg("overwrite"))
      .def("export", &export_to, py::arg("path"), py::arg("target"), py::arg("name"),
           py::arg("precision"), py::arg("overwrite"))
      .def_property_readonly("joints",
                             [](const FittedModel& s) { return s.record->channels.joints; })
      .def_property_readonly("types", &type_names)
      .def_property_readonly("units", [](const FittedModel& s) { return s.record->channels.units; })
      .def_property_readonly("inputs",
                             [](const FittedModel& s) { return s.record->channels.inputs; })
      .def_property_readonly("family",
                             [](const FittedModel& s) { return s.record->model.family(); })
      .def_property_readonly("metadata", [](const FittedModel& s) { return s.record->metadata; })
      .def_property_readonly("members",
                             [](const FittedModel& s) { return s.record->members.size(); })
      .def("describe", [](const FittedModel& s) { return describe_model(*s.record); })
      .def("text", [](const FittedModel& s) { return model_text(*s.record); })
      .def("constants", &model_constants)
      .def("contacts", &model_contacts)
      .def_property_readonly("notes",
                             [](const FittedModel& s) {
                               return s.fit ? with_keywords(s.fit->result.notes)
                                            : std::vector<std::string>();
                             })
      .def_property_readonly("interrupted",
                             [](const FittedModel& s) {
                               return s.fit && s.fit->result.status == FitStatus::interrupted;
                             })
      .def("held_out",
           [](const FittedModel& s) {
             return s.fit ? std::optional(ReadLog{s.fit->held_out.observed, {}}) : std::nullopt;
           })
      .def("report", &report, py::arg("folder"), py::arg("settings"), py::arg("threads"))
      .def("score", &score, py::arg("log"), py::arg("options"), py::arg("threads"))
      .def("read", &read_for, py::arg("files"), py::arg("options"))
      .def("simulate", &simulate, py::arg("q0"), py::arg("v0"), py::arg("t"), py::arg("u"),
           py::arg("integrator"), py::arg("substeps"), py::arg("deviations"), py::arg("threads"));
  bind_dynamics(model);
  m.def("evaluate_options", [] { return describe_options(evaluate_table()); });
}

}  // namespace mechfit::python
