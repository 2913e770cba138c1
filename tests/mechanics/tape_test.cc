#include "mechfit/mechanics/families/analytic/tape.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "mechfit/base/error.h"
#include "mechfit/base/gradient_check.h"

namespace mechfit {
namespace {

// Every kind of operation and of operand; what is computed on paper stands beside.
struct Example {
  Example() {
    TapeBuilder builder(2);
    const Expr x = builder.input(0), y = builder.input(1);
    const Expr t = builder.parameter(), s = builder.parameter();
    Expr sum = 3 - x;
    sum += t - y;
    sum -= t * t * s;
    builder.output(sum * sum);
    builder.output(sin(x * y) * cos(x - t) + cos(x * y) * (s * x));
    builder.output(-(t - s) * (2 + t));
    builder.output(tanh(x * y - s * x) * y);
    builder.output(Expr(2) * Expr(3) - Expr(1) + sin(Expr(0)) + cos(Expr(0)) + tanh(Expr(0)));
    tape = builder.finish();
  }

  static std::vector<double> expected(double x, double y, double t, double s) {
    const double sum = 3 - x + t - y - t * t * s;
    return {sum * sum, std::sin(x * y) * std::cos(x - t) + std::cos(x * y) * s * x,
            -(t - s) * (2 + t), std::tanh(x * y - s * x) * y, 6};
  }

  Tape tape;
};

TEST(Tape, ReplaysWhatWasWritten) {
  const Example example;
  const Tape& tape = example.tape;
  std::vector<double> uniforms(tape.uniforms());
  tape.evaluate_uniforms(std::vector<double>{0.3, -1.2}, uniforms);
  AlignedVector values = make_panel(tape.nodes()), y = make_panel(1);
  for (int l = 0; l < kBlock; ++l) values[l] = 0.1 * l, values[kBlock + l] = 1 - 0.2 * l;
  tape.forward(uniforms.data(), values.data());
  for (int k = 0; k < tape.outputs(); ++k) {
    tape.output(k, uniforms.data(), values.data(), y.data());
    for (int l = 0; l < kBlock; ++l) {
      const double expected = Example::expected(values[l], values[kBlock + l], 0.3, -1.2)[k];
      EXPECT_NEAR(y[l], expected, 1e-14 * (1 + std::fabs(expected)));
    }
  }
}

// sum over lanes and outputs of w_k y_k + z_k (dy_k/dx direction), by replay.
double pairing(const Tape& tape, std::span<const double> theta, std::span<const double> x,
               std::span<const double> direction) {
  std::vector<double> uniforms(tape.uniforms());
  tape.evaluate_uniforms(theta, uniforms);
  AlignedVector values = make_panel(tape.nodes()), tangents = values, y = make_panel(1);
  std::copy(x.begin(), x.end(), values.begin());
  std::copy(direction.begin(), direction.end(), tangents.begin());
  tape.forward(uniforms.data(), values.data());
  tape.tangent(uniforms.data(), values.data(), tangents.data());
  double sum = 0;
  for (int k = 0; k < tape.outputs(); ++k)
    for (int l = 0; l < kBlock; ++l) {
      tape.output(k, uniforms.data(), values.data(), y.data());
      sum += (k + 1) * y[l];
      tape.output_tangent(k, tangents.data(), y.data());
      sum += (k - 0.5) * y[l];
    }
  return sum;
}

TEST(Tape, ReverseThroughTangentsAgreesWithFiniteDifferences) {
  const Example example;
  const Tape& tape = example.tape;
  const std::vector<double> theta = {0.3, -1.2};
  std::vector<double> x(2 * kBlock), direction(2 * kBlock), uniforms(tape.uniforms());
  for (int k = 0; k < 2 * kBlock; ++k) x[k] = std::sin(k), direction[k] = std::cos(2 * k);
  tape.evaluate_uniforms(theta, uniforms);
  AlignedVector values = make_panel(tape.nodes()), tangents = values;
  AlignedVector adjoints = values, tangent_adjoints = values;
  AlignedVector uniform_adjoints = make_panel(tape.uniforms()), seed = make_panel(1);
  std::copy(x.begin(), x.end(), values.begin());
  std::copy(direction.begin(), direction.end(), tangents.begin());
  tape.forward(uniforms.data(), values.data());
  tape.tangent(uniforms.data(), values.data(), tangents.data());
  for (int k = 0; k < tape.outputs(); ++k) {
    std::fill(seed.begin(), seed.end(), k + 1);
    tape.seed(k, seed.data(), adjoints.data(), uniform_adjoints.data());
    std::fill(seed.begin(), seed.end(), k - 0.5);
    tape.seed_tangent(k, seed.data(), tangent_adjoints.data());
  }
  tape.reverse_tangent(uniforms.data(), values.data(), tangents.data(), adjoints.data(),
                       tangent_adjoints.data(), uniform_adjoints.data());
  std::vector<double> sums(tape.uniforms()), gradient(2);
  for (int k = 0; k < tape.uniforms() * kBlock; ++k) sums[k / kBlock] += uniform_adjoints[k];
  tape.reverse_uniforms(uniforms, sums, gradient);

  const std::span<const double> to_x(adjoints.data(), 2 * kBlock);
  const std::span<const double> to_direction(tangent_adjoints.data(), 2 * kBlock);
  const auto by_x =
      check_gradient([&](auto p) { return pairing(tape, theta, p, direction); }, x, to_x);
  EXPECT_TRUE(by_x.agrees(1e-7)) << by_x.text();
  const auto by_direction =
      check_gradient([&](auto p) { return pairing(tape, theta, x, p); }, direction, to_direction);
  EXPECT_TRUE(by_direction.agrees(1e-7)) << by_direction.text();
  const auto by_theta =
      check_gradient([&](auto p) { return pairing(tape, p, x, direction); }, theta, gradient);
  EXPECT_TRUE(by_theta.agrees(1e-7)) << by_theta.text();
}

TEST(Tape, MistakesAreRefused) {
  TapeBuilder builder(1), other(1);
  EXPECT_THROW(builder.input(1), CheckError);
  EXPECT_THROW(builder.input(0) + other.input(0), CheckError);
  const Tape tape = builder.finish();
  std::vector<double> uniforms(tape.uniforms());
  EXPECT_THROW(tape.evaluate_uniforms(std::vector<double>{1}, uniforms), CheckError);
}

}  // namespace
}  // namespace mechfit
