#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <fstream>

#include "mechfit/base/error.h"
#include "mechfit/export/export.h"
#include "mechfit/files/files.h"
#include "mechfit/integrate/rollout.h"
#include "mechfit/mechanics/point.h"
#include "tests/export/shells.h"
#include "tests/support/models.h"
#include "tests/support/records.h"
#include "tests/support/shared_library.h"

// What importers of FMUs call, called as they do.
namespace mechfit {
namespace {

using testing::expect_near;
using ::testing::HasSubstr;
using testing::ModelCase;
using ::testing::Not;
using testing::OwnFolder;
using Point = testing::ShellPoint;
using testing::record_of;
using testing::SharedLibrary;
using Vector = std::vector<double>;

class EveryFmu : public ::testing::TestWithParam<ModelCase> {};
INSTANTIATE_TEST_SUITE_P(Models, EveryFmu, ::testing::ValuesIn(testing::shell_cases()),
                         testing::model_case_name);

// A master for FMUs: the order of calls is that of the standard (FMI 2.0.4, 3.2.3 and 4.2.4).
class Fmu {
 public:
  using Handle = void*;
  using Refs = const unsigned*;
  struct Events {
    int flags[5];
    double next;
  };

  explicit Fmu(const ModelRecord& record) {
    CExportOptions options;
    options.name = "machine";
    const ExportedModel exported = export_model(record, ExportTarget::fmu, options);
    EXPECT_EQ(exported.note, "");
    std::ofstream(folder_ / "machine.fmu", std::ios::binary) << exported.bytes;
    const std::string unpack =
        "python3 -m zipfile -e " + (folder_ / "machine.fmu").string() + " " + folder_.text();
    EXPECT_EQ(std::system(unpack.c_str()), 0);
    description = read_file(folder_ / "modelDescription.xml");
    const std::size_t at = description.find("guid=\"") + 6;
    guid = description.substr(at, description.find('"', at) - at);
    library_.open(folder_ / "binaries/linux64/machine.so");
  }

  bool loaded() const { return library_.loaded(); }
  template <class... Arguments>
  int call(const char* name, Arguments... arguments) const {
    return library_.get<int(Arguments...)>(name)(arguments...);
  }
  Handle instantiate(int type, const std::string& with_guid) const {
    return library_.get<Handle(const char*, int, const char*, const char*, const void*, int, int)>(
        "fmi2Instantiate")("machine", type, with_guid.c_str(), "", nullptr, 0, 0);
  }
  // Instantiated, with start values, initialised.
  Handle started(int type, const Vector& x, const Vector& u) const {
    Handle c = instantiate(type, guid);
    EXPECT_NE(c, nullptr);
    EXPECT_EQ(call("fmi2SetupExperiment", c, 0, 0.0, 0.0, 0, 0.0), 0);
    set(c, 0, x);
    EXPECT_EQ(call("fmi2EnterInitializationMode", c), 0);
    set(c, first_input(x), u);
    EXPECT_EQ(call("fmi2ExitInitializationMode", c), 0);
    return c;
  }
  void finish(Handle c) const {
    EXPECT_EQ(call("fmi2Terminate", c), 0);
    library_.get<void(Handle)>("fmi2FreeInstance")(c);
  }
  static unsigned first_input(const Vector& x) { return static_cast<unsigned>(2 * x.size()); }
  void set(Handle c, unsigned first, const Vector& values) const {
    const auto refs = references(first, values.size());
    EXPECT_EQ(call("fmi2SetReal", c, Refs{refs.data()}, refs.size(), values.data()), 0);
  }
  Vector get(Handle c, unsigned first, std::size_t count) const {
    Vector out(count);
    const auto refs = references(first, count);
    EXPECT_EQ(call("fmi2GetReal", c, Refs{refs.data()}, count, out.data()), 0);
    return out;
  }
  static std::vector<unsigned> references(unsigned first, std::size_t count) {
    std::vector<unsigned> out(count);
    for (std::size_t i = 0; i < count; ++i) out[i] = first + static_cast<unsigned>(i);
    return out;
  }

  std::string description, guid;
  std::string file(const std::string& name) const { return (folder_ / name).string(); }

 private:
  OwnFolder folder_;
  SharedLibrary library_;
};

// x after `steps` steps of RK4 of the library.
Vector integrated(const Model& model, Vector x, const Vector& u, double h, int steps) {
  PointDynamics point(model);
  const std::size_t n = x.size() / 2;
  const auto f = [&](const Vector& at) {
    Vector xdot(at.begin() + static_cast<std::ptrdiff_t>(n), at.end());
    xdot.resize(2 * n);
    EXPECT_TRUE(point.acceleration({at.data(), n}, {at.data() + n, n}, u, {&xdot[n], n}));
    return xdot;
  };
  const auto moved = [](const Vector& from, double by, const Vector& along) {
    Vector out = from;
    for (std::size_t i = 0; i < out.size(); ++i) out[i] += by * along[i];
    return out;
  };
  for (int k = 0; k < steps; ++k) {
    const Vector k1 = f(x), k2 = f(moved(x, h / 2, k1)), k3 = f(moved(x, h / 2, k2)),
                 k4 = f(moved(x, h, k3));
    for (std::size_t i = 0; i < x.size(); ++i)
      x[i] += h / 6 * (k1[i] + 2 * k2[i] + 2 * k3[i] + k4[i]);
  }
  return x;
}

void expect_model_exchange(const Fmu& fmu, const Model& model, const Point& at) {
  Fmu::Handle c = fmu.started(0, at.x, at.u);
  Fmu::Events events{};
  ASSERT_EQ(fmu.call("fmi2NewDiscreteStates", c, &events), 0);
  EXPECT_EQ(events.flags[0], 0);
  ASSERT_EQ(fmu.call("fmi2EnterContinuousTimeMode", c), 0);
  // An importer's integrator: Euler's method, against the library's accelerations.
  Vector x = at.x, xdot(x.size()), expected = at.x;
  PointDynamics point(model);
  const std::size_t n = x.size() / 2;
  for (int k = 0; k < 10; ++k) {
    ASSERT_EQ(fmu.call("fmi2SetTime", c, 0.01 * k), 0);
    ASSERT_EQ(fmu.call("fmi2GetDerivatives", c, xdot.data(), xdot.size()), 0);
    Vector a(n);
    ASSERT_TRUE(point.acceleration({expected.data(), n}, {&expected[n], n}, at.u, a));
    for (std::size_t i = 0; i < n; ++i) {
      expected[i] += 0.01 * expected[n + i];
      expected[n + i] += 0.01 * a[i];
    }
    for (std::size_t i = 0; i < x.size(); ++i) x[i] += 0.01 * xdot[i];
    ASSERT_EQ(
        fmu.call("fmi2SetContinuousStates", c, static_cast<const double*>(x.data()), x.size()), 0);
    int event = 1, terminate = 1;
    ASSERT_EQ(fmu.call("fmi2CompletedIntegratorStep", c, 1, &event, &terminate), 0);
    EXPECT_EQ(event + terminate, 0);
  }
  expect_near(x, expected, 1e-9);
  fmu.finish(c);
}

void expect_cosimulation(const Fmu& fmu, const Model& model, const Point& at) {
  Fmu::Handle c = fmu.started(1, at.x, at.u);
  for (int k = 0; k < 5; ++k) ASSERT_EQ(fmu.call("fmi2DoStep", c, 0.02 * k, 0.02, 1), 0);
  const Vector expected = integrated(model, at.x, at.u, 0.001, 100);
  expect_near(fmu.get(c, 0, at.x.size()), expected, 1e-9);
  // A state that was kept comes back.
  void* kept = nullptr;
  ASSERT_EQ(fmu.call("fmi2GetFMUstate", c, &kept), 0);
  ASSERT_EQ(fmu.call("fmi2DoStep", c, 0.1, 0.5, 1), 0);
  ASSERT_EQ(fmu.call("fmi2SetFMUstate", c, kept), 0);
  expect_near(fmu.get(c, 0, at.x.size()), expected, 1e-9);
  ASSERT_EQ(fmu.call("fmi2FreeFMUstate", c, &kept), 0);
  EXPECT_EQ(kept, nullptr);
  fmu.finish(c);
}

void expect_derivatives(const Fmu& fmu, const Model& model, const Point& at) {
  Fmu::Handle c = fmu.started(0, at.x, at.u);
  const std::size_t states = at.x.size(), m = at.u.size();
  const unsigned energy = Fmu::first_input(at.x) + static_cast<unsigned>(m);
  expect_near(fmu.get(c, static_cast<unsigned>(states), states), at.xdot, 1e-10);
  EXPECT_NEAR(fmu.get(c, energy, 1)[0], at.energy, 1e-10 * (1 + std::abs(at.energy)));

  auto unknowns = Fmu::references(static_cast<unsigned>(states), states);
  unknowns.push_back(energy);
  Vector A(at.A.size()), B(at.B.size()), slope(states);
  for (std::size_t k = 0; k < states + m; ++k) {
    const unsigned known = k < states ? static_cast<unsigned>(k)
                                      : Fmu::first_input(at.x) + static_cast<unsigned>(k - states);
    const double along = 1;
    Vector column(states + 1);
    ASSERT_EQ(fmu.call("fmi2GetDirectionalDerivative", c, Fmu::Refs{unknowns.data()},
                       unknowns.size(), &known, std::size_t{1}, &along, column.data()),
              0);
    for (std::size_t i = 0; i < states; ++i)
      (k < states ? A[i * states + k] : B[i * m + k - states]) = column[i];
    if (k < states) slope[k] = column[states];
  }
  expect_near(A, at.A, 1e-9);
  expect_near(B, at.B, 1e-9);
  // The energy's slope by differences.
  PointDynamics point(model);
  for (std::size_t k = 0; k < states; ++k) {
    const auto shifted = [&](double by) {
      Vector x = at.x;
      x[k] += by;
      return point.energy({x.data(), states / 2}, {&x[states / 2], states / 2});
    };
    const double difference = (shifted(1e-5) - shifted(-1e-5)) / 2e-5;
    EXPECT_NEAR(slope[k], difference, 1e-6 * (1 + std::abs(difference))) << k;
  }
  fmu.finish(c);
}

void expect_valid(const Fmu& fmu) {
  const std::string command = "xmllint --noout --schema " MECHFIT_SOURCE_DIR
                              "/tests/export/fmi2_model_description.xsd " +
                              fmu.file("modelDescription.xml") + " 2>&1";
  EXPECT_EQ(std::system(command.c_str()), 0) << fmu.description;
}

// One test, for compilers take seconds for networks.
TEST_P(EveryFmu, IsForModelExchangeAndCosimulationWithExactDerivatives) {
  Random random(4);
  const Model model = GetParam().make(random);
  ModelRecord record = record_of(model);
  record.channels.joints[0] = "arm <\"1\"> & more";
  const Fmu fmu(record);
  ASSERT_TRUE(fmu.loaded());
  const Point at(model, random);
  expect_model_exchange(fmu, model, at);
  expect_cosimulation(fmu, model, at);
  expect_derivatives(fmu, model, at);
  EXPECT_THAT(fmu.description, HasSubstr("arm &lt;&quot;1&quot;&gt; &amp; more"));
  expect_valid(fmu);
}

// A pendulum that falls onto a stop and comes to rest there.
constexpr double kStop = 0.3, kFall = 1.0, kOnTheWay = 1.2, kAtRest = 6;  // [rad], [s]

ModelRecord record_with_stop() {
  ModelRecord record = record_of(Model(make_system("pendulum")));
  record.contacts = {joint_stop(record.channels, 0, false, kStop, 0.5)};
  return record;
}

// q after `seconds` of the library's steps of 1 ms, those of co-simulation.
double fallen(const ModelRecord& record, double seconds) {
  const Vector q0 = {kFall}, v0 = {0}, h = {1e-3};
  RolloutRequest request;
  request.trajectories = 1;
  request.steps = static_cast<int>(std::lround(seconds / h[0]));
  request.q0 = q0;
  request.v0 = v0;
  request.h = h;
  request.contacts = record.contacts;
  ThreadPool pool(1);
  const Rollout rollout = roll_out(record.model, request, Integrator::rk4, pool);
  EXPECT_EQ(rollout.status[0], StepStatus::ok);
  EXPECT_GT(rollout.events[0].size(), 1u);
  return rollout.q.back();
}

TEST(Fmus, BounceInCosimulation) {
  const ModelRecord record = record_with_stop();
  const Fmu fmu(record);
  ASSERT_TRUE(fmu.loaded());
  Fmu::Handle c = fmu.started(1, {kFall, 0}, {});
  ASSERT_EQ(fmu.call("fmi2DoStep", c, 0.0, kOnTheWay, 1), 0);
  EXPECT_NEAR(fmu.get(c, 0, 1)[0], fallen(record, kOnTheWay), 1e-6);
  ASSERT_EQ(fmu.call("fmi2DoStep", c, kOnTheWay, kAtRest, 1), 0);
  expect_near(fmu.get(c, 0, 2), {kStop, 0}, 1e-6);
  fmu.finish(c);
}

// An importer that steps by Euler's method and looks for events between steps.
TEST(Fmus, BounceInModelExchange) {
  const ModelRecord record = record_with_stop();
  const Fmu fmu(record);
  ASSERT_TRUE(fmu.loaded());
  EXPECT_THAT(fmu.description, HasSubstr("numberOfEventIndicators=\"1\""));
  EXPECT_THAT(fmu.description, HasSubstr("lower stop of q1 restitution"));
  expect_valid(fmu);
  Fmu::Handle c = fmu.started(0, {kFall, 0}, {});
  EXPECT_EQ(fmu.get(c, 6, 1)[0], 0.5);
  Fmu::Events events{};
  ASSERT_EQ(fmu.call("fmi2NewDiscreteStates", c, &events), 0);
  ASSERT_EQ(fmu.call("fmi2EnterContinuousTimeMode", c), 0);
  constexpr double h = 2e-5;
  Vector x = {kFall, 0}, xdot(2);
  double before = 1, now = 1, on_the_way = 0;
  for (int k = 1; k * h < kAtRest; ++k) {
    ASSERT_EQ(fmu.call("fmi2GetDerivatives", c, xdot.data(), xdot.size()), 0);
    for (int i = 0; i < 2; ++i) x[i] += h * xdot[i];
    ASSERT_EQ(
        fmu.call("fmi2SetContinuousStates", c, static_cast<const double*>(x.data()), x.size()), 0);
    ASSERT_EQ(fmu.call("fmi2GetEventIndicators", c, &now, std::size_t{1}), 0);
    if (k == std::lround(kOnTheWay / h)) on_the_way = x[0];
    const bool event = (now > 0) != (before > 0);
    before = now;
    if (!event) continue;
    ASSERT_EQ(fmu.call("fmi2EnterEventMode", c), 0);
    ASSERT_EQ(fmu.call("fmi2NewDiscreteStates", c, &events), 0);
    ASSERT_EQ(fmu.call("fmi2EnterContinuousTimeMode", c), 0);
    ASSERT_EQ(fmu.call("fmi2GetContinuousStates", c, x.data(), x.size()), 0);
  }
  EXPECT_NEAR(on_the_way, fallen(record, kOnTheWay), 1e-3);
  expect_near(x, {kStop, 0}, 1e-3);
  fmu.finish(c);
}

TEST(Fmus, RefuseAnotherModelsDescription) {
  Random random(1);
  const Fmu fmu(record_of(testing::random_analytic("cart-pole", 2, random)));
  const Fmu other(record_of(testing::random_analytic("cart-pole", 2, random)));
  EXPECT_NE(fmu.guid, other.guid);
  EXPECT_EQ(fmu.instantiate(0, other.guid), nullptr);
}

TEST(Fmus, HaveTheSameBytesForTheSameModel) {
  const auto bytes = [] {
    Random random(1);
    return export_model(record_of(testing::random_analytic("cart-pole", 2, random)),
                        ExportTarget::fmu, {})
        .bytes;
  };
  EXPECT_EQ(bytes(), bytes());
}

TEST(Fmus, HaveSourcesAloneWithoutACompiler) {
  Random random(1);
  const ModelRecord record = record_of(testing::random_analytic("cart-pole", 2, random));
  setenv("CC", "/nowhere/cc", 1);
  const ExportedModel exported = export_model(record, ExportTarget::fmu, {});
  unsetenv("CC");
  EXPECT_THAT(exported.note, HasSubstr("sources only"));
  EXPECT_THAT(exported.bytes, Not(HasSubstr("linux64")));
}

}  // namespace
}  // namespace mechfit
