#include "mechfit/export/c_export.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "mechfit/base/error.h"
#include "mechfit/integrate/rollout.h"
#include "mechfit/integrate/runge_kutta.h"
#include "mechfit/integrate/variational_point.h"
#include "mechfit/mechanics/point.h"
#include "tests/support/models.h"
#include "tests/support/records.h"
#include "tests/support/shared_library.h"

// Models written as C99, compiled by the C compiler with all its warnings as errors, and called.
namespace mechfit {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using testing::ModelCase;
using ::testing::Not;
using testing::record_of;

template <class Real>
class CompiledModel {
 public:
  CompiledModel(const ModelRecord& record, const std::string& flags) {
    CExportOptions options;
    if (sizeof(Real) == sizeof(float)) options.precision = Precision::float32;
    std::ofstream(folder_ / "model.h") << export_c(record, options);
    library_.compile(
        flags + " -I" + folder_.text() + " " MECHFIT_SOURCE_DIR "/tests/export/model_calls.c",
        folder_ / "model.so");
  }

  template <class Function>
  Function* get(const char* name) const {
    return library_.get<Function>(name);
  }

  bool loaded() const { return library_.loaded(); }

 private:
  testing::OwnFolder folder_;
  testing::SharedLibrary library_;
};

using D = double;
using Vector = std::vector<double>;

Vector random_vector(int size, double scale, Random& random) {
  Vector x(size);
  for (double& value : x) value = random.uniform(-scale, scale);
  return x;
}

// Every number within `tolerance` of the largest of its kind.
void expect_equal(const char* what, const Vector& found, const Vector& expected,
                  double tolerance = 1e-12) {
  ASSERT_EQ(found.size(), expected.size());
  double size = 0;
  for (double x : expected) size = std::max(size, std::abs(x));
  for (std::size_t i = 0; i < found.size(); ++i)
    ASSERT_NEAR(found[i], expected[i], tolerance * size) << what << ' ' << i;
}

void rk4_by_hand(PointDynamics& point, double h, const Vector& u, Vector& q, Vector& v) {
  const std::size_t n = q.size();
  Vector x = q, w = v, dq(n), dv(n), a(n);
  for (const auto& [weight, next] : {std::pair{1.0, 0.5}, {2.0, 0.5}, {2.0, 1.0}, {1.0, 0.0}}) {
    ASSERT_TRUE(point.acceleration(x, w, u, a));
    for (std::size_t i = 0; i < n; ++i) {
      dq[i] += weight * w[i];
      dv[i] += weight * a[i];
      x[i] = q[i] + next * h * w[i];
      w[i] = v[i] + next * h * a[i];
    }
  }
  for (std::size_t i = 0; i < n; ++i) {
    q[i] += h / 6 * dq[i];
    v[i] += h / 6 * dv[i];
  }
}

class EveryExport : public ::testing::TestWithParam<ModelCase> {};
INSTANTIATE_TEST_SUITE_P(Families, EveryExport, ::testing::ValuesIn(testing::model_cases()),
                         testing::model_case_name);

TEST_P(EveryExport, EqualsTheLibraryAtAThousandStates) {
  Random random(5);
  const Model model = GetParam().make(random);
  const CompiledModel<D> c(record_of(model), "-O1");
  ASSERT_TRUE(c.loaded());
  const auto mass = c.get<void(const D*, D*)>("call_mass");
  const auto potential = c.get<D(const D*)>("call_potential");
  const auto energy = c.get<D(const D*, const D*)>("call_energy");
  const auto momentum = c.get<void(const D*, const D*, D*)>("call_momentum");
  const auto acceleration = c.get<int(const D*, const D*, const D*, D*)>("call_acceleration");
  const auto inverse = c.get<void(const D*, const D*, const D*, D*)>("call_inverse_dynamics");
  PointDynamics point(model);
  const int n = model.joints(), m = model.inputs();
  Vector M(n * n), M0(n * n), x(n), x0(n);
  for (int k = 0; k < 1000; ++k) {
    const Vector q = random_vector(n, 1, random), v = random_vector(n, 1, random),
                 u = random_vector(m, 1, random), a = random_vector(n, 1, random);
    mass(q.data(), M.data());
    point.mass(q, M0);
    expect_equal("mass", M, M0);
    // V of networks that nearly cancels has the rounding of its terms.
    ASSERT_NEAR(potential(q.data()), point.potential(q),
                1e-12 * (1 + std::abs(point.potential(q))));
    ASSERT_NEAR(energy(q.data(), v.data()), point.energy(q, v),
                1e-12 * (1 + std::abs(point.energy(q, v))));
    momentum(q.data(), v.data(), x.data());
    point.momentum(q, v, x0);
    expect_equal("momentum", x, x0);
    inverse(q.data(), v.data(), a.data(), x.data());
    point.inverse_dynamics(q, v, a, x0);
    expect_equal("inverse dynamics", x, x0);
    const bool found = point.acceleration(q, v, u, x0);
    ASSERT_EQ(acceleration(q.data(), v.data(), u.data(), x.data()), found ? 0 : 1);
    if (found) expect_equal("acceleration", x, x0, 1e-11);  // times the condition of M
  }
}

TEST_P(EveryExport, HasTheDerivativesOfTheAcceleration) {
  Random random(6);
  const Model model = GetParam().make(random);
  const CompiledModel<D> c(record_of(model), "-O1");
  ASSERT_TRUE(c.loaded());
  const auto jacobians =
      c.get<int(const D*, const D*, const D*, D*, D*, D*, D*)>("call_acceleration_jacobians");
  PointDynamics point(model);
  const int n = model.joints(), m = model.inputs();
  Vector a(n), a_q(n * n), a_v(n * n), a_u(n * m), A(4 * n * n), B(2 * n * m);
  for (int k = 0; k < 100; ++k) {
    const Vector q = random_vector(n, 1, random), v = random_vector(n, 1, random),
                 u = random_vector(m, 1, random);
    ASSERT_EQ(jacobians(q.data(), v.data(), u.data(), a.data(), a_q.data(), a_v.data(), a_u.data()),
              0);
    ASSERT_TRUE(point.linearize(q, v, u, A, B));
    Vector found, expected;
    for (int i = 0; i < n; ++i) {
      found.insert(found.end(), &a_q[i * n], &a_q[i * n] + n);
      found.insert(found.end(), &a_v[i * n], &a_v[i * n] + n);
      expected.insert(expected.end(), &A[(n + i) * 2 * n], &A[(n + i) * 2 * n] + 2 * n);
    }
    expect_equal("A", found, expected, 1e-10);  // times the condition of M, twice
    expect_equal("B", a_u, Vector(B.begin() + n * m, B.end()), 1e-11);
  }
}

TEST_P(EveryExport, StepsLikeTheLibrary) {
  Random random(7);
  const Model model = GetParam().make(random);
  const CompiledModel<D> c(record_of(model), "-O1");
  ASSERT_TRUE(c.loaded());
  const auto variational = c.get<int(D, const D*, D*, D*, D*)>("call_variational_step");
  const auto rk4 = c.get<int(D, const D*, D*, D*)>("call_rk4_step");
  PointDynamics point(model);
  VariationalPoint integrator(model);
  const int n = model.joints(), m = model.inputs();
  const Vector u = random_vector(m, 1, random);
  Vector q = random_vector(n, 0.5, random), v = random_vector(n, 0.5, random), p(n), next(n), p1(n);
  const Vector q_start = q, v_start = v;
  point.momentum(q, v, p);
  Vector q_c = q, v_c = v, p_c = p;
  for (int k = 0; k < 50; ++k) {
    ASSERT_EQ(integrator.step(q, p, u, 0.01, v, next, p1), StepStatus::ok);
    q = next;
    p = p1;
    ASSERT_EQ(variational(0.01, u.data(), q_c.data(), p_c.data(), v_c.data()), 0);
    expect_equal("q", q_c, q, 1e-10);
    expect_equal("p", p_c, p, 1e-10);
  }
  q = q_c = q_start;
  v = v_c = v_start;
  for (int k = 0; k < 50; ++k) {
    rk4_by_hand(point, 0.01, u, q, v);
    ASSERT_EQ(rk4(0.01, u.data(), q_c.data(), v_c.data()), 0);
    expect_equal("q", q_c, q, 1e-10);
    expect_equal("v", v_c, v, 1e-10);
  }
}

TEST(CExport, SinglePrecisionIsCloseToDouble) {
  Random random(8);
  for (const ModelCase& each : testing::model_cases()) {
    if (each.name != "Trig2" && each.name != "Smm3" && each.name != "CartPole") continue;
    const Model model = each.make(random);
    const CompiledModel<float> c(record_of(model), "-O2 -Wdouble-promotion");
    ASSERT_TRUE(c.loaded());
    const auto acceleration =
        c.get<int(const float*, const float*, const float*, float*)>("call_acceleration");
    const int n = model.joints(), m = model.inputs();
    const std::vector<float> q(n, 0.3f), v(n, -0.2f), u(m + 1, 0.1f);
    std::vector<float> a(n);
    ASSERT_EQ(acceleration(q.data(), v.data(), u.data(), a.data()), 0);
    Vector a0(n);
    ASSERT_TRUE(PointDynamics(model).acceleration(Vector(q.begin(), q.end()),
                                                  Vector(v.begin(), v.end()),
                                                  Vector(u.begin(), u.begin() + m), a0));
    expect_equal(each.name.c_str(), Vector(a.begin(), a.end()), a0, 1e-4);
  }
}

TEST(CExport, IsCleanUnderTheSanitizers) {
  Random random(10);
  const fs::path folder =
      fs::temp_directory_path() / ("mechfit_sanitized_" + std::to_string(getpid()));
  fs::create_directories(folder);
  for (const ModelCase& each : testing::model_cases()) {
    if (each.name != "Trig2" && each.name != "Smm3" && each.name != "CartPole") continue;
    ModelRecord record = record_of(each.make(random));
    record.contacts = {joint_stop(record.channels, 0, true, 0.35, 0.5)};
    std::ofstream(folder / "model.h") << export_c(record, {});
    const std::string program = (folder / "program").string();
    const std::string command =
        "cc -std=c99 -g -Wall -Wextra -Wpedantic -Werror -fsanitize=address,undefined "
        "-fno-sanitize-recover=all -I" +
        folder.string() + " " MECHFIT_SOURCE_DIR "/tests/export/every_call.c -lm -o " + program;
    ASSERT_EQ(std::system(command.c_str()), 0) << command;
    EXPECT_EQ(std::system(program.c_str()), 0) << each.name;
  }
  fs::remove_all(folder);
}

// A double pendulum with two stops, a floor under its end and a wall beside it.
ModelRecord record_with_contacts() {
  AnalyticSystem system = make_system("double-pendulum");
  system.set_constant("g", 9.81);
  ModelRecord record = record_of(Model(system));
  record.contacts = {joint_stop(record.channels, 1, true, 0.9, 0.7),
                     joint_stop(record.channels, 0, false, -0.4, 0.7)};
  record.contacts[0].position_error = 0.001;
  const PlanarPoint end = system.planar_points().back();
  record.contacts.push_back(half_plane("floor", end, 0, 1, -1.9, 0.7, 0));
  record.contacts.push_back(half_plane("wall", end, 1, 0.5, -3, 0.7, 0.1));  // out of reach
  return record;
}

TEST(CExport, HasTheGapsOfContactsAndTheirGradients) {
  Random random(11);
  const ModelRecord record = record_with_contacts();
  const CompiledModel<D> c(record, "-O1");
  ASSERT_TRUE(c.loaded());
  const auto gap = c.get<D(int, const D*, D*)>("call_gap");
  Vector J(2), J0(2);
  for (int k = 0; k < 100; ++k)
    for (int i = 0; i < 4; ++i) {
      const Vector q = random_vector(2, 3, random);
      ASSERT_NEAR(gap(i, q.data(), J.data()), record.contacts[i].gradient(q, J0), 1e-14);
      expect_equal("J", J, J0);
    }
}

TEST(CExport, BouncesLikeTheLibrary) {
  const ModelRecord record = record_with_contacts();
  const CompiledModel<D> c(record, "-O1");
  ASSERT_TRUE(c.loaded());
  const auto step = c.get<int(D, const D*, D*, D*)>("call_contact_step");
  RolloutRequest request;
  const int steps = 150;
  Vector q = {0.5, 0.6}, v = {1.0, 5.0};
  const Vector q0 = q, v0 = v, h = {0.01};
  request.trajectories = 1;
  request.steps = steps;
  request.q0 = q0;
  request.v0 = v0;
  request.h = h;
  request.contacts = record.contacts;
  ThreadPool pool(1);
  const Rollout rollout = roll_out(record.model, request, Integrator::rk4, pool);
  ASSERT_EQ(rollout.status[0], StepStatus::ok);
  std::array<int, 4> impacts{};
  for (const ContactEvent& event : rollout.events[0]) ++impacts[event.contact];
  for (int i = 0; i < 3; ++i) EXPECT_GT(impacts[i], 0) << i;
  for (int k = 1; k <= steps; ++k) {
    ASSERT_EQ(step(0.01, nullptr, q.data(), v.data()), 0);
    for (int i = 0; i < 2; ++i) {
      ASSERT_NEAR(q[i], rollout.q[k * 2 + i], 1e-7) << k;
      ASSERT_NEAR(v[i], rollout.v[k * 2 + i], 1e-6) << k;
    }
  }
}

TEST(CExport, ComesToRestOnAStop) {
  ModelRecord record = record_of(Model(make_system("pendulum")));
  record.contacts = {joint_stop(record.channels, 0, false, 0.3, 0.5)};
  const CompiledModel<D> c(record, "-O1");
  ASSERT_TRUE(c.loaded());
  const auto step = c.get<int(D, const D*, D*, D*)>("call_contact_step");
  Vector q = {1.0}, v = {0.0};
  for (int k = 0; k < 1000; ++k) {
    ASSERT_EQ(step(0.01, nullptr, q.data(), v.data()), 0);
    ASSERT_GE(q[0], 0.3 - 1e-12);
  }
  EXPECT_NEAR(q[0], 0.3, 1e-12);
  EXPECT_NEAR(v[0], 0, 1e-12);
}

TEST(CExport, SaysWhatTheMachineHits) {
  ModelRecord record = record_with_contacts();
  const std::string text = export_c(record, {});
  for (const char* part :
       {"0  upper stop of q2 at 0.9 +- 0.001 rad, restitution 0.7", "#define model_CONTACTS 4",
        "2  floor at -1.9 m, restitution 0.7", "motion\n   between impacts"})
    EXPECT_THAT(text, HasSubstr(part));
  record.contacts = {};
  EXPECT_THAT(export_c(record, {}), Not(HasSubstr("CONTACTS")));
}

TEST(CExport, SaysHowInputsAct) {
  ModelRecord record = record_of(Model(make_system("cart-pole")));
  EXPECT_THAT(export_c(record, {}), HasSubstr("#define model_INPUT_HELD 1"));
  record.timing = {InputHold::linear, 0.012, 0.25};
  const std::string text = export_c(record, {});
  for (const char* line : {"#define model_INPUT_HELD 0", "#define model_INPUT_DELAY 0.012",
                           "#define model_INPUT_LAG 0.25", "changing along lines"})
    EXPECT_THAT(text, HasSubstr(line));
  EXPECT_THAT(export_c(record_of(Model(make_system("pendulum"))), {}), Not(HasSubstr("INPUT_")));
}

TEST(CExport, SaysWhereTheDataWere) {
  Random random(9);
  ModelRecord record = record_of(Model(make_system("cart-pole")));
  record.channels.joint_types = {JointType::plain, JointType::periodic};
  Knowledge& knowledge = record.knowledge.emplace();
  knowledge.region = {{-1, 3}, {1, 4}, {-2, -2}, {2, 2}, {-5}, {5}};
  const CompiledModel<D> c(record, "-O1");
  ASSERT_TRUE(c.loaded());
  const auto inside = c.get<int(const D*, const D*, const D*)>("call_inside");
  int count = 0;
  for (int k = 0; k < 10000; ++k) {
    const Vector q = {random.uniform(-2, 2), random.uniform(-10, 10)},
                 v = random_vector(2, 3, random), u = random_vector(1, 8, random);
    const bool expected = knowledge.region.outside(record.channels.joint_types, q, v, u) == 0;
    ASSERT_EQ(inside(q.data(), v.data(), u.data()), expected ? 1 : 0);
    count += expected;
  }
  EXPECT_GT(count, 100);
}

TEST(CExport, RefusesNamesThatAreNoneOfC) {
  const ModelRecord record = record_of(Model(make_system("pendulum")));
  for (const char* name : {"", "1st", "a-b", "a b"}) {
    CExportOptions options;
    options.name = name;
    EXPECT_THROW(export_c(record, options), InputError) << name;
  }
  EXPECT_EQ(c_name("out/my-arm.v2.h"), "my_arm");
  EXPECT_EQ(c_name("2link.h"), "model_2link");
}

}  // namespace
}  // namespace mechfit
