#include <pybind11/stl.h>

#include "bindings.h"

namespace mechfit::python {

// A number, or the two ends of an interval.
template <>
struct Convert<Interval> {
  static Interval from(py::handle x, const std::string& name, const Bounds& bounds) {
    if (!py::isinstance<py::tuple>(x)) {
      const double value = to_double(x, name, bounds);
      return {value, value};
    }
    const auto ends = py::reinterpret_borrow<py::tuple>(x);
    if (ends.size() != 2) throw py::value_error(name + ": expected a pair (low, high)");
    const Interval interval{to_double(ends[0], name, bounds), to_double(ends[1], name, bounds)};
    if (interval.low > interval.high)
      throw py::value_error(name + ": (low, high) is empty, expected low <= high");
    return interval;
  }
  static py::object to(const Interval& x) { return py::make_tuple(x.low, x.high); }
};

// A pair is one interval, a list has one for each joint.
template <>
struct Convert<std::vector<Interval>> {
  static std::vector<Interval> from(py::handle x, const std::string& name, const Bounds& bounds) {
    if (!py::isinstance<py::list>(x)) return {Convert<Interval>::from(x, name, bounds)};
    std::vector<Interval> out;
    for (const py::handle item : x) out.push_back(Convert<Interval>::from(item, name, bounds));
    return out;
  }
  static py::object to(const std::vector<Interval>&) { return py::none(); }
};

// Lower and upper stop by joint, None where there is none.
template <>
struct Convert<std::vector<JointStops>> {
  static std::vector<JointStops> from(py::handle x, const std::string& name, const Bounds& bounds) {
    const auto wrong = [&] {
      return py::value_error(name +
                             ": expected a dict as in {'q1': (-0.6, 0.4)}, None for no stop");
    };
    if (!py::isinstance<py::dict>(x)) throw wrong();
    std::vector<JointStops> out;
    for (const auto& [joint, ends] : py::reinterpret_borrow<py::dict>(x)) {
      const std::vector<py::object> pair = to_list(ends);
      if (pair.size() != 2) throw wrong();
      JointStops stops{to_text(joint, name), {}, {}};
      if (!pair[0].is_none()) stops.low = to_double(pair[0], name, bounds);
      if (!pair[1].is_none()) stops.high = to_double(pair[1], name, bounds);
      out.push_back(std::move(stops));
    }
    return out;
  }
  static py::object to(const std::vector<JointStops>&) { return py::none(); }
};

namespace {

// The command line's flags of `mechfit simulate`.
struct SimulateKeywords {
  SimulateOptions options;
  std::map<std::string, double> set;
  std::optional<int> links;
  std::vector<Interval> q0, v0;
  std::optional<Interval> frequency;
  ContactSettings contacts;
};

const std::vector<Option<SimulateKeywords>>& simulate_table() {
  using K = SimulateKeywords;
  static const std::vector<Option<K>> table = {
      option<K>("set", &K::set, "Constants of the system, as in {'m': 2.0}"),
      option<K>("links", &K::links, "Number of links of a chain", {1, 64}),
      option<K>("runs", [](K & k) -> auto& { return k.options.runs; }, "Number of runs", {1, 1e6}),
      option<K>("steps", [](K & k) -> auto& { return k.options.steps; },
                "Number of steps of each run", {2, 1e8}),
      option<K>(
          "step", [](K & k) -> auto& { return k.options.h; }, "Length of a step [s]", kPositive),
      option<K>("substeps", [](K & k) -> auto& { return k.options.substeps; },
                "Inner steps per step", {1, 1e6}),
      option<K>(
          "integrator", [](K & k) -> auto& { return k.options.integrator; }, "Integrator"),
      option<K>("q0", &K::q0,
                "Start, uniform in (low, high) or fixed; one for all joints or a list with one for "
                "each (default: angles within a quarter turn of hanging)"),
      option<K>("v0", &K::v0, "Start velocity, likewise (default: 0)"),
      option<K>(
          "input", [](K & k) -> auto& { return k.options.input.signal; },
          "Inputs: none, a chirp, or sines of random frequencies"),
      option<K>(
          "amplitude", [](K & k) -> auto& { return k.options.input.amplitude; },
          "Amplitude of the inputs", kPositive),
      option<K>("frequency", &K::frequency, "Frequencies of the inputs [Hz] (default: (0.1, 2))",
                kPositive),
      option<K>(
          "stops", [](K & k) -> auto& { return k.contacts.stops; },
          "Stops of joints, as in {'q1': (-0.6, 0.4)}; None for an end without one"),
      option<K>("floor", [](K & k) -> auto& { return k.contacts.floor; },
                "Height of a floor under the moving points", {-1e9, 1e9}),
      option<K>("restitution", [](K & k) -> auto& { return k.contacts.restitution; },
                "Share of the speed that is left after an impact", {0, 1}),
      option<K>("friction", [](K & k) -> auto& { return k.contacts.friction; },
                "Coulomb friction on the floor", {0, 1e9}),
      option<K>("noise", [](K & k) -> auto& { return k.options.noise; },
                "Standard deviation of the noise on q, one for all joints or one for each",
                {0, 1e300}),
      option<K>("seed", [](K & k) -> auto& { return k.options.seed; }, "Same seed, same numbers",
                {0, 1e18}),
  };
  return table;
}

// One value for all joints, or one for each.
template <class T>
void for_joints(std::vector<T>& given, int n, const char* name) {
  if (given.size() == 1) given.assign(static_cast<std::size_t>(n), T(given[0]));
  if (!given.empty() && given.size() != static_cast<std::size_t>(n))
    throw py::value_error(std::string(name) + ": " + std::to_string(given.size()) +
                          " values, expected 1 or " + std::to_string(n));
}

AnalyticSystem settle(const std::string& name, SimulateKeywords& k) {
  AnalyticSystem system = make_system(name, k.links.value_or(kDefaultJoints));
  for (const auto& [constant, value] : k.set) system.set_constant(constant, value);
  for_joints(k.q0, system.joints(), "q0");
  for_joints(k.v0, system.joints(), "v0");
  for_joints(k.options.noise, system.joints(), "noise");
  k.options.q0 = k.q0.empty() ? default_start(system) : k.q0;
  k.options.v0 = k.v0.empty() ? std::vector<Interval>(system.joints(), {0, 0}) : k.v0;
  if (k.frequency) {
    k.options.input.lowest_frequency = k.frequency->low;
    k.options.input.highest_frequency = k.frequency->high;
  }
  k.options.contacts = system_contacts(system, k.contacts);
  if (k.options.input.signal != InputSignal::none && system.inputs() == 0)
    throw py::value_error("input: " + system.name() + " has no inputs");
  return system;
}

// The observed log, the truth at the same times and the truth in the middle of the steps.
py::tuple simulate_system(const std::string& name, const py::dict& keywords, int threads) {
  SimulateKeywords k = read_options(simulate_table(), keywords);
  const AnalyticSystem system = settle(name, k);
  Simulation result;
  {
    const py::gil_scoped_release release;
    ThreadPool pool(threads);
    result = simulate(Model(system), system_channels(system), k.options, pool);
  }
  return py::make_tuple(ReadLog{std::move(result.observed), {}},
                        ReadLog{std::move(result.truth), {}},
                        ReadLog{std::move(result.midpoints), {}});
}

// A built-in system with its constants, as a model.
std::unique_ptr<FittedModel> system_model(const std::string& name, const py::dict& keywords) {
  SimulateKeywords k = read_options(simulate_table(), keywords);
  const AnalyticSystem system = settle(name, k);
  ModelRecord record{Model(system), system_channels(system), {}};
  record.contacts = k.options.contacts;
  return std::make_unique<FittedModel>(std::move(record));
}

py::list systems() {
  py::list out;
  for (const SystemInfo& info : list_systems())
    out.append(py::make_tuple(info.name, info.description));
  return out;
}

}  // namespace

void bind_simulate(py::module_& m) {
  m.def("simulate", &simulate_system, py::arg("system"), py::arg("options"), py::arg("threads"));
  m.def("system", &system_model, py::arg("name"), py::arg("options"));
  m.def("systems", &systems);
  m.def("simulate_options", [] { return describe_options(simulate_table()); });
}

}  // namespace mechfit::python
