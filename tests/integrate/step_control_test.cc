#include "mechfit/integrate/step_control.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "mechfit/mechanics/families/analytic/analytic.h"
#include "tests/support/models.h"

namespace mechfit {
namespace {

using namespace mechfit::testing;

constexpr Integrator kIntegrators[] = {Integrator::variational, Integrator::rk4,
                                       Integrator::midpoint};

// Swings of two point masses, some wide, on steps of 10 ms with gaps of 80 ms and more.
class UnevenSteps : public ::testing::Test {
 protected:
  static constexpr int kTrajectories = 35;  // more than a block
  static constexpr int kSteps = 40;

  UnevenSteps() {
    const int n = model.joints();
    for (int b = 0; b < kTrajectories; ++b)
      for (int i = 0; i < n; ++i) {
        q0.push_back(random.uniform(-1, 1));
        v0.push_back(random.uniform(-2, 2));
      }
    for (int k = 0; k < kTrajectories * kSteps; ++k) h.push_back(k % 5 == 3 ? gap(k) : 0.01);
    request.trajectories = kTrajectories;
    request.steps = kSteps;
    request.q0 = q0;
    request.v0 = v0;
    request.h = h;
  }
  static double gap(int k) { return k % 2 == 0 ? 0.08 : 0.2; }
  // RMS of the distance to Runge-Kutta's method on steps of about a millisecond.
  double distance(const Rollout& rollout) {
    RolloutRequest fine = request;
    fine.control = {};
    fine.substeps = 100;
    const Rollout truth = roll_out(model, fine, Integrator::rk4, pool);
    double sum = 0;
    for (std::size_t k = 0; k < truth.q.size(); ++k) sum += std::pow(rollout.q[k] - truth.q[k], 2);
    return std::sqrt(sum / static_cast<double>(truth.q.size()));
  }

  Model model{make_system("double-pendulum-points")};
  Random random{7};
  ThreadPool pool{2};
  std::vector<double> q0, v0, h;
  RolloutRequest request;
};

TEST_F(UnevenSteps, AreCutSoThatAllMethodsAgreeWithAFineOne) {
  const Rollout coarse = roll_out(model, request, Integrator::variational, pool);
  EXPECT_TRUE(!coarse.all_ok() || distance(coarse) > 0.1);  // or there is nothing to show
  double before = 1;
  for (const double tolerance : {1e-2, 1e-3, 1e-4}) {
    request.control.tolerance = tolerance;
    double worst = 0;
    for (const Integrator integrator : kIntegrators) {
      const Rollout rollout = roll_out(model, request, integrator, pool);
      ASSERT_TRUE(rollout.all_ok());
      const double d = distance(rollout);
      EXPECT_LT(d, 20 * tolerance) << name_of(integrator);
      worst = std::max(worst, d);
    }
    EXPECT_LT(worst, before);
    before = worst;
  }
}

TEST_F(UnevenSteps, OfOneTrajectoryDoNotDependOnTheOthers) {
  request.control = {0.05, 1e-3};
  request.midpoints = true;
  for (const Integrator integrator : kIntegrators) {
    const Rollout batch = roll_out(model, request, integrator, pool);
    for (const int b : {0, 13, 34}) {
      RolloutRequest one = request;
      const std::size_t n = model.joints();
      one.trajectories = 1;
      one.q0 = request.q0.subspan(b * n, n);
      one.v0 = request.v0.subspan(b * n, n);
      one.h = request.h.subspan(b * kSteps, kSteps);
      const Rollout alone = roll_out(model, one, integrator, pool);
      EXPECT_TRUE(std::equal(alone.q.begin(), alone.q.end(), &batch.q[b * (kSteps + 1) * n]));
      EXPECT_TRUE(std::equal(alone.q_mid.begin(), alone.q_mid.end(), &batch.q_mid[b * kSteps * n]));
      EXPECT_TRUE(std::equal(alone.v_mid.begin(), alone.v_mid.end(), &batch.v_mid[b * kSteps * n]));
    }
  }
}

// Steps that need no cutting are those of one inner step, whatever the inputs do; and steps no
// longer than `longest` are as many as that asks for.
TEST(StepControl, LeavesFineStepsAloneAndKeepsToTheLongestOne) {
  const Model model(make_system("cart-pole"));
  const int steps = 50, n = model.joints(), m = model.inputs();
  ASSERT_GT(m, 0);
  Random random(3);
  std::vector<double> q0(n, 0.3), v0(n, 0.5), h{0.002}, u;
  for (int k = 0; k < steps * m; ++k) u.push_back(random.uniform(-5, 5));
  RolloutRequest request;
  request.trajectories = 1;
  request.steps = steps;
  request.q0 = q0;
  request.v0 = v0;
  request.h = h;
  request.u = u;
  ThreadPool pool(1);
  for (const Integrator integrator : kIntegrators)
    for (const int parts : {1, 3}) {
      RolloutRequest fixed = request;
      fixed.substeps = parts;
      RolloutRequest controlled = request;
      controlled.control = {h[0] / parts, 0.02};
      const Rollout a = roll_out(model, fixed, integrator, pool),
                    b = roll_out(model, controlled, integrator, pool);
      ASSERT_TRUE(a.all_ok() && b.all_ok());
      // The variational step's equation is solved to rounding from another guess.
      for (std::size_t k = 0; k < a.q.size(); ++k) {
        EXPECT_NEAR(a.q[k], b.q[k], 1e-11);
        EXPECT_NEAR(a.v[k], b.v[k], 1e-10);
      }
    }
}

// Inputs given on pieces of a step act on inner steps as the mean over these.
TEST(StepControl, InputsOnPiecesKeepTheirMeans) {
  const Model model(make_system("cart-pole"));
  const int n = model.joints();
  const std::vector<double> q0(n, 0.0), v0(n, 0.0), h{0.012}, u{1, 5, -2};
  RolloutRequest request;
  request.trajectories = request.steps = 1;
  request.q0 = q0;
  request.v0 = v0;
  request.h = h;
  request.u = u;
  request.inner_inputs = true;
  request.substeps = 3;
  ThreadPool pool(1);
  const Rollout pieces = roll_out(model, request, Integrator::rk4, pool);
  request.control = {0.004, 10};
  const Rollout three = roll_out(model, request, Integrator::rk4, pool);
  for (std::size_t k = 0; k < pieces.q.size(); ++k) EXPECT_NEAR(three.q[k], pieces.q[k], 1e-15);
  const std::vector<double> halves{(1 + 0.5 * 5) / 1.5, (0.5 * 5 - 2) / 1.5};
  request.control = {0.006, 10};
  const Rollout two = roll_out(model, request, Integrator::rk4, pool);
  request.control = {};
  request.substeps = 2;
  request.u = halves;
  const Rollout expected = roll_out(model, request, Integrator::rk4, pool);
  for (std::size_t k = 0; k < two.q.size(); ++k) EXPECT_NEAR(two.q[k], expected.q[k], 1e-15);
}

}  // namespace
}  // namespace mechfit
