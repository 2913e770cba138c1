#include "mechfit/estimate/motion/contradictions.h"

#include <gtest/gtest.h>

#include <cmath>

#include "mechfit/estimate/motion/noise_mixture.h"
#include "mechfit/mechanics/families/analytic/analytic.h"
#include "tests/support/dirt.h"
#include "tests/support/machines.h"

namespace mechfit {
namespace {

std::vector<double> normal_numbers(int count, std::uint64_t seed) {
  Random random(seed);
  std::vector<double> z;
  for (int k = 0; k < count; ++k) z.push_back(random.normal());
  return z;
}

TEST(NoiseMixture, NormalNumbersHaveNoWidePart) {
  for (int seed = 0; seed < 200; ++seed)
    EXPECT_EQ(fit_noise_mixture(normal_numbers(3000, seed)).share, 0) << seed;
}

TEST(NoiseMixture, ShareAndWidthAreFound) {
  for (const double width : {6.0, 30.0}) {
    std::vector<double> z = normal_numbers(20000, 1);
    for (std::size_t k = 0; k < z.size(); k += 50) z[k] *= width;
    const NoiseMixture mixture = fit_noise_mixture(z);
    EXPECT_NEAR(mixture.share, 0.02, 0.004);
    EXPECT_NEAR(mixture.scale, 1, 0.02);
    EXPECT_NEAR(mixture.width, width, 0.15 * width);
    EXPECT_FALSE(mixture.wide(2));
    EXPECT_TRUE(mixture.wide(6));
  }
}

TEST(NoiseMixture, OneNumberFarOutIsEnough) {
  std::vector<double> z = normal_numbers(7000, 2);
  z[70] = 12;
  EXPECT_TRUE(fit_noise_mixture(z).wide(12));
  EXPECT_FALSE(fit_noise_mixture(z).wide(4));
}

TEST(NoiseMixture, NumbersWithoutSpreadHaveNone) {
  EXPECT_EQ(fit_noise_mixture({}).share, 0);
  EXPECT_EQ(fit_noise_mixture(std::vector<double>(100, 0.0)).share, 0);
}

class Contradictions : public ::testing::Test {
 protected:
  Contradictions() {
    const Simulation data = testing::record(testing::kPoints, {kNoise, 0.02, 4, 6}, 3, pool_);
    log_ = data.observed;
    truth_ = data.truth;
  }

  testing::Spoiled find(const Model& model, double s, const Log& used) {
    const JudgedLog judged[] = {{&log_, &used, &truth_}};
    testing::Spoiled places;
    const auto found = find_contradictions(model, {{kNoise, kNoise}, {s, s}}, judged, pool_);
    for (const Defect& d : found[0]) {
      EXPECT_EQ(d.found, log_.runs[d.run].q[2 * d.sample + d.joint]);
      EXPECT_NEAR(d.expected, truth_.runs[d.run].q[2 * d.sample + d.joint], 4 * kNoise);
      places.insert({d.run, d.sample, d.joint});
    }
    return places;
  }

  static constexpr double kNoise = 0.005;
  Model model_{testing::system_of(testing::kPoints)};
  ThreadPool pool_{1};
  Log log_, truth_;
};

TEST_F(Contradictions, AGoodLogHasNone) { EXPECT_TRUE(find(model_, 0.05, log_).empty()); }

TEST_F(Contradictions, ObservationsOffByEightDeviationsAreFoundWhetherTheyHaveWeightOrNot) {
  testing::Spoiled bad;
  for (int k = 0; k < 20; ++k) {
    const int r = k % 6, sample = 9 * k + 5, j = k % 2;
    log_.runs[r].q[2 * sample + j] = truth_.runs[r].q[2 * sample + j] + (k % 3 ? 8 : -8) * kNoise;
    bad.insert({r, sample, j});
  }
  EXPECT_EQ(find(model_, 0.05, log_), bad);
  Log used = log_;
  for (const auto& [r, k, j] : bad) used.runs[r].q[2 * k + j] = std::nan("");
  EXPECT_EQ(find(model_, 0.05, used), bad);
}

TEST_F(Contradictions, HeldValuesAreFoundEvenWithinTheNoise) {
  const int begin = 40;
  testing::Spoiled bad;
  for (int k = begin + 1; k < begin + 4; ++k) {
    log_.runs[1].q[2 * k] = log_.runs[1].q[2 * begin];
    bad.insert({1, k, 0});
  }
  const auto found = find(model_, 0.05, log_);
  for (const auto& place : bad) EXPECT_TRUE(found.contains(place));
  EXPECT_EQ(found.size(), bad.size());
}

TEST_F(Contradictions, RepetitionByTheStepsOfASensorIsNoDefect) {
  testing::quantise(log_, kNoise);
  EXPECT_TRUE(find(model_, 0.05, log_).empty());
}

// Where a model is wrong for a while, its observations are not.
TEST_F(Contradictions, AWrongModelContradictsHardlyAnyObservation) {
  const Model wrong(testing::system_of(testing::kPoints, {{"g", 14.0}}));
  EXPECT_LE(find(wrong, 2, log_).size(), 1u);
}

// What the smoother alone says, without a model.
class SmoothedContradictions : public Contradictions {
 protected:
  testing::Spoiled find_smoothed() {
    testing::Spoiled places;
    for (const Defect& d : find_contradictions(log_, smooth(log_, {}, pool_), pool_))
      places.insert({d.run, d.sample, d.joint});
    return places;
  }
};

TEST_F(SmoothedContradictions, AGoodLogHasNone) {
  EXPECT_TRUE(find_smoothed().empty());
  testing::quantise(log_, kNoise);
  EXPECT_TRUE(find_smoothed().empty());
}

TEST_F(SmoothedContradictions, ObservationsOffByTenDeviationsAreFound) {
  testing::Spoiled bad;
  for (int k = 0; k < 20; ++k) {
    const int r = k % 6, sample = 9 * k + 5, j = k % 2;
    log_.runs[r].q[2 * sample + j] = truth_.runs[r].q[2 * sample + j] + (k % 3 ? 10 : -10) * kNoise;
    bad.insert({r, sample, j});
  }
  EXPECT_EQ(find_smoothed(), bad);
}

}  // namespace
}  // namespace mechfit
