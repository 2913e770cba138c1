#include "mechfit/net/mlp.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <limits>
#include <string>

#include "hwy/targets.h"
#include "mechfit/base/error.h"
#include "mechfit/base/gradient_check.h"

namespace mechfit {
namespace {

// Kernels are chosen once: tests.cmake runs these tests again with fewer instruction sets.
[[maybe_unused]] const bool kRestricted = [] {
  const char* without = std::getenv("MECHFIT_TEST_WITHOUT");
  if (!without) return false;
  const bool avx2 = std::string(without) == "avx2";
  hwy::DisableTargets(HWY_AVX3 | HWY_AVX3_DL | (avx2 ? HWY_AVX2 : 0));
  return true;
}();

constexpr auto kTanh = Activation::tanh;
constexpr auto kSoftplus = Activation::softplus;
constexpr auto kLinear = Activation::identity;

std::vector<MlpShape> shapes() {
  return {{2, {32, 32, 32}, {kTanh, kTanh, kLinear}, 3},
          {3, {9, 5}, {kTanh, kSoftplus}, 1},
          {1, {}, {}, 2},
          {17, {13, 24, 7, 8}, {kSoftplus, kLinear, kTanh, kTanh}, 105},
          {4, {6, 7, 8}, {kLinear, kLinear, kTanh}, 5},
          {5, {40, 70, 33}, {kTanh, kSoftplus, kTanh}, 3},  // layers of several strips
          {70, {64, 64}, {kTanh, kTanh}, 34}};
}

// S = ybar'y + g0'ydot_0 + g1'ydot_1, with the two directions fixed: everything the network can be
// asked for at once.
struct Functional {
  MlpShape shape;
  AlignedVector x, xdot0, xdot1, ybar, g0, g1;

  Functional(const MlpShape& s, std::uint64_t seed) : shape(s) {
    Random random(seed);
    for (auto* panel : {&x, &xdot0, &xdot1}) *panel = make_panel(shape.inputs);
    for (auto* panel : {&ybar, &g0, &g1}) *panel = make_panel(shape.outputs);
    for (auto* panel : {&x, &xdot0, &xdot1, &ybar, &g0, &g1})
      for (double& value : *panel) value = random.normal();
  }

  struct Result {
    double s;
    std::vector<double> theta;
    AlignedVector x, xdot0, xdot1;
  };
  // Stream 0 is reversed before its tangent is known, stream 1 after.
  Result evaluate(std::span<const double> theta, const Kernels& kernels = simd_kernels(),
                  const SingleKernels* single = nullptr) const {
    Mlp net(shape, kernels, single);
    net.set_parameters(theta);
    auto w = net.make_workspace();
    w.x = x.data();
    w.xdot[0] = xdot0.data();
    w.xdot[1] = xdot1.data();
    net.forward(w);
    net.output(w);
    net.begin_adjoint(w);
    net.reverse(0, g0.data(), false, w);
    net.tangent(0, true, true, w);
    net.tangent(1, false, true, w);
    net.reverse(1, g1.data(), true, w);
    net.adjoint(ybar.data(), {true, true}, true, true, w);
    Result result{0.0, std::vector<double>(theta.size()), w.x_adjoint, w.x_reverse[0],
                  w.x_reverse[1]};
    for (std::size_t i = 0; i < w.y.size(); ++i)
      result.s += ybar[i] * w.y[i] + g0[i] * w.ydot[0][i] + g1[i] * w.ydot[1][i];
    std::vector<double> merged(static_cast<std::size_t>(net.merged_size()));
    net.add_gradient(w, merged);
    net.expand_gradient(theta, merged, result.theta);
    return result;
  }
};

std::vector<double> random_parameters(const MlpShape& shape, std::uint64_t seed) {
  Random random(seed);
  std::vector<double> theta(static_cast<std::size_t>(parameter_count(shape)));
  initialise(shape, Initialisation::xavier, random, theta);
  for (double& t : theta) t += 0.1 * random.normal();
  return theta;
}

TEST(Mlp, GradientsToParametersInputAndDirectionsAgreeWithFiniteDifferences) {
  std::uint64_t seed = 100;
  for (const auto& shape : shapes()) {
    SCOPED_TRACE("seed " + std::to_string(++seed));
    Functional f(shape, seed);
    auto theta = random_parameters(shape, seed);
    const auto exact = f.evaluate(theta);
    // A random direction in each argument: one finite difference judges the whole gradient.
    Random random(seed, 1);
    auto directional = [&](auto& argument, std::span<const double> gradient, const char* name) {
      std::vector<double> direction(argument.size());
      for (double& d : direction) d = random.normal();
      double given = 0;
      for (std::size_t i = 0; i < direction.size(); ++i) given += direction[i] * gradient[i];
      const auto start = argument;
      auto along = [&](std::span<const double> t) {
        for (std::size_t i = 0; i < direction.size(); ++i)
          argument[i] = start[i] + t[0] * direction[i];
        const double s = f.evaluate(theta).s;
        argument = start;
        return s;
      };
      const std::vector<double> zero = {0.0}, slope = {given};
      const auto report = check_gradient(along, zero, slope);
      EXPECT_TRUE(report.agrees(1e-8)) << name << ": " << report.text();
    };
    directional(theta, exact.theta, "theta");
    directional(f.x, exact.x, "x");
    directional(f.xdot0, exact.xdot0, "xdot 0");
    directional(f.xdot1, exact.xdot1, "xdot 1");
  }
}

TEST(Mlp, EveryParameterOfASmallNetworkHasTheRightGradient) {
  const MlpShape shape{2, {4, 3, 3}, {kTanh, kSoftplus, kLinear}, 2};
  const Functional f(shape, 7);
  const auto theta = random_parameters(shape, 7);
  const auto exact = f.evaluate(theta);
  const auto report = check_gradient([&](std::span<const double> t) { return f.evaluate(t).s; },
                                     theta, exact.theta);
  EXPECT_TRUE(report.agrees(1e-8)) << report.text();
}

void expect_close(const Functional::Result& a, const Functional::Result& b, double tolerance) {
  auto close = [&](const auto& x, const auto& y) {
    double largest = 0, worst = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      largest = std::max(largest, std::fabs(y[i]));
      worst = std::max(worst, std::fabs(x[i] - y[i]));
      ASSERT_FALSE(std::isnan(x[i]));
    }
    EXPECT_GT(largest, 0);
    EXPECT_LE(worst, tolerance * largest);
  };
  EXPECT_NEAR(a.s, b.s, 10 * tolerance * (1 + std::fabs(b.s)));
  close(a.theta, b.theta);
  close(a.x, b.x);
  close(a.xdot0, b.xdot0);
  close(a.xdot1, b.xdot1);
}

TEST(Mlp, VectorKernelsAgreeWithTheirScalarTwins) {
  std::uint64_t seed = 500;
  for (const auto& shape : shapes()) {
    SCOPED_TRACE("seed " + std::to_string(++seed));
    const Functional f(shape, seed);
    const auto theta = random_parameters(shape, seed);
    expect_close(f.evaluate(theta), f.evaluate(theta, scalar_kernels()), 1e-12);
  }
}

TEST(Mlp, InFloatAgreesWithDouble) {
  std::uint64_t seed = 600;
  for (const auto& shape : shapes()) {
    SCOPED_TRACE("seed " + std::to_string(++seed));
    const Functional f(shape, seed);
    const auto theta = random_parameters(shape, seed);
    const auto exact = f.evaluate(theta);
    for (const SingleKernels* single : {&simd_single_kernels(), &scalar_single_kernels()}) {
      const auto rounded = f.evaluate(theta, simd_kernels(), single);
      EXPECT_NE(rounded.s, exact.s);
      expect_close(rounded, exact, 5e-6);
    }
  }
}

TEST(Mlp, SoftplusIsRightInTheTailsAndKeepsNaN) {
  auto check = []<class Real>(const BlockKernels<Real>& kernels, double tolerance) {
    typename MlpPasses<Real>::Numbers a(kBlock), k(kBlock);
    const double x[] = {-800, -40, -1, 0, 1, 40, 800, std::nan("")};
    for (std::size_t i = 0; i < kBlock; ++i) a[i] = static_cast<Real>(x[i % 8]);
    kernels.activate(Activation::softplus, kBlock, a.data(), k.data());
    for (std::size_t i = 0; i < 7; ++i) {
      const double value = std::log1p(std::exp(-std::fabs(x[i]))) + std::fmax(x[i], 0);
      EXPECT_NEAR(a[i], value, 10 * tolerance * (1 + value)) << kernels.name << " at " << x[i];
      EXPECT_NEAR(k[i], 1 / (1 + std::exp(-x[i])), tolerance) << kernels.name << " at " << x[i];
    }
    EXPECT_TRUE(std::isnan(a[7])) << kernels.name;
  };
  check.operator()<double>(simd_kernels().block, 1e-15);
  check.operator()<double>(scalar_kernels().block, 1e-15);
  check.operator()<float>(simd_single_kernels().block, 2e-7);
  check.operator()<float>(scalar_single_kernels().block, 2e-7);
}

TEST(Initialise, RowsHaveUnitNormAndTheOutputLayerIsBounded) {
  const MlpShape shape{2, {32, 32, 32}, {kTanh, kTanh, kLinear}, 3};
  std::vector<double> theta(static_cast<std::size_t>(parameter_count(shape)));
  Random random(3);
  initialise(shape, Initialisation::row_normalised, random, theta);
  const double* w = theta.data();
  for (int in : {2, 32, 32}) {
    for (int row = 0; row < 32; ++row) {
      double norm2 = 0;
      for (int col = 0; col < in; ++col) norm2 += w[row * in + col] * w[row * in + col];
      EXPECT_NEAR(norm2, 1, 1e-12);
    }
    w += 32 * in;
    for (int row = 0; row < 32; ++row) EXPECT_EQ(w[row], 0);
    w += 32;
  }
  double largest = 0;
  for (int i = 0; i < 3 * 33; ++i) largest = std::max(largest, std::fabs(w[i]));
  EXPECT_LE(largest, 1 / std::sqrt(32.0));
  EXPECT_GT(largest, 0.8 / std::sqrt(32.0));
}

TEST(Mlp, RefusesWrongShapes) {
  EXPECT_THROW(Mlp({0, {}, {}, 1}), CheckError);
  EXPECT_THROW(Mlp({1, {0}, {kTanh}, 1}), CheckError);
  EXPECT_THROW(Mlp({1, {2, 2}, {kTanh}, 1}), CheckError);
  Mlp net({1, {2}, {kTanh}, 1});
  EXPECT_THROW(net.set_parameters(std::vector<double>(3)), CheckError);
}

}  // namespace
}  // namespace mechfit
