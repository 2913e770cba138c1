#include "mechfit/mechanics/batch_dynamics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "mechfit/base/error.h"
#include "mechfit/mechanics/point.h"
#include "tests/support/models.h"

namespace mechfit {
namespace {

using ::testing::HasSubstr;
using testing::ModelCase;
using ::testing::ThrowsMessage;
using Values = std::vector<double>;

Values random_states(int count, Random& random) {
  Values x(count);
  for (double& value : x) value = random.uniform(-1, 1);
  return x;
}

class EveryFamily : public ::testing::TestWithParam<ModelCase> {
 protected:
  EveryFamily() : model(GetParam().make(random)), n(model.joints()), m(model.inputs()) {}

  Random random{3};
  Model model;
  int n, m;
};

// xdot = (v, a(q, v, u)) as a function of x = (q, v), or of u, against its slopes along random
// directions.
TEST_P(EveryFamily, LinearizesToTheDerivativesOfItsMotion) {
  PointDynamics point(model);
  const Values x = random_states(2 * n, random), u = random_states(m, random);
  const std::span<const double> q(x.data(), n), v(x.data() + n, n);
  Values a(4 * n * n), b(2 * n * m);
  ASSERT_TRUE(point.linearize(q, v, u, a, b));
  const auto motion = [&](std::span<const double> state, std::span<const double> input,
                          std::span<double> out) {
    std::copy(state.begin() + n, state.end(), out.begin());
    ASSERT_TRUE(point.acceleration(state.first(n), state.last(n), input, out.last(n)));
  };
  const auto product = [&](const Values& matrix, const Values& direction) {
    Values y(2 * n, 0.0);
    for (int i = 0; i < 2 * n; ++i)
      for (std::size_t j = 0; j < direction.size(); ++j)
        y[i] += matrix[i * direction.size() + j] * direction[j];
    return y;
  };
  for (int k = 0; k < 3; ++k) {
    const Values dx = random_states(2 * n, random);
    const auto along_x =
        check_jvp([&](auto y, auto out) { motion(y, u, out); }, x, dx, product(a, dx));
    EXPECT_TRUE(along_x.agrees(1e-7)) << along_x.text();
    if (m == 0) continue;
    const Values du = random_states(m, random);
    const auto along_u =
        check_jvp([&](auto y, auto out) { motion(x, y, out); }, u, du, product(b, du));
    EXPECT_TRUE(along_u.agrees(1e-7)) << along_u.text();
  }
}

// What the point says, to rounding: networks compute a point in another order than a block.
TEST_P(EveryFamily, SaysOfManyPointsWhatItSaysOfOne) {
  const int count = 2 * kChunk + 37;
  const Values q = random_states(count * n, random), v = random_states(count * n, random),
               acc = random_states(count * n, random), u = random_states(count * m, random);
  ThreadPool pool(2);
  BatchDynamics batch(model, pool);
  PointDynamics point(model);
  Values mass(count * n * n), potential(count), force(count * n), momentum(count * n),
      energy(count), tau(count * n), a(count * n), da(count * 4 * n * n), db(count * 2 * n * m);
  batch.mass(q, mass);
  batch.potential(q, potential);
  batch.force(q, v, u, force);
  batch.momentum(q, v, momentum);
  batch.energy(q, v, energy);
  batch.inverse_dynamics(q, v, acc, tau);
  ASSERT_EQ(batch.acceleration(q, v, u, a), -1);
  ASSERT_EQ(batch.linearize(q, v, u, da, db), -1);
  const auto row = [](const Values& x, int k, int size) {
    return std::span(x).subspan(static_cast<std::size_t>(k) * size, size);
  };
  const auto expect_row = [&](const char* what, const Values& given, int k, const Values& wanted) {
    const auto found = row(given, k, static_cast<int>(wanted.size()));
    for (std::size_t i = 0; i < wanted.size(); ++i)
      EXPECT_NEAR(found[i], wanted[i], 1e-10 * (1 + std::fabs(wanted[i]))) << what << " " << k;
  };
  for (const int k : {0, 31, 32, kChunk, count - 1}) {
    const auto qk = row(q, k, n), vk = row(v, k, n), uk = row(u, k, m), ak = row(acc, k, n);
    Values matrix(n * n), out(n), point_da(4 * n * n), point_db(2 * n * m);
    point.mass(qk, matrix);
    expect_row("mass", mass, k, matrix);
    expect_row("potential", potential, k, {point.potential(qk)});
    expect_row("energy", energy, k, {point.energy(qk, vk)});
    point.force(qk, vk, uk, out);
    expect_row("force", force, k, out);
    point.momentum(qk, vk, out);
    expect_row("momentum", momentum, k, out);
    point.inverse_dynamics(qk, vk, ak, out);
    expect_row("inverse_dynamics", tau, k, out);
    ASSERT_TRUE(point.acceleration(qk, vk, uk, out));
    expect_row("acceleration", a, k, out);
    ASSERT_TRUE(point.linearize(qk, vk, uk, point_da, point_db));
    expect_row("A", da, k, point_da);
    expect_row("B", db, k, point_db);
  }
}

INSTANTIATE_TEST_SUITE_P(Models, EveryFamily, ::testing::ValuesIn(testing::model_cases()),
                         testing::model_case_name);

TEST(BatchDynamics, DoesNotDependOnTheNumberOfThreads) {
  Random random(5);
  const Model model = testing::random_smm(3, true, true, InputMap::fixed, 2, random);
  const int count = 3 * kChunk + 5;
  const Values q = random_states(count * 3, random), v = random_states(count * 3, random);
  Values one(count * 3), three(count * 3);
  ThreadPool alone(1), team(3);
  ASSERT_EQ(BatchDynamics(model, alone).acceleration(q, v, {}, one), -1);
  ASSERT_EQ(BatchDynamics(model, team).acceleration(q, v, {}, three), -1);
  EXPECT_EQ(one, three);
}

TEST(BatchDynamics, NamesTheFirstPointWhoseMassMatrixIsNotPositiveDefinite) {
  const Model model(make_system("spring-pendulum"));
  ThreadPool pool(2);
  BatchDynamics batch(model, pool);
  const int count = 3 * kChunk;
  Values q(count * 2, 1.0), v(count * 2, 0.0), a(count * 2), da(count * 16), db;
  q[2 * 700 + 1] = q[2 * 300 + 1] = 0.0;  // a spring of no length
  EXPECT_EQ(batch.acceleration(q, v, {}, a), 300);
  EXPECT_TRUE(std::isnan(a[600]));
  EXPECT_FALSE(std::isnan(a[598]));
  EXPECT_EQ(batch.linearize(q, v, {}, da, db), 300);
  EXPECT_TRUE(std::isnan(da[300 * 16]));
  EXPECT_FALSE(std::isnan(da[301 * 16]));
}

TEST(BatchDynamics, RefusesWrongShapesAndNumbersThatAreNotFinite) {
  const Model model(make_system("cart-pole"));
  ThreadPool pool(1);
  BatchDynamics batch(model, pool);
  const Values four(4, 0.1), three(3, 0.1), two(2, 0.1), bad{0.1, 0.2, 0.3, NAN};
  Values out(4);
  EXPECT_THAT([&] { batch.momentum(three, three, out); },
              ThrowsMessage<CheckError>(HasSubstr("q has 3 numbers, expected 2")));
  EXPECT_THAT([&] { batch.momentum(four, two, out); },
              ThrowsMessage<CheckError>(HasSubstr("v has 2 numbers, expected 4")));
  EXPECT_THAT([&] { batch.force(four, four, four, out); },
              ThrowsMessage<CheckError>(HasSubstr("u has 4 numbers, expected 2")));
  EXPECT_THAT([&] { batch.momentum(four, bad, out); },
              ThrowsMessage<CheckError>(HasSubstr("v[3] is nan")));
}

}  // namespace
}  // namespace mechfit
