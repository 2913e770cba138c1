// Joint estimation on motions that its own integrator did not make: by Runge-Kutta at a twentieth
// of the step, and by MuJoCo.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <limits>
#include <numbers>

#include "mechfit/base/random.h"
#include "mechfit/evaluate/scores.h"
#include "mechfit/fit/fit.h"
#include "mechfit/integrate/simulate.h"
#include "mechfit/mechanics/families/analytic/analytic.h"
#include "tests/mujoco/judge.h"
#include "tests/support/logs.h"

namespace mechfit {
namespace {

constexpr int kInner = 20;
constexpr double kNoise = 0.1;

using testing::part;

struct Data {
  Log observed, truth;
};

SimulateOptions protocol(std::uint64_t seed) {
  SimulateOptions options = paper_protocol(false, false).options;
  options.two_equal = false;
  options.v0 = {{0, 0}, {0, 0}};
  options.steps = 201;
  options.integrator = Integrator::rk4;
  options.substeps = kInner;
  options.noise = {kNoise, kNoise};
  options.seed = seed;
  return options;
}

Data runge_kutta_data(std::uint64_t seed, ThreadPool& pool) {
  const AnalyticSystem system = paper_protocol(false, false).system;
  const Simulation out = simulate(Model(system), system_channels(system), protocol(seed), pool);
  return {out.observed, out.truth};
}

Data mujoco_data(std::uint64_t seed) {
  const AnalyticSystem system = paper_protocol(false, false).system;
  const SimulateOptions options = protocol(seed);
  testing::Judge judge(system, options.h / kInner);
  Random random(seed);
  Data data;
  data.observed.channels = data.truth.channels = system_channels(system);
  for (int run = 0; run < options.runs; ++run) {
    testing::MujocoState state{{0, 0}, {0, 0}};
    for (double& q : state.q) q = random.uniform(-std::numbers::pi / 2, std::numbers::pi / 2);
    Trajectory observed, truth;
    observed.name = truth.name = "run " + std::to_string(run);
    for (int k = 0; k <= options.steps; ++k) {
      const std::vector<double> a = judge.acceleration(state, {});
      truth.t.push_back(k * options.h);
      for (int i = 0; i < 2; ++i) {
        truth.q.push_back(state.q[i]);
        truth.qd.push_back(state.v[i]);
        truth.qdd.push_back(a[i]);
        observed.q.push_back(state.q[i] + kNoise * random.normal());
      }
      state = judge.simulate(state, {}, kInner);
    }
    observed.t = truth.t;
    data.observed.runs.push_back(observed);
    data.truth.runs.push_back(truth);
  }
  return data;
}

double test_error(const Data& data, const FitOptions& options, ThreadPool& pool) {
  const FitResult result =
      fit(part(data.observed, 0, 8), part(data.observed, 8, 12), options, pool);
  return evaluate(result.model, part(data.truth, 12, 16), {}, pool).acceleration.mse;
}

// Means over several machines' worth of data: single sets differ much in how far they swing.
void expect_advantage(const char* origin, const std::vector<Data>& sets, ThreadPool& pool) {
  const auto mean = [&](const char* name, const FitOptions& options) {
    double sum = 0;
    for (const Data& data : sets) sum += test_error(data, options, pool);
    std::printf("%s: %s %.4f\n", origin, name, sum / static_cast<double>(sets.size()));
    return sum / static_cast<double>(sets.size());
  };
  FitOptions options;
  options.force = ForceKind::none;
  double paper = std::numeric_limits<double>::infinity();
  for (const auto& [method, name] : {std::pair{FitMethod::del, "del"},
                                     {FitMethod::acceleration, "acceleration"},
                                     {FitMethod::next_state, "next-state"}}) {
    options.method = method;
    paper = std::min(paper, mean(name, options));
  }
  options.method = FitMethod::joint;
  for (const char* family : {"smm", "trig"}) {
    options.family = family;
    EXPECT_LE(5 * mean(family, options), paper) << origin << ", " << family;
  }
}

constexpr std::uint64_t kSeeds[] = {1, 2, 3};

TEST(JointEstimation, KeepsItsAdvantageOnRungeKuttaData) {
  ThreadPool pool(1);
  std::vector<Data> sets;
  for (const auto seed : kSeeds) sets.push_back(runge_kutta_data(seed, pool));
  expect_advantage("RK4", sets, pool);
}

TEST(JointEstimation, KeepsItsAdvantageOnMujocoData) {
  ThreadPool pool(1);
  std::vector<Data> sets;
  for (const auto seed : kSeeds) sets.push_back(mujoco_data(seed));
  expect_advantage("MuJoCo", sets, pool);
}

}  // namespace
}  // namespace mechfit
