// What runs in loops allocates nothing after its first call.
#include <gtest/gtest.h>

#include <Eigen/Core>

#include "bench/steps.h"
#include "mechfit/integrate/variational_point.h"
#include "mechfit/mechanics/batch_dynamics.h"
#include "mechfit/mechanics/families/analytic/analytic.h"
#include "mechfit/mechanics/families/smm/smm.h"
#include "mechfit/mechanics/point.h"
#include "tests/allocation/counter.h"

namespace mechfit {
namespace {

// Allocations of f's second call.
template <class Function>
long allocations_of(Function f) {
  f();
  const long before = allocations();
  f();
  return allocations() - before;
}

TEST(AllocationCounter, SeesNewAlignedNewAndEigen) {
  EXPECT_GE(allocations_of([] { std::vector<double> x(3); }), 1);
  EXPECT_GE(allocations_of([] { make_panel(3); }), 1);
  EXPECT_GE(allocations_of([] { Eigen::MatrixXd x(30, 30); }), 1);
  EXPECT_EQ(allocations_of([] {}), 0);
}

Model network_with_everything() {
  SmmConfig config;
  config.joints = {JointType::plain, JointType::periodic};
  config.hidden = {32, 32, 32};
  config.force_network = true;
  config.friction = true;
  config.inputs = 1;
  config.input_map = InputMap::learned;
  config.input_matrix = {1, 0};
  Smm smm(config);
  Random random(1);
  smm.initialise(random);
  return Model(smm);
}

class PointCalls : public ::testing::TestWithParam<const char*> {
 protected:
  static Model model(const std::string& name) {
    return name == "network" ? network_with_everything() : Model(make_system(name));
  }
};

TEST_P(PointCalls, AllocateNothing) {
  const Model model = PointCalls::model(GetParam());
  PointDynamics point(model);
  const int n = model.joints();
  const std::vector<double> q(n, 0.3), v(n, -0.7), a(n, 0.2), u(model.inputs(), 0.5);
  std::vector<double> out(n), m(n * n);
  EXPECT_EQ(allocations_of([&] { ASSERT_TRUE(point.acceleration(q, v, u, out)); }), 0);
  EXPECT_EQ(allocations_of([&] { point.inverse_dynamics(q, v, a, out); }), 0);
  EXPECT_EQ(allocations_of([&] { point.force(q, v, {}, out); }), 0);
  EXPECT_EQ(allocations_of([&] { point.momentum(q, v, out); }), 0);
  EXPECT_EQ(allocations_of([&] { point.mass(q, m); }), 0);
  EXPECT_EQ(allocations_of([&] { point.energy(q, v); }), 0);
  EXPECT_EQ(allocations_of([&] { point.potential(q); }), 0);
  std::vector<double> da(4 * n * n), db(2 * n * model.inputs());
  EXPECT_EQ(allocations_of([&] { ASSERT_TRUE(point.linearize(q, v, u, da, db)); }), 0);
}

TEST_P(PointCalls, OfManyPointsAllocateNothing) {
  const Model model = PointCalls::model(GetParam());
  ThreadPool pool(2);
  BatchDynamics batch(model, pool);
  const int n = model.joints(), m = model.inputs(), count = 1000;
  const std::vector<double> q(count * n, 0.3), v(count * n, -0.7), u(count * m, 0.5);
  std::vector<double> out(count * n), da(count * 4 * n * n), db(count * 2 * n * m);
  EXPECT_EQ(allocations_of([&] { ASSERT_EQ(batch.acceleration(q, v, u, out), -1); }), 0);
  EXPECT_EQ(allocations_of([&] { ASSERT_EQ(batch.linearize(q, v, u, da, db), -1); }), 0);
}

TEST_P(PointCalls, VariationalStepAllocatesNothing) {
  const Model model = PointCalls::model(GetParam());
  const int n = model.joints();
  VariationalWorkspace w(model);
  AlignedVector q = make_panel(n), momentum = make_panel(n), v = make_panel(n);
  AlignedVector h = make_panel(1), q_next = make_panel(n), momentum_next = make_panel(n);
  std::fill(q.begin(), q.end(), 0.3);
  std::fill(h.begin(), h.end(), 0.01);
  std::array<StepStatus, kBlock> status;
  EXPECT_EQ(allocations_of([&] {
              variational_step(model, q.data(), momentum.data(), nullptr, h.data(), 1, v.data(),
                               q_next.data(), momentum_next.data(), status, w);
              ASSERT_EQ(status[0], StepStatus::ok);
            }),
            0);
}

TEST_P(PointCalls, VariationalStepAtOnePointAllocatesNothing) {
  const Model model = PointCalls::model(GetParam());
  VariationalPoint integrator(model);
  const std::vector<double> q(model.joints(), 0.3), momentum(q);
  std::vector<double> v(q), q_next(q), momentum_next(q);
  EXPECT_EQ(allocations_of([&] {
              ASSERT_EQ(integrator.step(q, momentum, {}, 0.01, v, q_next, momentum_next),
                        StepStatus::ok);
            }),
            0);
}

INSTANTIATE_TEST_SUITE_P(Models, PointCalls, ::testing::Values("network", "cart-pole"),
                         [](const auto& name) {
                           return std::string(name.param) == "network" ? "Network" : "CartPole";
                         });

class TrainingSteps : public ::testing::TestWithParam<int> {};  // threads

TEST_P(TrainingSteps, AllocateNothing) {
  const int n = 2, width = 32;
  for (Precision precision : {Precision::float64, Precision::float32})
    for (bool force : {false, true}) {
      for (FitMethod method : {FitMethod::del, FitMethod::gauge_free, FitMethod::acceleration,
                               FitMethod::next_state}) {
        bench::ObjectiveStep step(method, n, width, force, GetParam(), precision);
        EXPECT_EQ(allocations_of([&] { step(); }), 0) << static_cast<int>(method);
        EXPECT_EQ(allocations_of([&] { step.objective->all(step.model); }), 0);
      }
      bench::FullDelStep step(n, width, force, GetParam(), precision);
      EXPECT_EQ(allocations_of([&] { step(); }), 0);
    }
}

INSTANTIATE_TEST_SUITE_P(Threads, TrainingSteps, ::testing::Values(1, 2),
                         ::testing::PrintToStringParamName());

}  // namespace
}  // namespace mechfit
