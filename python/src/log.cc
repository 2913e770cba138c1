#include <pybind11/stl.h>

#include "arrays.h"
#include "bindings.h"
#include "mechfit/files/csv.h"
#include "mechfit/files/files.h"
#include "mechfit/log/prepare.h"

namespace mechfit::python {
namespace {

// The arrays of a run, by their names in Python.
struct Field {
  const char* name;
  std::vector<double> Trajectory::*values;
  bool input;
};
constexpr Field kFields[] = {
    {"q", &Trajectory::q, false},          {"u", &Trajectory::u, true},
    {"qd", &Trajectory::qd, false},        {"qdd", &Trajectory::qdd, false},
    {"q_sd", &Trajectory::q_sd, false},    {"qd_sd", &Trajectory::qd_sd, false},
    {"qdd_sd", &Trajectory::qdd_sd, false}};

Trajectory make_run(const py::dict& given, const Channels& channels) {
  Trajectory run;
  run.name = py::cast<std::string>(given["name"]);
  const std::string where = "run '" + run.name + "': ";
  run.t = values(series(given["t"], (where + "t").c_str()));
  for (std::size_t k = 1; k < run.t.size(); ++k)
    if (run.t[k] <= run.t[k - 1])
      throw py::value_error(where + "t[" + std::to_string(k) + "] is not above the time before");
  for (const Field& field : kFields) {
    if (!given.contains(field.name)) continue;
    const std::string name = where + field.name;
    const Array x =
        numbers(given[field.name], field.input ? channels.m() : channels.n(), name.c_str());
    if (x.ndim() != 2 || x.shape(0) != static_cast<py::ssize_t>(run.t.size()))
      throw py::value_error(name + " has " + std::to_string(x.ndim() == 2 ? x.shape(0) : x.ndim()) +
                            (x.ndim() == 2 ? " rows, t has " : " axes, expected 2; t has ") +
                            std::to_string(run.t.size()) + " samples");
    run.*field.values = values(x);
  }
  return run;
}

// `prepared`: the runs are those of another log, to be taken as they are.
ReadLog log_from_arrays(const std::vector<py::dict>& runs, Channels channels, bool prepared,
                        const py::dict& keywords) {
  const ReadOptions options = read_options(read_table(), keywords);
  ReadLog out;
  for (const py::dict& run : runs) out.log.runs.push_back(make_run(run, channels));
  out.log.channels = std::move(channels);
  if (!prepared) prepare_log(out.log, options, out.notes);
  if (out.log.runs.empty()) throw py::value_error("no run of three samples or more");
  return out;
}

ReadLog log_from_text(const std::string& text, const std::string& name, const py::dict& keywords) {
  const ReadOptions options = read_options(read_table(), keywords);
  ReadLog out;
  out.log = parse_csv(text, name, options, out.notes);
  for (Trajectory& run : out.log.runs)
    if (run.name.empty()) run.name = name;
  prepare_log(out.log, options, out.notes);
  if (out.log.runs.empty()) throw py::value_error(name + ": no run of three samples or more");
  return out;
}

ReadLog read(const std::vector<std::string>& files, const py::dict& keywords) {
  const ReadOptions options = read_options(read_table(), keywords);
  const py::gil_scoped_release release;
  ReadResult result = read_log(files, options);
  return {std::move(result.log), std::move(result.notes)};
}

py::dict run_arrays(const ReadLog& self, int index) {
  const Trajectory& run = self.log.runs.at(static_cast<std::size_t>(index));
  py::dict out;
  out["name"] = run.name;
  out["t"] = py::array_t<double>(static_cast<py::ssize_t>(run.t.size()), run.t.data());
  for (const Field& field : kFields)
    if (!(run.*field.values).empty())
      out[field.name] = matrix(run.*field.values, field.input ? self.log.m() : self.log.n());
  return out;
}

// What `mechfit inspect` says, with the samples that no motion explains.
Inspection inspection_of(const ReadLog& self) {
  ThreadPool pool(default_threads());
  return inspect_log(self.log, pool);
}

std::vector<std::string> type_names(const ReadLog& self) {
  std::vector<std::string> out;
  for (const JointType type : self.log.channels.joint_types) out.push_back(name_of(type));
  return out;
}

Channels make_channels(std::vector<std::string> joints, const std::vector<std::string>& types,
                       std::vector<std::string> units, std::vector<std::string> inputs) {
  Channels channels{std::move(joints), {}, std::move(units), std::move(inputs)};
  for (const std::string& type : types)
    channels.joint_types.push_back(Convert<JointType>::from(py::str(type), "joints", {}));
  return channels;
}

}  // namespace

const std::vector<Option<ReadOptions>>& read_table() {
  using O = ReadOptions;
  static const std::vector<Option<O>> table = {
      option<O>("columns", &O::columns, "Names of the columns of a CSV file without a header"),
      option<O>("topic", &O::topic,
                "Topic of an MCAP or rosbag2 file (guessed: the one with joint states)"),
      option<O>("time", &O::time, "Column of time (guessed: t, time, t_s ...)"),
      option<O>("time_unit", &O::time_unit,
                "Unit of the clock (default: what the column's name or the stamps say)"),
      option<O>("reclock", &O::reclock,
                "Samples were taken evenly: replace stamps that jitter by an even clock"),
      option<O>("q", &O::q,
                "Columns of the joints (guessed: q1, q2 ..., *_rad, *_m, joint states)"),
      option<O>("u", &O::u,
                "Columns of the inputs, or none (guessed: u1, u2 ..., efforts of joint states)"),
      option<O>("qd", &O::qd, "Columns of velocities, where known (guessed: qd1 ...)"),
      option<O>("qdd", &O::qdd, "Columns of accelerations, where known (guessed: qdd1 ...)"),
      option<O>("trajectory", &O::trajectory,
                "Column that names the run (guessed: trajectory, run, episode)"),
      option<O>("joints", &O::joint_types,
                "Types of the joints, periodic or plain: one for all, or one for each"),
      option<O>("degrees", &O::degrees, "Joints whose names give no unit are in degrees"),
      option<O>("drop_bad_rows", &O::drop_bad_rows,
                "Leave out rows that cannot be read instead of stopping"),
      option<O>("gap", &O::gap,
                "Split a run at steps longer than this many median steps; 0: never (default: at "
                "steps that the motion does not bridge)",
                {0, 1e300}),
  };
  return table;
}

void bind_log(py::module_& m) {
  py::class_<Channels>(m, "Channels")
      .def(py::init(&make_channels), py::arg("joints"), py::arg("types"), py::arg("units"),
           py::arg("inputs"));
  py::class_<ReadLog>(m, "Log")
      .def_property_readonly("joints", [](const ReadLog& s) { return s.log.channels.joints; })
      .def_property_readonly("types", &type_names)
      .def_property_readonly("units", [](const ReadLog& s) { return s.log.channels.units; })
      .def_property_readonly("inputs", [](const ReadLog& s) { return s.log.channels.inputs; })
      .def_property_readonly("notes", [](const ReadLog& s) { return with_keywords(s.notes); })
      .def_property_readonly("runs", [](const ReadLog& s) { return s.log.runs.size(); })
      .def("run", &run_arrays, py::arg("index"))
      .def("warnings",
           [](const ReadLog& s) { return with_keywords(texts_of(inspection_of(s).warnings)); })
      .def("text",
           [](const ReadLog& s) { return with_keywords(inspection_text(s.log, inspection_of(s))); })
      .def(
          "save",
          [](const ReadLog& s, const std::string& path, bool overwrite) {
            refuse_overwrite(path, overwrite);
            write_log(path, s.log);
          },
          py::arg("path"), py::arg("overwrite"));
  m.def("read", &read, py::arg("files"), py::arg("options"));
  m.def("log_from_text", &log_from_text, py::arg("text"), py::arg("name"), py::arg("options"));
  m.def("log_from_arrays", &log_from_arrays, py::arg("runs"), py::arg("channels"),
        py::arg("prepared"), py::arg("options"));
  m.def("read_options", [] { return describe_options(read_table()); });
}

}  // namespace mechfit::python
