#include "mechfit/log/acting_input.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "mechfit/base/random.h"
#include "mechfit/log/refine.h"
#include "mechfit/log/split.h"
#include "mechfit/log/steps.h"
#include "mechfit/log/thin.h"

namespace mechfit {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::Pointwise;
using Values = std::vector<double>;

// Uneven times and two inputs, from a seed.
Log random_log(std::uint64_t seed, int samples) {
  Log log;
  log.channels = {{"q"}, {JointType::plain}, {""}, {"u1", "u2"}};
  Trajectory run;
  Random random(seed, 0);
  double t = 3;
  for (int k = 0; k < samples; ++k) {
    run.t.push_back(t);
    t += random.uniform(0.05, 0.15);
    run.q.push_back(random.normal());
    for (int i = 0; i < 2; ++i) run.u.push_back(random.normal());
  }
  log.runs = {run};
  return log;
}

const InputTiming kTimings[] = {{InputHold::held, 0, 0},      {InputHold::linear, 0, 0},
                                {InputHold::held, 0.13, 0},   {InputHold::linear, 0.13, 0},
                                {InputHold::held, 0.02, 0.2}, {InputHold::linear, 0.3, 0.04}};

TEST(ActingInput, HeldInputsThatActAtOnceStayAsTheyAreToTheBit) {
  Log log = random_log(1, 30);
  const Values logged = log.runs[0].u;
  set_input_timing(log, {});
  EXPECT_EQ(log.runs[0].u, logged);
  EXPECT_EQ(refine(log.runs[0], 1, 2, 0.01, 64).u[0], logged[0]);
}

TEST(ActingInput, LinearInputsHaveTheMeanOfTheirEndsOnAStep) {
  const ActingInput input({0, 1, 2}, {0, 10, 2, 20, 6, 40}, 2, {InputHold::linear});
  EXPECT_EQ(input.means(Values{0, 1, 2}), (Values{1, 15, 4, 30, 6, 40}));
}

TEST(ActingInput, CubicsFollowASmoothSignalCloserThanLines) {
  Values t, u;
  for (int k = 0; k <= 60; ++k) {
    t.push_back(0.1 * k);
    u.push_back(std::sin(3 * t.back()));
  }
  const ActingInput lines(t, u, 1, {InputHold::linear});
  const ActingInput cubics = lines.with_cubics(8);
  double by_lines = 0, by_cubics = 0;
  for (int k = 2; k < 58; ++k) {
    const Values step = {t[k], t[k + 1]};
    const double mean = (std::cos(3 * step[0]) - std::cos(3 * step[1])) / 0.3;
    by_lines = std::max(by_lines, std::abs(lines.means(step)[0] - mean));
    by_cubics = std::max(by_cubics, std::abs(cubics.means(step)[0] - mean));
  }
  EXPECT_GT(by_lines, 5e-3);
  EXPECT_LT(by_cubics, 0.05 * by_lines);
  for (std::size_t k = 0; k < t.size(); ++k)
    EXPECT_EQ(cubics.at(Values{t[k]}, InputAtSample::next)[0], u[k]);
}

TEST(ActingInput, ADelayMixesTwoHeldInputsByTheTimeThatEachOfThemActs) {
  const ActingInput input({0, 1, 2, 3}, {4, 8, 16, 32}, 1, {InputHold::held, 0.25});
  EXPECT_EQ(input.means(Values{0, 1, 2, 3}), (Values{4, 7, 14, 16}));
}

TEST(ActingInput, AtASampleHeldInputsJump) {
  const ActingInput held({0, 1, 2}, {4, 8, 16}, 1, {});
  EXPECT_EQ(held.at(Values{0, 1, 2}, InputAtSample::next), (Values{4, 8, 16}));
  EXPECT_EQ(held.at(Values{0, 1, 2}, InputAtSample::mean), (Values{4, 6, 12}));
  const ActingInput late(held, {InputHold::held, 1});
  EXPECT_EQ(late.at(Values{0, 1, 2}, InputAtSample::mean), (Values{4, 4, 6}));
  const ActingInput linear(held, {InputHold::linear});
  EXPECT_EQ(linear.at(Values{0, 0.5, 1, 2}, InputAtSample::mean), (Values{4, 6, 8, 16}));
}

// The oracle: steps of explicit integration far finer than the samples. A jump within one of them
// is seen half a step, 2e-5 s, early or late.
TEST(ActingInput, MeansAndValuesBehindALagAreThoseOfItsDifferentialEquation) {
  for (const InputTiming& timing : kTimings) {
    if (timing.lag == 0) continue;
    const Log log = random_log(2, 20);
    const Trajectory& run = log.runs[0];
    const ActingInput input(run.t, run.u, 2, timing);
    const ActingInput before(run.t, run.u, 2, {timing.hold, timing.delay});
    const Values means = input.means(run.t), values = input.at(run.t, InputAtSample::mean);
    double x = run.u[0];
    constexpr int kFine = 4000;
    for (int k = 0; k + 1 < run.size(); ++k) {
      EXPECT_NEAR(values[2 * k], x, 5e-4);
      const double h = (run.t[k + 1] - run.t[k]) / kFine;
      Values times;
      for (int i = 0; i < kFine; ++i) times.push_back(run.t[k] + (i + 0.5) * h);
      const Values u = before.at(times, InputAtSample::mean);
      double sum = 0;
      for (int i = 0; i < kFine; ++i) {
        const double middle = x + 0.5 * h / timing.lag * (u[2 * i] - x);
        sum += middle / kFine;
        x += h / timing.lag * (u[2 * i] - middle);
      }
      EXPECT_NEAR(means[2 * k], sum, 5e-4) << timing.lag << " step " << k;
    }
  }
}

TEST(ActingInput, TheMeanOverALongStepIsThatOfItsParts) {
  for (const InputTiming& timing : kTimings) {
    Log log = random_log(3, 41);
    set_input_timing(log, timing);
    const Trajectory& run = log.runs[0];
    const Trajectory fine = refine(run, 1, 2, 0.013, 64);
    const Log coarse = thin(log, 4 * median_step(log));
    const auto integral = [](const Trajectory& of) {
      Values sum(2, 0.0);
      for (int k = 0; k + 1 < of.size(); ++k)
        for (int i = 0; i < 2; ++i) sum[i] += (of.t[k + 1] - of.t[k]) * of.u[2 * k + i];
      return sum;
    };
    ASSERT_EQ(coarse.runs[0].t.back(), run.t.back());
    EXPECT_THAT(integral(fine), Pointwise(DoubleNear(1e-12), integral(run)));
    EXPECT_THAT(integral(coarse.runs[0]), Pointwise(DoubleNear(1e-12), integral(run)));
  }
}

TEST(ActingInput, AnotherTimingBeginsWithWhatWasLogged) {
  Log log = random_log(4, 20), once = log;
  const Values logged = log.runs[0].u;
  for (const InputTiming& timing : kTimings) set_input_timing(log, timing);
  set_input_timing(once, kTimings[5]);
  EXPECT_EQ(log.runs[0].u, once.runs[0].u);
  EXPECT_NE(log.runs[0].u, logged);
  restore_logged_inputs(log);
  EXPECT_EQ(log.runs[0].u, logged);
}

TEST(ActingInput, APartOfARunKnowsWhatWasLoggedBeforeIt) {
  Log log = random_log(5, 30);
  set_input_timing(log, {InputHold::linear, 0.25, 0.1});
  const Trajectory part = slice(log.runs[0], 1, 2, 10, 30);
  EXPECT_THAT(refine(part, 1, 2, 10, 1).u, Pointwise(DoubleNear(1e-14), part.u));
}

TEST(ActingInput, SamplesWhoseInputsAreNotKnownAreLeftOut) {
  Log log;
  log.channels = {{"q"}, {JointType::plain}, {""}, {"u"}};
  log.runs.resize(2);
  log.runs[0].t = {0, 1, 2, 3, 4, 5, 6};
  log.runs[0].u = {1, 2, 3, 4, 5, 6, 7};
  log.runs[1].t = log.runs[1].u = {0, 1, 2, 3};
  for (Trajectory& run : log.runs) run.q.assign(run.t.size(), 0.0);
  EXPECT_EQ(with_known_inputs(log).samples(), 11);
  set_input_timing(log, {InputHold::held, 1.5});
  const Log known = with_known_inputs(log);
  ASSERT_EQ(known.runs.size(), 1u);
  EXPECT_THAT(known.runs[0].t, ElementsAre(2, 3, 4, 5, 6));
  EXPECT_THAT(known.runs[0].u, ElementsAre(1.5, 2.5, 3.5, 4.5, 5));
}

}  // namespace
}  // namespace mechfit
