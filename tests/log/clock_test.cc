#include "mechfit/log/clock.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "mechfit/base/error.h"
#include "mechfit/base/random.h"
#include "mechfit/log/gaps.h"
#include "mechfit/log/inspect.h"
#include "mechfit/log/reclock.h"

namespace mechfit {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Values = std::vector<double>;

Log one_joint(const Values& t) {
  Log log;
  log.channels = {{"arm"}, {JointType::periodic}, {"rad"}, {}};
  Trajectory& run = log.runs.emplace_back();
  run.name = "a";
  run.t = t;
  for (const double x : t) run.q.push_back(std::sin(3 * x));
  return log;
}

std::vector<std::string> settle(Log& log, const ReadOptions& options = {}) {
  std::vector<std::string> notes;
  settle_clock(log, options, notes);
  return notes;
}

Values grid(int count, double h, double start = 0) {
  Values t;
  for (int k = 0; k < count; ++k) t.push_back(start + k * h);
  return t;
}

TEST(Clock, CountsMillisecondsMicrosecondsOrNanosecondsByItsSteps) {
  for (const auto& [unit, step] : {std::pair{TimeUnit::ms, 20.0},
                                   {TimeUnit::ms, 2.0},
                                   {TimeUnit::us, 1000.0},
                                   {TimeUnit::ns, 1e6},
                                   {TimeUnit::ns, 2e7}}) {
    Log log = one_joint(grid(50, step));
    EXPECT_EQ(guess_time_unit(log), unit) << step;
    EXPECT_THAT(settle(log), ElementsAre(HasSubstr("the clock counts " + name_of(unit))));
    EXPECT_NEAR(log.runs[0].t[1], step * seconds_per(unit), 1e-12);
  }
  for (const double step : {0.001, 0.02, 1.0, 2.5, 20.4}) {
    Log log = one_joint(grid(50, step));
    EXPECT_EQ(guess_time_unit(log), std::nullopt) << step;
    EXPECT_THAT(settle(log), IsEmpty());
  }
}

TEST(Clock, AUnitThatIsToldIsNotGuessed) {
  Log named = one_joint(grid(50, 20.0)), told = named;
  named.channels.time_unit = "s";
  EXPECT_THAT(settle(named), IsEmpty());
  ReadOptions options;
  options.time_unit = TimeUnit::s;
  EXPECT_THAT(settle(told, options), IsEmpty());
  EXPECT_EQ(told.runs[0].t[1], 20.0);
}

TEST(Clock, StampsSince1970CountFromTheFirstSecond) {
  const double start = 1700000000;  // a November day of 2023
  for (const TimeUnit unit : {TimeUnit::s, TimeUnit::ms, TimeUnit::us, TimeUnit::ns}) {
    Log log = one_joint(grid(50, 0.02 / seconds_per(unit), (start + 0.5) / seconds_per(unit)));
    const auto notes = settle(log);
    EXPECT_EQ(notes.back(), "time counts from 2023-11-14 22:13:20 UTC, 1700000000 s since 1970");
    for (int k = 0; k < 50; ++k) EXPECT_NEAR(log.runs[0].t[k], 0.5 + 0.02 * k, 1e-6);
  }
}

TEST(Clock, RowsLoggedTwiceAreLeftOut) {
  Log log = one_joint({0, 0.1, 0.1, 0.2, 0.2, 0.2, 0.3});
  log.runs[0].origin = {"log.csv", Origin::Place::line, {{0, 2}}};
  EXPECT_THAT(settle(log),
              ElementsAre("left out 3 rows that repeat the one before, the first is log.csv:4"));
  EXPECT_EQ(log.runs[0].t, (Values{0, 0.1, 0.2, 0.3}));
}

TEST(Clock, SamplesWhoseTimeStandsAreRefusedOrDropped) {
  Log log = one_joint({0, 0.1, 0.1, 0.05, 0.2});
  log.runs[0].q[2] = 7;
  log.runs[0].origin = {"log.csv", Origin::Place::line, {{0, 2}}};
  Log refused = log;
  try {
    settle(refused);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("log.csv:4: time 0.1 is repeated, the first of 2 such"));
    EXPECT_THAT(error.what(), HasSubstr("option 'reclock'"));
  }
  ReadOptions options;
  options.drop_bad_rows = true;
  EXPECT_THAT(settle(log, options),
              ElementsAre("left out 2 rows whose time does not increase, the first is log.csv:4"));
  EXPECT_EQ(log.runs[0].t, (Values{0, 0.1, 0.2}));
}

// Samples of every tick of 1 ms but some, stamped late by up to `jitter` ticks; some are read
// twice.
struct Stamped {
  Trajectory run;
  std::vector<long> ticks;
};
Stamped stamped(double jitter, double noise, double missed, double again, std::uint64_t seed) {
  Random random(seed);
  Stamped out;
  long tick = 0;
  for (int k = 0; k < 3000; ++k) {
    const bool repeats = k > 0 && random.uniform(0, 1) < again;
    if (k > 0 && !repeats) tick += random.uniform(0, 1) < missed ? 2 : 1;
    const double t = 1e-3 * static_cast<double>(tick);
    out.ticks.push_back(tick);
    out.run.t.push_back(t + 1e-3 * random.uniform(0, jitter));
    if (repeats)
      out.run.q.insert(out.run.q.end(), out.run.q.end() - 2, out.run.q.end());
    else
      for (const double speed : {2.0, 3.3})
        out.run.q.push_back(std::sin(speed * t + 0.4) + noise * random.normal());
  }
  return out;
}

TEST(Reclock, FindsTheTicksOfJitteringStamps) {
  for (const double noise : {0.0, 1e-5, 1e-2}) {
    const Stamped even = stamped(0.8, noise, 0, 0, 5);
    const EvenClock clock = find_even_clock(even.run, 2);
    EXPECT_NEAR(clock.period, 1e-3, 1e-8) << noise;
    for (std::size_t k = 0; k < even.ticks.size(); ++k)
      ASSERT_EQ(clock.ticks[k] - clock.ticks[0], even.ticks[k]) << noise << " " << k;
    EXPECT_EQ(clock.missed + clock.repeated, 0);
  }
}

TEST(Reclock, MissedAndRepeatedSamplesShowInTheMotion) {
  const Stamped data = stamped(1.5, 1e-6, 0.07, 0.06, 6);
  const EvenClock clock = find_even_clock(data.run, 2);
  EXPECT_NEAR(clock.period, 1e-3, 1e-7);
  int wrong = 0;
  for (std::size_t k = 1; k < data.ticks.size(); ++k)
    wrong += clock.ticks[k] - clock.ticks[k - 1] != data.ticks[k] - data.ticks[k - 1];
  EXPECT_LE(wrong, 30);  // near a turning point nothing moves
  const Trajectory mended = on_clock(data.run, clock);
  EXPECT_EQ(mended.size(), 3000 - clock.repeated);
  for (int k = 1; k < mended.size(); ++k) ASSERT_GT(mended.t[k], mended.t[k - 1]);
}

TEST(Reclock, BringsTheNoiseDownAndSaysSo) {
  Log log;
  log.channels = {{"a", "b"}, {JointType::periodic, JointType::periodic}, {"rad", "rad"}, {}};
  log.runs.push_back(stamped(0.8, 1e-6, 0.01, 0, 7).run);
  const JitterCheck check = check_jitter(log);
  EXPECT_TRUE(check.found);
  EXPECT_NEAR(check.period, 1e-3, 1e-7);
  EXPECT_LT(check.noise_on_clock, 2e-6);
  EXPECT_GT(check.noise, 1e-4);
  std::vector<std::string> notes;
  reclock(log, notes);
  EXPECT_LT(estimate_noise(log, 0), 2e-6);
  EXPECT_THAT(notes, ElementsAre(HasSubstr("stamps replaced by an even clock of 0.001")));
  EXPECT_FALSE(check_jitter(log).found);
}

TEST(Reclock, StampsThatAreTrueAreNotTakenForJitter) {
  Random random(8);
  for (const double noise : {0.0, 1e-4, 1e-2}) {
    Values t;
    for (int k = 0; k < 2000; ++k) t.push_back(0.01 * (k + random.uniform(-0.4, 0.4)));
    Log log = one_joint(t);
    for (double& q : log.runs[0].q) q += noise * random.normal();
    EXPECT_FALSE(check_jitter(log).found) << noise;
  }
}

// A swing of 3 rad/s sampled every 0.02 s, without the samples between two times.
Log with_gap(double begin, double end) {
  Values t;
  for (const double x : grid(600, 0.02))
    if (x < begin || x > end) t.push_back(x);
  return one_joint(t);
}

TEST(Gaps, AreSplitWhereTheMotionDoesNotBridgeThem) {
  for (const auto& [gap, runs] :
       {std::pair{0.1, 1u}, {0.3, 1u}, {0.6, 1u}, {1.2, 2u}, {2.0, 2u}, {4.0, 2u}}) {
    Log log = with_gap(3, 3 + gap);
    std::vector<std::string> notes;
    split_at_gaps(log, std::nullopt, notes);
    EXPECT_EQ(log.runs.size(), runs) << gap;
    EXPECT_EQ(notes.size(), runs - 1) << gap;
  }
  std::vector<std::string> notes;
  Log told = with_gap(3, 3.3), never = with_gap(3, 7);
  split_at_gaps(told, 10, notes);
  EXPECT_EQ(told.runs.size(), 2u);
  EXPECT_THAT(notes, ElementsAre(HasSubstr("longer than 10 median steps")));
  split_at_gaps(never, 0, notes);
  EXPECT_EQ(never.runs.size(), 1u);
}

}  // namespace
}  // namespace mechfit
