#include "mechfit/base/climb.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace mechfit {
namespace {

// A function that remembers where it was asked.
struct Asked {
  std::function<double(double)> f;
  std::vector<double> places;

  ClimbResult climb_from(double x, const ClimbOptions& options) {
    return climb(x, f(x), options, [this](double at) {
      places.push_back(at);
      return f(at);
    });
  }
};

TEST(Climb, FindsTheTopOfAParabolaInOneMove) {
  Asked asked{[](double x) { return 3 - 2 * (x - 0.7) * (x - 0.7); }, {}};
  const ClimbResult best = asked.climb_from(0.2, {0.4, 2});
  EXPECT_NEAR(best.x, 0.7, 1e-14);
  EXPECT_EQ(best.value, asked.f(best.x));
  EXPECT_EQ(asked.places.size(), 3u);
}

TEST(Climb, NeverMovesFartherThanItMay) {
  Asked far{[](double x) { return -(x - 100) * (x - 100); }, {}};
  EXPECT_NEAR(far.climb_from(0, {0.5, 1.5}).x, 0.75, 1e-14);
  Asked convex{[](double x) { return x * x; }, {}};  // the parabola has no top
  EXPECT_NEAR(convex.climb_from(1, {0.5, 3}).x, 2.5, 1e-14);
}

TEST(Climb, StaysBetweenItsBoundsAndDoesNotAskTwice) {
  Asked rising{[](double x) { return x; }, {}};
  EXPECT_EQ(rising.climb_from(0, {1, 2, -5, 0.3}).x, 0.3);
  for (const double place : rising.places) EXPECT_LE(place, 0.3);
  Asked at_its_bound{[](double x) { return -x; }, {}};
  EXPECT_EQ(at_its_bound.climb_from(0, {1, 2, 0, 4}).x, 0);
  EXPECT_EQ(at_its_bound.places.size(), 1u);  // x + 1
}

TEST(Climb, PassesOverPlacesWhereThereIsNoValue) {
  Asked walled{[](double x) { return x < 0 ? -kInfinity : x; }, {}};
  EXPECT_EQ(walled.climb_from(0.5, {1, 2}).x, 1.5);
  Asked lonely{[](double x) { return x == 0.5 ? 0 : kNan; }, {}};
  EXPECT_EQ(lonely.climb_from(0.5, {1, 2}).x, 0.5);
}

}  // namespace
}  // namespace mechfit
