#include "mechfit/base/gradient_check.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "mechfit/base/error.h"

namespace mechfit {
namespace {

double f(std::span<const double> x) { return std::sin(x[0]) * std::exp(x[1]) + x[2] * x[2]; }

std::vector<double> gradient_of_f(std::span<const double> x) {
  return {std::cos(x[0]) * std::exp(x[1]), std::sin(x[0]) * std::exp(x[1]), 2 * x[2]};
}

const std::vector<double> kPoint = {0.3, -0.7, 3};

TEST(CheckGradient, AcceptsTheRightGradient) {
  const auto report = check_gradient(f, kPoint, gradient_of_f(kPoint));
  EXPECT_TRUE(report.agrees(1e-9)) << report.text();
}

TEST(CheckGradient, FindsTheWrongEntry) {
  auto gradient = gradient_of_f(kPoint);
  gradient[1] *= 1 + 1e-4;
  gradient[1] += 1;
  const auto report = check_gradient(f, kPoint, gradient);
  EXPECT_FALSE(report.agrees(1e-6));
  EXPECT_EQ(report.worst_index, 1);
  EXPECT_DOUBLE_EQ(report.given, gradient[1]);
}

TEST(CheckGradient, SeesSmallRelativeErrors) {
  auto gradient = gradient_of_f(kPoint);
  gradient[2] *= 1 + 1e-7;
  EXPECT_FALSE(check_gradient(f, kPoint, gradient).agrees(1e-8));
}

TEST(CheckGradient, RefusesATestThatCannotFail) {
  const auto constant = [](std::span<const double>) { return 3.0; };
  const auto report = check_gradient(constant, kPoint, std::vector<double>(3, 0.0));
  EXPECT_FALSE(report.nonzero);
  EXPECT_FALSE(report.agrees(1e-6));
}

TEST(CheckGradient, NoisyFunctionsAreNotAccepted) {
  const auto rough = [](std::span<const double> x) { return std::floor(777 * x[0]); };
  EXPECT_FALSE(
      check_gradient(rough, std::vector<double>{0.5}, std::vector<double>{777}).agrees(1e-6));
}

TEST(CheckGradient, NonFiniteValuesFail) {
  const auto nan = std::numeric_limits<double>::quiet_NaN();
  const auto bad = [&](std::span<const double> x) { return x[0] > 1 ? nan : x[0]; };
  EXPECT_FALSE(
      check_gradient(bad, std::vector<double>{1.0}, std::vector<double>{1.0}).agrees(1e-6));
  EXPECT_FALSE(check_gradient(f, kPoint, std::vector<double>{nan, 0, 0}).agrees(1e-6));
}

TEST(CheckGradient, WrongSizeIsRefused) {
  EXPECT_THROW(check_gradient(f, kPoint, std::vector<double>(2)), CheckError);
}

TEST(CheckJvp, AcceptsTheRightProductAndFindsTheWrongEntry) {
  const auto g = [](std::span<const double> x, std::span<double> y) {
    y[0] = x[0] * x[1];
    y[1] = std::cos(x[1]);
  };
  const std::vector<double> x = {0.4, 1.2}, direction = {2, -3};
  std::vector<double> jvp = {2 * 1.2 - 3 * 0.4, 3 * std::sin(1.2)};
  const auto report = check_jvp(g, x, direction, jvp);
  EXPECT_TRUE(report.agrees(1e-9)) << report.text();
  jvp[1] = -jvp[1];
  EXPECT_EQ(check_jvp(g, x, direction, jvp).worst_index, 1);
  EXPECT_FALSE(check_jvp(g, x, direction, jvp).agrees(1e-3));
}

}  // namespace
}  // namespace mechfit
