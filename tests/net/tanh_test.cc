#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "mechfit/base/random.h"
#include "mechfit/net/kernels.h"
#include "tests/support/instruction_sets.h"

namespace mechfit {
namespace {

double ulps(double value, double x) {
  const long double exact = std::tanh(static_cast<long double>(x));
  const double near = std::fabs(static_cast<double>(exact));
  const double ulp = std::nextafter(near, 2.0) - near;
  const auto error = static_cast<double>(std::fabs(static_cast<long double>(value) - exact) / ulp);
  return std::isnan(error) ? std::numeric_limits<double>::infinity() : error;
}

TEST(VectorTanh, IsWithinFourUlpOverTheWholeRange) {
  Random random(1);
  std::vector<double> x;
  for (int i = 0; i < 200000; ++i) {
    x.push_back(random.uniform(-25, 25));
    x.push_back(random.uniform(-1, 1) * std::pow(2.0, random.uniform(-60, 5)));
    x.push_back(random.uniform(-1, 1));
  }
  for (int k = -1074; k < 1024; ++k) x.push_back(std::ldexp(1.0, k));
  std::vector<double> y(x.size());
  on_every_instruction_set([&](const std::string& name) {
    vector_tanh(x.data(), static_cast<int>(x.size()), y.data());
    double worst = 0, at = 0;
    for (std::size_t i = 0; i < x.size(); ++i)
      if (const double error = ulps(y[i], x[i]); error > worst) worst = error, at = x[i];
    EXPECT_LE(worst, 4.0) << name << " at " << at;
  });
}

// Of the instruction set that mlp_test.cc lets the kernels have.
TEST(VectorTanh, OfFloatIsWithinSixUlpAndKeepsNaN) {
  std::vector<float> x, y;
  for (float t = 1e-30f; t < 20.0f; t *= 1.0001f) x.push_back(t), x.push_back(-t);
  const float inf = std::numeric_limits<float>::infinity();
  for (float t : {0.0f, -0.0f, 1e30f, -1e30f, inf, -inf}) x.push_back(t);
  y = x;
  y.push_back(std::nanf(""));
  simd_single_kernels().block.activate(Activation::tanh, static_cast<int>(y.size()), y.data(),
                                       nullptr);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double exact = std::tanh(static_cast<double>(x[i])), near = std::fabs(exact);
    const auto above = std::nextafter(static_cast<float>(near), 2.0f);
    const double ulp = static_cast<double>(above - static_cast<float>(near));
    ASSERT_LE(std::fabs(static_cast<double>(y[i]) - exact), 6 * ulp) << x[i];
    ASSERT_LE(std::fabs(y[i]), 1.0f) << x[i];
    ASSERT_EQ(std::signbit(y[i]), std::signbit(x[i])) << x[i];
  }
  EXPECT_TRUE(std::isnan(y.back()));
}

TEST(VectorTanh, KeepsInfinitiesZerosAndNaN) {
  const double inf = std::numeric_limits<double>::infinity();
  const double x[] = {inf, -inf, 0.0, -0.0, std::nan(""), 400.0, -400.0};
  on_every_instruction_set([&](const std::string& name) {
    SCOPED_TRACE(name);
    double y[7];
    vector_tanh(x, 7, y);
    EXPECT_EQ(y[0], 1.0);
    EXPECT_EQ(y[1], -1.0);
    EXPECT_EQ(y[2], 0.0);
    EXPECT_EQ(y[3], 0.0);
    EXPECT_TRUE(std::signbit(y[3]));
    EXPECT_TRUE(std::isnan(y[4]));
    EXPECT_EQ(y[5], 1.0);
    EXPECT_EQ(y[6], -1.0);
  });
}

}  // namespace
}  // namespace mechfit
