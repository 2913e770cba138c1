// Whole fits: what a user may expect of each objective.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iostream>

#include "mechfit/evaluate/ensemble_smoother.h"
#include "mechfit/evaluate/scores.h"
#include "mechfit/fit/fit.h"
#include "mechfit/fit/fit_record.h"
#include "mechfit/fit/state.h"
#include "mechfit/integrate/simulate.h"
#include "mechfit/log/split.h"
#include "mechfit/mechanics/families/analytic/analytic.h"
#include "mechfit/mechanics/point.h"
#include "tests/support/logs.h"
#include "tests/support/machines.h"

namespace mechfit {
namespace {

using testing::part;

// The objectives without the smoothing: noise-free states of the point-mass pendulum, eight runs to
// train on.
TEST(Fit, EveryObjectiveLearnsThePendulumFromNoiseFreeStates) {
  ThreadPool pool(2);
  const PaperProtocol protocol = paper_protocol(false, false);
  auto options = protocol.options;
  options.seed = 5;
  const Simulation data =
      simulate(Model(protocol.system), system_channels(protocol.system), options, pool);
  for (const auto& [method, name] : {std::pair{FitMethod::del, "del"},
                                     {FitMethod::acceleration, "acceleration"},
                                     {FitMethod::next_state, "next-state"},
                                     {FitMethod::gauge_free, "gauge-free"}}) {
    FitOptions fitting;
    fitting.method = method;
    fitting.smoothed = true;
    fitting.force = ForceKind::none;
    const FitResult result = fit(part(data.truth, 0, 8), part(data.truth, 8, 12), fitting, pool);
    const Scores scores = evaluate(result.model, part(data.midpoints, 12, 16), {}, pool);
    RecordProperty(std::string(name) + "_acceleration_mse",
                   std::to_string(scores.acceleration.mse));
    std::string rollouts;
    for (const auto& h : scores.rollout.horizons)
      rollouts += std::to_string(h.seconds) + " s: " + std::to_string(h.variational.overall) + "  ";
    std::printf("%-12s acceleration MSE %.3f (zero %.1f), rollouts %s\n", name,
                scores.acceleration.mse, scores.acceleration_zero.mse, rollouts.c_str());
    EXPECT_LE(scores.acceleration.mse, 3.0) << name;
    EXPECT_GT(scores.acceleration_zero.mse, 50.0);
  }
}

// Estimating the motion with the model: from noisy angles alone, far below what smoothing first can
// reach.
TEST(Fit, JointEstimationLearnsThePendulumFromNoisyAngles) {
  const PaperProtocol protocol = paper_protocol(false, false);
  auto options = protocol.options;
  options.seed = 6;
  ThreadPool one(1), two(2);
  const Simulation data =
      simulate(Model(protocol.system), system_channels(protocol.system), options, two);
  for (const char* family : {"trig", "double-pendulum-points"}) {
    FitOptions fitting;
    fitting.family = family;
    fitting.force = ForceKind::none;
    if (std::string(family) != "trig") fitting.fix = {{"g", 10.0}, {"m1", 1.0}};
    const FitResult result =
        fit(part(data.observed, 0, 8), part(data.observed, 8, 12), fitting, two);
    const Scores scores = evaluate(result.model, part(data.midpoints, 12, 16), {}, two);
    std::printf("%s: acceleration MSE %.4f (zero %.1f)\n", family, scores.acceleration.mse,
                scores.acceleration_zero.mse);
    EXPECT_LT(scores.acceleration.mse, 2.0) << family;
    EXPECT_GT(scores.acceleration_zero.mse, 50.0);
    const FitResult again =
        fit(part(data.observed, 0, 8), part(data.observed, 8, 12), fitting, one);
    EXPECT_TRUE(std::equal(result.model.parameters().begin(), result.model.parameters().end(),
                           again.model.parameters().begin()))
        << family << ": the number of threads matters";
  }
}

// Precise data let a network be polished after its 1200 steps, and a fit that is interrupted there
// ends with the same bits.
TEST(Fit, ANetworkGoesOnWithPreciseDataAndResumesThere) {
  const PaperProtocol protocol = paper_protocol(false, false);
  auto options = protocol.options;
  options.runs = 6;
  options.noise = {5e-4, 5e-4};
  ThreadPool pool(2);
  const Log log =
      simulate(Model(protocol.system), system_channels(protocol.system), options, pool).observed;
  FitOptions fitting;
  fitting.family = "smm";
  const auto run = [&](const FitHooks& hooks) {
    return fit(part(log, 0, 4), part(log, 4, 6), fitting, pool, hooks);
  };
  const FitResult whole = run({});
  EXPECT_GT(whole.history.records.size(), 1205u);
  FitState saved;
  FitHooks interrupted;
  interrupted.progress = [](const FitProgress& at) { return at.record.step < 1203; };
  interrupted.checkpoint = [&](const FitState& state, const FitHistory&) { saved = state; };
  EXPECT_EQ(run(interrupted).status, FitStatus::interrupted);
  FitHooks resumed;
  resumed.resume = &saved;
  const FitResult rest = run(resumed);
  EXPECT_EQ(rest.status, FitStatus::finished);
  EXPECT_EQ(rest.history.records.size(), whole.history.records.size());
  EXPECT_TRUE(std::equal(rest.model.parameters().begin(), rest.model.parameters().end(),
                         whole.model.parameters().begin()));
}

// The same log in other units gives the same model after conversion.
TEST(Fit, UnitsDoNotMatter) {
  ThreadPool pool(2);
  const AnalyticSystem cart = make_system("cart-pole");
  SimulateOptions options;
  options.runs = 6;
  options.steps = 80;
  options.h = 0.02;
  options.q0 = default_start(cart);
  options.v0 = {{0.0, 0.0}, {0.0, 0.0}};
  options.input.signal = InputSignal::sines;
  options.input.amplitude = 2.0;
  options.noise = {1e-3, 1e-3};
  const Log metres = simulate(Model(cart), system_channels(cart), options, pool).observed;
  Log other = metres;  // the cart in millimetres, time in milliseconds
  for (auto& run : other.runs) {
    for (auto& t : run.t) t *= 1000.0;
    for (int k = 0; k < run.size(); ++k) run.q[2 * k] *= 1000.0;
  }
  for (FitMethod method :
       {FitMethod::del, FitMethod::acceleration, FitMethod::next_state, FitMethod::gauge_free}) {
    FitOptions fitting;
    fitting.method = method;
    fitting.epochs = 5;
    const FitResult a = fit(metres, std::nullopt, fitting, pool),
                    b = fit(other, std::nullopt, fitting, pool);
    PointDynamics in_metres(a.model), in_millimetres(b.model);
    Random random(3);
    for (int i = 0; i < 20; ++i) {
      const double x = random.uniform(-0.3, 0.3), q = random.uniform(-1, 1),
                   v = random.uniform(-1, 1), w = random.uniform(-1, 1), u = random.uniform(-2, 2);
      double one[2], two[2];
      ASSERT_TRUE(
          in_metres.acceleration(std::vector{x, q}, std::vector{v, w}, std::vector{u}, one));
      ASSERT_TRUE(in_millimetres.acceleration(std::vector{1000 * x, q}, std::vector{v, w / 1000},
                                              std::vector{u}, two));
      EXPECT_NEAR(two[0] * 1e3, one[0], 1e-6 * (1 + std::fabs(one[0])));
      EXPECT_NEAR(two[1] * 1e6, one[1], 1e-6 * (1 + std::fabs(one[1])));
    }
  }
}

// With known inputs the scale of M is physical: small and large machines are found in their units.
TEST(Fit, InputsGiveTheMassMatrixItsPhysicalScale) {
  ThreadPool pool(2);
  struct Machine {
    const char* name;
    double cart, pole, length, amplitude;
  };
  for (const Machine& machine :
       {Machine{"95 kg", 95.0, 5.0, 1.0, 100.0}, Machine{"1e-4 kg", 1e-4, 5e-6, 1.0, 1e-4}}) {
    AnalyticSystem cart = make_system("cart-pole");
    cart.set_constant("m_cart", machine.cart);
    cart.set_constant("m_pole", machine.pole);
    cart.set_constant("l", machine.length);
    SimulateOptions options;
    options.runs = 16;
    options.steps = 200;
    options.h = 0.01;
    options.q0 = {{-0.2, 0.2}, {-1.0, 1.0}};
    options.v0 = {{-0.5, 0.5}, {-1.0, 1.0}};
    options.input.signal = InputSignal::sines;
    options.input.amplitude = machine.amplitude;
    options.input.lowest_frequency = 0.5;
    options.input.highest_frequency = 3.0;
    const Simulation data = simulate(Model(cart), system_channels(cart), options, pool);
    for (const auto& [method, name] : {std::pair{FitMethod::del, "del"},
                                       {FitMethod::acceleration, "acceleration"},
                                       {FitMethod::gauge_free, "gauge-free"}}) {
      FitOptions fitting;
      fitting.method = method;
      fitting.smoothed = true;
      fitting.force = ForceKind::none;
      const FitResult result = fit(data.truth, std::nullopt, fitting, pool);
      PointDynamics learned(result.model);
      const Model truth(cart);
      PointDynamics exact(truth);
      double error = 0, size = 0;
      for (const auto& run : data.truth.runs)
        for (int k = 0; k < run.size(); k += 20) {
          double one[4], two[4];
          learned.mass(std::span(run.q).subspan(2 * k, 2), one);
          exact.mass(std::span(run.q).subspan(2 * k, 2), two);
          error += std::pow(one[0] - two[0], 2);
          size += std::pow(two[0], 2);
        }
      std::printf("%s by %s: M off by %.2f %%\n", machine.name, name,
                  100 * std::sqrt(error / size));
      EXPECT_LT(std::sqrt(error / size), 0.02) << machine.name << " by " << name;
    }
  }
}

// What smoothing with a fitted model says of its own accuracy is true on a log that the fit has not
// seen: shares of the true motion within what holds 90 % of a normal distribution.
TEST(Fit, SmoothingWithItsModelKnowsHowAccurateItIs) {
  ThreadPool pool(2);
  const testing::Recording recording{0.1, 0.05, 10, 16};
  FitOptions options = testing::options_of("trig");
  options.quick = true;
  const FitResult result =
      fit(testing::record(testing::kPoints, recording, 21, pool).observed, {}, options, pool);
  const Simulation fresh = testing::record(testing::kPoints, recording, 22, pool);
  const Log smoothed =
      smooth_with_model(ensemble_of(fit_record(result, options)), fresh.observed, pool).log;
  for (const auto& [values, deviations] : {std::pair{&Trajectory::q, &Trajectory::q_sd},
                                           std::pair{&Trajectory::qd, &Trajectory::qd_sd},
                                           std::pair{&Trajectory::qdd, &Trajectory::qdd_sd}}) {
    double inside = 0, count = 0;
    for (std::size_t r = 0; r < smoothed.runs.size(); ++r)
      for (std::size_t k = 0; k < smoothed.runs[r].q.size(); ++k, ++count)
        inside += std::abs((smoothed.runs[r].*values)[k] - (fresh.truth.runs[r].*values)[k]) <
                  1.645 * (smoothed.runs[r].*deviations)[k];
    std::cout << "share within 1.645 deviations " << inside / count << "\n";
    EXPECT_NEAR(inside / count, 0.9, 0.06);
  }
}

}  // namespace
}  // namespace mechfit
