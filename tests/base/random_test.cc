#include "mechfit/base/random.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <set>
#include <vector>

namespace mechfit {
namespace {

TEST(Random, SameSeedSameNumbersOtherStreamOtherNumbers) {
  Random a(1), b(1), c(1, 1), d(2);
  const auto first = a.bits();
  EXPECT_EQ(first, b.bits());
  EXPECT_NE(first, c.bits());
  EXPECT_NE(first, d.bits());
}

TEST(Random, NormalHasMeanZeroAndVarianceOne) {
  Random random(7);
  double sum = 0, sum2 = 0, sum4 = 0;
  const int count = 200000;
  for (int i = 0; i < count; ++i) {
    const double x = random.normal();
    sum += x, sum2 += x * x, sum4 += x * x * x * x;
  }
  EXPECT_NEAR(sum / count, 0, 5 / std::sqrt(count));
  EXPECT_NEAR(sum2 / count, 1, 5 * std::sqrt(2.0 / count));
  EXPECT_NEAR(sum4 / count, 3, 5 * std::sqrt(96.0 / count));
}

TEST(Random, BelowIsUniformAndInRange) {
  Random random(3);
  std::vector<int> counts(6, 0);
  for (int i = 0; i < 60000; ++i) counts.at(random.below(6))++;
  for (int count : counts) EXPECT_NEAR(count, 10000, 5 * std::sqrt(10000));
}

TEST(Random, ShuffleIsAPermutation) {
  Random random(5);
  std::vector<int> values(100);
  std::iota(values.begin(), values.end(), 0);
  const auto sorted = values;
  random.shuffle(values);
  EXPECT_NE(values, sorted);
  EXPECT_EQ(std::set<int>(values.begin(), values.end()).size(), 100u);
}

TEST(Random, StateResumesTheStream) {
  Random random(11);
  random.normal();
  Random copy(0);
  copy.set_state(random.state());
  for (int i = 0; i < 10; ++i) EXPECT_EQ(random.normal(), copy.normal());
}

}  // namespace
}  // namespace mechfit
