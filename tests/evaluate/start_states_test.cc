#include "mechfit/evaluate/start_states.h"

#include <gtest/gtest.h>

#include <cmath>

#include "mechfit/base/error.h"
#include "mechfit/estimate/kalman/smoother.h"
#include "mechfit/evaluate/scores.h"
#include "mechfit/integrate/simulate.h"
#include "mechfit/mechanics/families/analytic/analytic.h"
#include "tests/support/logs.h"

namespace mechfit {
namespace {

constexpr double kNoise = 0.05;

struct Swing {
  AnalyticSystem system = make_system("double-pendulum-points");
  Model model = Model(system);
  Simulation data;
  ThreadPool pool{2};

  explicit Swing(int runs = 4) {
    PaperProtocol paper = paper_protocol(false, false);
    paper.options.runs = runs;
    paper.options.h = 0.02;
    paper.options.noise = {kNoise, kNoise};
    data = simulate(model, system_channels(system), paper.options, pool);
  }
};

using testing::rms_error;

TEST(StartStates, AreFarBetterThanTheObservationsAndThanAFilterWithoutAModel) {
  Swing swing;
  Starts starts = choose_starts(swing.data.observed, 1, 0, 100, 60);
  EXPECT_EQ(starts.sample[0], 59);
  Starts truth = starts;
  take_logged_states(swing.data.truth, truth);
  const StartEstimate estimate =
      estimate_states(swing.model, swing.data.observed, 60, starts, swing.pool);
  EXPECT_EQ(estimate.without_model, 0);
  EXPECT_NEAR(estimate.noise.sigma[0], kNoise, 0.005);
  EXPECT_LT(rms_error(starts.q, truth.q), 0.4 * kNoise);
  // White noise on the jerk, over the same samples.
  Log windows;
  windows.channels = swing.data.observed.channels;
  for (int s = 0; s < starts.size(); ++s) {
    const Trajectory& run = swing.data.observed.runs[starts.run[s]];
    const int end = starts.sample[s] + 1;
    windows.runs.push_back({"",
                            {run.t.begin() + end - 60, run.t.begin() + end},
                            {run.q.begin() + 2 * (end - 60), run.q.begin() + 2 * end},
                            {},
                            {},
                            {},
                            {},
                            {},
                            {}});
  }
  const Log plain = smooth(windows, {}, swing.pool).log;
  std::vector<double> v;
  for (const auto& run : plain.runs) v.insert(v.end(), run.qd.end() - 2, run.qd.end());
  EXPECT_LT(rms_error(starts.v, truth.v), 0.35 * rms_error(v, truth.v));
}

TEST(StartStates, KnowNothingOfLaterSamples) {
  Swing swing(1);
  const auto first_state = [&](const Log& log) {
    Starts starts = run_starts(log, 60);
    EXPECT_EQ(starts.sample[0], 59);
    estimate_states(swing.model, log, 60, starts, swing.pool);
    return std::pair(starts.q, starts.v);
  };
  Log other = swing.data.observed;
  for (std::size_t k = 60 * 2; k < other.runs[0].q.size(); ++k) other.runs[0].q[k] += 1;
  EXPECT_EQ(first_state(other), first_state(swing.data.observed));
  other.runs[0].q[59 * 2] += 0.1;
  EXPECT_NE(first_state(other), first_state(swing.data.observed));
}

TEST(StartStates, DrawsScatterAsTheErrorsDo) {
  Swing swing(8);
  Starts starts = choose_starts(swing.data.observed, 1, 0, 64, 40), truth = starts;
  take_logged_states(swing.data.truth, truth);
  std::vector<Starts> drawn;
  estimate_states(swing.model, swing.data.observed, 40, starts, swing.pool, 30, &drawn);
  ASSERT_EQ(drawn.size(), 30u);
  double spread_q = 0, spread_v = 0;
  for (const Starts& draw : drawn) {
    spread_q += std::pow(rms_error(draw.q, starts.q), 2) / 30;
    spread_v += std::pow(rms_error(draw.v, starts.v), 2) / 30;
  }
  EXPECT_NEAR(std::sqrt(spread_q) / rms_error(starts.q, truth.q), 1, 0.3);
  EXPECT_NEAR(std::sqrt(spread_v) / rms_error(starts.v, truth.v), 1, 0.3);
}

TEST(StartStates, DoWithoutAModelWhereItHasNoPositiveMass) {
  Swing swing(1);
  EquationWriter writer("odd", {{"q1", JointType::plain, "rad"}, {"q2", JointType::plain, "rad"}});
  writer.M(0, 0) = writer.constant("m1", -1, "kg", Range::any);
  writer.M(1, 1) = writer.constant("m2", 1, "kg", Range::any);
  const Model odd(AnalyticSystem(writer.finish()));
  Starts starts = choose_starts(swing.data.observed, 1, 0, 10, 60);
  const StartEstimate estimate = estimate_states(odd, swing.data.observed, 60, starts, swing.pool);
  EXPECT_EQ(estimate.without_model, 10);
  for (int s = 0; s < 10; ++s)
    EXPECT_NEAR(starts.q[2 * s], swing.data.observed.runs[0].q[2 * starts.sample[s]], 5 * kNoise);
}

TEST(StartStates, NeedAFewSamplesBehindAndOneAhead) {
  Trajectory run;
  for (int k = 0; k < 200; ++k) run.t.push_back(k);
  EXPECT_EQ(first_start(run, 60), 59);
  EXPECT_EQ(first_start(run, 150), 99);
  EXPECT_EQ(first_start(run, 0), 0);
  run.t.resize(6);
  EXPECT_EQ(first_start(run, 60), 4);
  run.t.resize(5);
  EXPECT_EQ(first_start(run, 60), -1);
}

TEST(Evaluate, StartsWhereAsked) {
  Swing swing;
  Log noisy = swing.data.truth;
  for (std::size_t r = 0; r < noisy.runs.size(); ++r)
    noisy.runs[r].q = swing.data.observed.runs[r].q;
  EvaluateOptions options;
  options.rollout.horizons = {0.5};
  const Scores estimated = evaluate(swing.model, noisy, options, swing.pool);
  options.start = StartKind::logged;
  const Scores logged = evaluate(swing.model, noisy, options, swing.pool);
  EXPECT_EQ(estimated.start, StartKind::estimated);
  EXPECT_EQ(logged.start, StartKind::logged);
  EXPECT_GT(logged.rollout.horizons[0].starts, 0);
  // Compared with noisy positions, at best their noise is left.
  EXPECT_LT(estimated.rollout.horizons[0].variational.overall, 1.3 * kNoise);
  EXPECT_GT(logged.rollout.horizons[0].variational.overall,
            1.15 * estimated.rollout.horizons[0].variational.overall);
  for (auto& run : noisy.runs) run.qd.clear();
  EXPECT_THROW(evaluate(swing.model, noisy, options, swing.pool), InputError);
}

TEST(Evaluate, StartsAsLoggedInRunsTooShortToEstimateFrom) {
  Swing swing;
  Log log = swing.data.truth;
  for (auto& run : log.runs) {
    run.t.resize(4);
    for (auto* x : {&run.q, &run.qd, &run.qdd}) x->resize(8);
  }
  const Scores scores = evaluate(swing.model, log, {}, swing.pool);
  EXPECT_EQ(scores.start, StartKind::logged);
  EXPECT_FALSE(scores.rollout.horizons.empty());
}

}  // namespace
}  // namespace mechfit
