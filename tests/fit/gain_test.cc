#include "mechfit/fit/gain.h"

#include <gtest/gtest.h>

#include <cmath>

#include "mechfit/base/constants.h"

namespace mechfit {
namespace {

// Parts of `count` numbers each in which the richer model gains so much.
Gain gain_of(const std::vector<double>& gains, std::vector<int> count = {}) {
  if (count.empty()) count.assign(gains.size(), 1000);
  std::vector<HeldOutScore> simpler, richer;
  for (std::size_t k = 0; k < gains.size(); ++k) {
    simpler.push_back({2.0 * count[k], count[k]});
    richer.push_back({2.0 * count[k] + gains[k], count[k]});
  }
  return gain(simpler, richer, kRicherGain);
}

TEST(Gain, IsRealWhereAllPartsAgree) {
  EXPECT_TRUE(gain_of({50, 60, 40, 55}).real);
  EXPECT_TRUE(gain_of({8, 6, 7, 9}).real);
  EXPECT_TRUE(gain_of({300, 20, 25, 20}).real);
  EXPECT_TRUE(gain_of({30, 20}).real);
}

TEST(Gain, IsNoneBelowWhatChanceGives) {
  EXPECT_FALSE(gain_of({1, 2, 1, 2}).real);
  EXPECT_FALSE(gain_of({0, 0, 0, 0}).real);
  EXPECT_FALSE(gain_of({-50, -60, -40, -55}).real);
}

TEST(Gain, OfOnePartAloneIsNotReal) {
  EXPECT_FALSE(gain_of({1000, 0, 0, 0}).real);
  EXPECT_FALSE(gain_of({1000, 1, 2, 1}).real);
  EXPECT_FALSE(gain_of({1000, -1}).real);
  EXPECT_FALSE(gain_of({0, 1000, 0, 0}, {500, 1000, 1000, 500}).real);
}

TEST(Gain, ThatAPartDisagreesWithIsNotReal) {
  EXPECT_FALSE(gain_of({50, 60, 40, -55}).real);
  EXPECT_FALSE(gain_of({50, 50, -5, -5}).real);
  EXPECT_FALSE(gain_of({115, 151, 136, -30}).real);
  EXPECT_FALSE(gain_of({50, 60, 40, -kInfinity}).real);
  EXPECT_EQ(gain_of({50, 60, 40, -55}).better, 3);
  // A part that loses little beside what the others gain does not.
  EXPECT_TRUE(gain_of({50, 60, 40, -2}).real);
  std::vector<double> many(20, 100.0);
  many[7] = -30;
  EXPECT_TRUE(gain_of(many).real);
  many[8] = many[9] = -30;
  EXPECT_FALSE(gain_of(many).real);
}

TEST(Gain, OfPartsOfAnySizeCountsPerNumber) {
  const Gain gained = gain_of({10, 20, 20, 10}, {500, 1000, 1000, 500});
  EXPECT_DOUBLE_EQ(gained.mean.mean, 0.02);
  EXPECT_NEAR(gained.mean.standard_error, 0, 1e-15);
  EXPECT_TRUE(gained.real);
}

TEST(MeanScore, HasTheStandardErrorOfAMeanForPartsOfOneSize) {
  const std::vector<HeldOutScore> parts = {{100, 100}, {120, 100}, {90, 100}, {130, 100}};
  const MeanScore mean = mean_score(parts);
  EXPECT_DOUBLE_EQ(mean.mean, 1.1);
  // sd of 1, 1.2, 0.9, 1.3 is sqrt(0.1 / 3)
  EXPECT_NEAR(mean.standard_error, std::sqrt(0.1 / 3 / 4), 1e-12);
}

}  // namespace
}  // namespace mechfit
