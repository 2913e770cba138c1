#include "mechfit/fit/smoothed/trainer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <tuple>

#include "mechfit/base/error.h"
#include "mechfit/integrate/variational.h"
#include "mechfit/mechanics/families/analytic/analytic.h"
#include "mechfit/mechanics/families/smm/smm.h"
#include "mechfit/mechanics/point.h"

namespace mechfit {
namespace {

// Short runs of the point-mass pendulum with velocities and accelerations from differences: data
// that a few epochs improve on.
Samples pendulum_samples(int runs, std::uint64_t seed) {
  const Model truth{make_system("double-pendulum-points")};
  Random random(seed);
  Samples s;
  s.n = 2;
  const double h = 0.05;
  AccelerationWorkspace w(truth);
  AlignedVector q = make_panel(2), v = make_panel(2), a = make_panel(2);
  for (int run = 0; run < runs; ++run)
    for (int k = 0; k < 30; ++k) {
      for (int i = 0; i < 2; ++i)
        q[i * kBlock] = random.uniform(-1, 1), v[i * kBlock] = random.uniform(-2, 2);
      EXPECT_EQ(acceleration(truth, {q.data(), v.data(), nullptr}, a.data(), w) & 1u, 1u);
      // three configurations on a parabola, so that triples and pairs are consistent to O(h^2)
      for (int step = 0; step < 3; ++step) {
        const double t = h * (step - 1);
        for (int i = 0; i < 2; ++i) {
          s.q.push_back(q[i * kBlock] + t * v[i * kBlock] + 0.5 * t * t * a[i * kBlock]);
          s.v.push_back(v[i * kBlock] + t * a[i * kBlock]);
          s.a.push_back(a[i * kBlock]);
        }
        s.h.push_back(h);
        if (step < 1) s.triples.push_back(s.size);
        if (step < 2) s.pairs.push_back(s.size);
        ++s.size;
      }
    }
  return s;
}

Model small_smm(std::uint64_t seed, bool force = false) {
  SmmConfig config;
  config.joints = {JointType::plain, JointType::plain};
  config.hidden = {8, 8};
  config.activations = {Activation::tanh, Activation::tanh};
  config.force_network = force;
  Smm smm(config);
  Random random(seed);
  smm.initialise(random);
  return Model(smm);
}

TrainOptions options(FitMethod method, int epochs, Precision precision = Precision::float64) {
  TrainOptions o;
  o.precision = precision;
  o.objective.method = method;
  o.learning_rate = 1e-2;
  o.epochs = epochs;
  o.batch = 64;
  o.seed = 3;
  return o;
}

class EveryMethod : public ::testing::TestWithParam<std::tuple<FitMethod, Precision>> {
 protected:
  static TrainOptions options_of(int epochs) {
    return options(std::get<0>(GetParam()), epochs, std::get<1>(GetParam()));
  }
};
INSTANTIATE_TEST_SUITE_P(
    Trainer, EveryMethod,
    ::testing::Combine(::testing::Values(FitMethod::del, FitMethod::acceleration,
                                         FitMethod::next_state, FitMethod::gauge_free),
                       ::testing::Values(Precision::float64, Precision::float32)));

TEST_P(EveryMethod, LearnsSomething) {
  const Samples train = pendulum_samples(6, 1), validation = pendulum_samples(3, 2);
  ThreadPool pool(1);
  Trainer trainer(small_smm(5), train, validation, options_of(40), pool);
  const double first = trainer.epoch().validation;
  while (!trainer.done()) trainer.epoch();
  EXPECT_LT(trainer.state().history.best, 0.7 * first);
}

// Batches and barrier of several chunks, and a parameter to which every input adds.
TEST_P(EveryMethod, ThreadsDoNotChangeABit) {
  Samples train = pendulum_samples(36, 1), validation = pendulum_samples(12, 2);
  Random random(4);
  for (Samples* samples : {&train, &validation}) {
    samples->m = 2;
    for (auto* u : {&samples->u_step, &samples->u_point})
      for (int k = 0; k < 2 * samples->size; ++k) u->push_back(random.normal());
  }
  SmmConfig config;
  config.joints = {JointType::plain, JointType::plain};
  config.hidden = {8, 8};
  config.activations = {Activation::tanh, Activation::tanh};
  config.force_network = true;
  config.inputs = 2;
  config.input_map = InputMap::scaled;
  config.input_matrix = {0.1, 0.2, 0.3, 0.4};
  Smm smm(config);
  smm.initialise(random);
  TrainOptions o = options_of(2);
  o.batch = 520;
  std::vector<double> theta[2];
  double value[2];
  for (int threads : {1, 2}) {
    ThreadPool pool(threads);
    Trainer trainer(Model(smm), train, validation, o, pool);
    while (!trainer.done()) trainer.epoch();
    theta[threads - 1] = trainer.state().theta;
    value[threads - 1] = trainer.state().history.best;
  }
  EXPECT_EQ(theta[0], theta[1]);
  EXPECT_EQ(value[0], value[1]);
}

// More points than a step's barrier takes: drawn anew every epoch.
TEST(Trainer, ThreadsAndRestartsDoNotChangeABitWhereBarrierPointsAreDrawn) {
  const Samples train = pendulum_samples(50, 1), validation = pendulum_samples(3, 2);
  ASSERT_GT(train.size, Trainer::kBarrierPoints);
  TrainOptions o = options(FitMethod::del, 3);
  o.batch = 300;
  std::vector<double> theta[2];
  TrainState saved;
  for (int threads : {1, 2}) {
    ThreadPool pool(threads);
    Trainer trainer(small_smm(5), train, validation, o, pool);
    while (!trainer.done()) {
      trainer.epoch();
      if (trainer.state().epoch == 1) saved = trainer.state();
    }
    theta[threads - 1] = trainer.state().theta;
  }
  EXPECT_EQ(theta[0], theta[1]);
  ThreadPool pool(1);
  Trainer resumed(small_smm(5), train, validation, o, pool);
  resumed.restore(saved);
  while (!resumed.done()) resumed.epoch();
  EXPECT_EQ(resumed.state().theta, theta[0]);
}

TEST_P(EveryMethod, RestoredStateContinuesToTheSameBits) {
  const Samples train = pendulum_samples(6, 1), validation = pendulum_samples(3, 2);
  ThreadPool pool(1);
  Trainer whole(small_smm(5), train, validation, options_of(6), pool);
  TrainState saved;
  while (!whole.done()) {
    whole.epoch();
    if (whole.state().epoch == 2) saved = whole.state();
  }
  Trainer resumed(small_smm(5), train, validation, options_of(6), pool);
  resumed.restore(saved);
  while (!resumed.done()) resumed.epoch();
  EXPECT_EQ(whole.state().theta, resumed.state().theta);
  EXPECT_EQ(whole.state().best, resumed.state().best);
}

// float32 rounds, it does not mislead; and what it leaves is a model in float64.
TEST(Trainer, Float32GoesTheWayOfFloat64) {
  const Samples train = pendulum_samples(6, 1), validation = pendulum_samples(3, 2);
  ThreadPool pool(1);
  const double q[] = {0.3, -0.4}, v[] = {1.0, -2.0};
  for (FitMethod method :
       {FitMethod::del, FitMethod::acceleration, FitMethod::next_state, FitMethod::gauge_free}) {
    double loss[2], a[2][2];
    for (Precision precision : {Precision::float64, Precision::float32}) {
      const bool single = precision == Precision::float32;
      Trainer trainer(small_smm(5), train, validation, options(method, 10, precision), pool);
      while (!trainer.done()) loss[single] = trainer.epoch().objective;
      const Model best = trainer.best();
      ASSERT_TRUE(PointDynamics(best).acceleration(q, v, {}, a[single]));
    }
    EXPECT_NE(loss[0], loss[1]);
    EXPECT_NEAR(loss[0], loss[1], 1e-4 * std::fabs(loss[0])) << static_cast<int>(method);
    for (int i = 0; i < 2; ++i)
      EXPECT_NEAR(a[0][i], a[1][i], 1e-3 * std::fabs(a[0][i])) << static_cast<int>(method);
  }
}

TEST(Trainer, KeepsEveryEigenvalueAboveTheBarriersLine) {
  const Samples train = pendulum_samples(6, 1), validation = pendulum_samples(3, 2);
  ThreadPool pool(1);
  Trainer trainer(small_smm(5), train, validation, options(FitMethod::del, 30), pool);
  const Barrier barrier(trainer.current(), train.q, 2, pool);
  while (!trainer.done()) {
    trainer.epoch();
    ASSERT_GT(barrier.smallest_eigenvalue(trainer.current()), trainer.state().alpha);
  }
  EXPECT_GT(trainer.state().alpha, 0);
}

// Without the barrier the DEL loss is minimised by a Lagrangian that does not depend on anything: M
// = 0, V constant.
TEST(Trainer, WithoutTheBarrierTheConstantLagrangianIsTheMinimiser) {
  const Samples train = pendulum_samples(2, 1);
  ThreadPool pool(1);
  Model model = small_smm(5);
  std::vector<double> theta(model.parameter_count(), 0.0);
  // All weights zero; the bias that is added to the diagonal of L is undone by the output bias.
  const Smm& smm = *model.as<Smm>();
  const int mass_parameters =
      parameter_count({2, smm.config().hidden, smm.config().activations, 3});
  theta[mass_parameters - 3] = theta[mass_parameters - 2] = -1.0;
  const double start = make_objective(model, train, {}, pool)->all(model);
  model.set_parameters(theta);
  EXPECT_EQ(make_objective(model, train, {}, pool)->all(model), 0.0);
  EXPECT_GT(start, 0.0);
}

// Scaling (M, V, F) by gamma scales rho by gamma^2; the barrier's gradient to M falls as 1/gamma.
TEST(Trainer, ScalingTheLagrangianScalesTheResidualAndTheBarriersPull) {
  const Samples train = pendulum_samples(2, 1);
  ThreadPool pool(1);
  SmmConfig config = small_smm(5, true).as<Smm>()->config();
  config.scales = Scales::unit(2, 0);
  Smm one(config);
  Random random(4);
  one.initialise(random);
  const double gamma = 1e6;
  config.scales.energy = gamma;
  Smm scaled(config);
  scaled.set_parameters(one.parameters());
  const Model a(one), b(scaled);
  const double rho1 = make_objective(a, train, {}, pool)->all(a),
               rho2 = make_objective(b, train, {}, pool)->all(b);
  EXPECT_NEAR(rho2, gamma * gamma * rho1, 1e-9 * rho2);
  ObjectiveOptions acc;
  acc.method = FitMethod::acceleration;
  const double e1 = make_objective(a, train, acc, pool)->all(a),
               e2 = make_objective(b, train, acc, pool)->all(b);
  EXPECT_NEAR(e1, e2, 1e-9 * e1);
  // d/dM of log det(M - alpha I) is its inverse: 1/gamma. Along the output bias of L, whose unit
  // grows as sqrt(gamma) for the same change of L, the pull stays the same: the gap in the
  // theorem's proof.
  Barrier barrier1(a, train.q, 2, pool), barrier2(b, train.q, 2, pool);
  barrier1.set_alpha(0), barrier2.set_alpha(0);
  std::vector<double> g1(a.parameter_count()), g2(b.parameter_count());
  barrier1(a, 1.0, g1);
  barrier2(b, 1.0, g2);
  for (std::size_t i = 0; i < g1.size(); ++i)
    EXPECT_NEAR(g1[i], g2[i], 1e-9 * (1e-3 + std::fabs(g1[i])));
}

TEST(Trainer, ANonFiniteGradientNeverReachesTheParameters) {
  Samples train = pendulum_samples(2, 1);
  const Samples validation = pendulum_samples(2, 2);
  train.a[7] = std::nan("");
  ThreadPool pool(1);
  Trainer trainer(small_smm(5), train, validation, options(FitMethod::acceleration, 2), pool);
  while (!trainer.done()) trainer.epoch();
  EXPECT_EQ(trainer.state().history.records[0].rejected, 1);
  for (double t : trainer.state().theta) EXPECT_TRUE(std::isfinite(t));
}

TEST(Barrier, RefusesTwoNegativeEigenvaluesWhoseDeterminantIsPositive) {
  const std::vector<double> q = {0.1, 0.2};
  const Model model = small_smm(5);
  ThreadPool pool(1);
  Barrier barrier(model, q, 2, pool);
  barrier.set_alpha(1e3);  // M - alpha I has two negative eigenvalues
  EXPECT_EQ(barrier(model, 1.0, {}), std::numeric_limits<double>::infinity());
  barrier.set_alpha(0.5 * barrier.smallest_eigenvalue(model));
  EXPECT_TRUE(std::isfinite(barrier(model, 1.0, {})));
}

TEST(Barrier, OverChosenPointsIsTheBarrierOfThesePointsAlone) {
  const Samples train = pendulum_samples(2, 1);
  const Model model = small_smm(5);
  ThreadPool pool(1);
  Barrier all(model, train.q, 2, pool);
  const double over_all = all(model, 1.0, {});
  std::vector<int> index;
  std::vector<double> q;
  for (int k = 0; k < 37; ++k) {  // two blocks, the second one not full
    index.push_back((11 * k + 3) % train.size);
    for (int i = 0; i < 2; ++i) q.push_back(train.q[2 * index.back() + i]);
  }
  Barrier few(model, q, 2, pool);
  std::vector<double> g1(model.parameter_count()), g2(g1);
  all.choose(index);
  EXPECT_EQ(all(model, 0.3, g1), few(model, 0.3, g2));
  EXPECT_EQ(g1, g2);
  all.choose({});
  EXPECT_EQ(all(model, 1.0, {}), over_all);
}

// At a rate that falls to zero, whatever validation says.
TEST(Trainer, KeepsTheLastParametersWhereItIsToGoToTheEnd) {
  ThreadPool pool(1);
  const Samples train = pendulum_samples(4, 1), other = pendulum_samples(2, 2);
  TrainOptions o = options(FitMethod::acceleration, 12);
  o.to_the_end = true;
  Trainer trainer(small_smm(1), train, other, o, pool);
  while (!trainer.done()) trainer.epoch();
  const Model kept = trainer.best();
  const auto last = trainer.current().parameters(), best = kept.parameters();
  EXPECT_TRUE(std::equal(last.begin(), last.end(), best.begin()));
  const FitHistory& history = trainer.state().history;
  EXPECT_EQ(history.selected, 12);
  EXPECT_EQ(history.best, history.records.back().validation);
  EXPECT_LT(history.records.back().learning_rate, 0.05 * o.learning_rate);
}

}  // namespace
}  // namespace mechfit
