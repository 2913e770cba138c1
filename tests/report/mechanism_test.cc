#include "mechfit/report/mechanism.h"

#include <gtest/gtest.h>

#include <cmath>

#include "mechfit/base/error.h"
#include "mechfit/mechanics/families/analytic/analytic.h"

namespace mechfit {
namespace {

constexpr double kRight = 1.5707963267948966;

std::vector<double> points(const std::string& system, std::vector<double> q,
                           int joints = kDefaultJoints) {
  const std::vector<double> t{0};
  const auto animation = animate(make_system(system, joints), t, {{"one", q}});
  return (*animation)["actors"][0]["points"][0];
}

void expect_near(const std::vector<double>& found, const std::vector<double>& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], expected[i], 1e-12) << i;
}

TEST(Mechanism, PendulumHangsAtZeroAndSwingsToTheRight) {
  expect_near(points("pendulum", {0}), {0, 0, 0, -1});
  expect_near(points("pendulum", {kRight}), {0, 0, 1, 0});
}

TEST(Mechanism, AnglesAreRelativeOrAbsoluteAsTheSystemHasThem) {
  expect_near(points("double-pendulum", {kRight, -kRight}), {0, 0, 1, 0, 1, -1});
  expect_near(points("double-pendulum-points", {kRight, -kRight}), {0, 0, 1, 0, 0, 0});
  expect_near(points("double-pendulum-links", {0, kRight}), {0, 0, 0, -1, 2.0 / 3, -1});
  expect_near(points("chain", {kRight, 0, kRight}, 3), {0, 0, 1, 0, 2, 0, 2, 1});
}

TEST(Mechanism, CartMovesAndSpringStretches) {
  expect_near(points("cart-pole", {2, 0}), {2, 0, 2, -0.5});
  expect_near(points("spring-pendulum", {kRight, 1.5}), {0, 0, 1.5, 0});
}

TEST(Mechanism, LinksAndBodiesNamePointsThatExist) {
  for (const SystemInfo& info : list_systems()) {
    const AnalyticSystem system = make_system(info.name);
    const std::vector<double> t{0};
    const auto animation = animate(system, t, {{"one", std::vector<double>(info.joints, 0.1)}});
    if (info.name == "furuta") {
      EXPECT_FALSE(animation.has_value());
      continue;
    }
    const std::size_t count = (*animation)["actors"][0]["points"][0].size() / 2;
    EXPECT_EQ((*animation)["links"].empty(), info.name == "cart" || info.name == "ball");
    for (const auto& link : (*animation)["links"]) EXPECT_LT(link["to"], count) << info.name;
    for (const auto& body : (*animation)["bodies"]) EXPECT_LT(body["point"], count) << info.name;
  }
}

TEST(Mechanism, RefusesAMotionOfAnotherLength) {
  const std::vector<double> t{0, 1};
  EXPECT_THROW(animate(make_system("pendulum"), t, {{"one", {0}}}), CheckError);
}

}  // namespace
}  // namespace mechfit
