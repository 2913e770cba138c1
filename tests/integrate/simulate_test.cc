#include "mechfit/integrate/simulate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <numbers>

#include "mechfit/base/error.h"
#include "mechfit/mechanics/discrete_run.h"
#include "mechfit/mechanics/families/analytic/analytic.h"
#include "mechfit/mechanics/point.h"
#include "tests/support/shared_data.h"

namespace mechfit {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

Simulation run(const AnalyticSystem& system, const SimulateOptions& options, int threads = 1) {
  ThreadPool pool(threads);
  return simulate(Model(system), system_channels(system), options, pool);
}

SimulateOptions small_options(const AnalyticSystem& system) {
  SimulateOptions options;
  options.runs = 3;
  options.steps = 50;
  options.h = 0.01;
  options.q0 = default_start(system);
  options.v0.assign(system.joints(), {-0.1, 0.1});
  return options;
}

TEST(Simulate, GivesTheSameNumbersForAnyNumberOfThreads) {
  PaperProtocol paper = paper_protocol(false, true);
  paper.options.runs = 40;
  paper.options.seed = 7;
  const Simulation one = run(paper.system, paper.options),
                   three = run(paper.system, paper.options, 3);
  for (int r = 0; r < 40; ++r) {
    EXPECT_EQ(one.observed.runs[r].q, three.observed.runs[r].q);
    EXPECT_EQ(one.truth.runs[r].qdd, three.truth.runs[r].qdd);
  }
}

TEST(Simulate, AnotherNoiseLevelLeavesTheMotionAndScalesTheNoise) {
  PaperProtocol paper = paper_protocol(false, false);
  paper.options.runs = 4;
  const Simulation a = run(paper.system, paper.options);
  paper.options.noise = {0.4, 0.4};
  paper.options.runs = 5;
  const Simulation b = run(paper.system, paper.options);
  double sum = 0;
  int count = 0;
  for (int r = 0; r < 4; ++r) {
    EXPECT_EQ(a.truth.runs[r].q, b.truth.runs[r].q);
    for (std::size_t i = 0; i < a.truth.runs[r].q.size(); ++i, ++count) {
      const double noise = a.observed.runs[r].q[i] - a.truth.runs[r].q[i];
      EXPECT_NEAR(4 * noise, b.observed.runs[r].q[i] - b.truth.runs[r].q[i], 1e-12);
      sum += noise * noise;
    }
  }
  EXPECT_NEAR(std::sqrt(sum / count), 0.1, 0.005);  // 1616 numbers: three standard errors
}

TEST(Simulate, PaperProtocolsHave202SamplesFromRestAndKeepTheirEnergy) {
  for (const bool rods : {false, true}) {
    const PaperProtocol paper = paper_protocol(rods, false);
    const Simulation result = run(paper.system, paper.options);
    ASSERT_EQ(result.truth.runs.size(), 16u);
    const Model model(paper.system);
    PointDynamics point(model);
    const auto row = [](const std::vector<double>& x, int k) {
      return std::span(x).subspan(2 * k, 2);
    };
    double largest = 0;
    for (int r = 0; r < 16; ++r) {
      const Trajectory &truth = result.truth.runs[r], &middle = result.midpoints.runs[r];
      ASSERT_EQ(truth.size(), 202);
      ASSERT_EQ(middle.size(), 201);
      for (int i = 0; i < 2; ++i) {
        EXPECT_LT(std::abs(truth.q[i]), std::numbers::pi / 2);
        largest = std::max(largest, std::abs(truth.q[i]));
        // With one inner step the first recorded one is at rest, with twenty the first inner one.
        if (!rods) {
          EXPECT_EQ(truth.q[2 + i], truth.q[i]);
          EXPECT_EQ(middle.qd[i], 0);
        }
      }
      const double start = point.energy(row(middle.q, 0), row(middle.qd, 0));
      for (int k = 0; k < middle.size(); ++k) {
        const double energy = point.energy(row(middle.q, k), row(middle.qd, k));
        EXPECT_LT(std::abs(energy - start), rods ? 0.2 : 4) << "run " << r << ", step " << k;
      }
      if (rods) continue;
      for (std::size_t i = 0; i < middle.q.size(); ++i) {
        EXPECT_NEAR(middle.q[i], 0.5 * (truth.q[i] + truth.q[i + 2]), 1e-12);
        EXPECT_NEAR(middle.qd[i], (truth.q[i + 2] - truth.q[i]) / 0.05, 1e-10);
      }
    }
    EXPECT_GT(largest, 1.0);
  }
}

TEST(Simulate, DrivenMotionObeysTheEquationsWithTheInputsOfItsLog) {
  for (const auto signal : {InputSignal::chirp, InputSignal::sines}) {
    const AnalyticSystem system = make_system("cart-pole");
    SimulateOptions options = small_options(system);
    options.input.signal = signal;
    options.input.amplitude = 3;
    const Simulation result = run(system, options);
    const Model model(system);
    DelRun w(model);
    const std::vector<double> h(options.steps, options.h);
    for (const auto& r : result.observed.runs) {
      ASSERT_EQ(r.u.size(), 51u);
      double size = 0;
      for (const double u : r.u) size = std::max(size, std::abs(u));
      EXPECT_GT(size, 0.3);
      EXPECT_LT(size, 7);
      del_run(model, {r.q, h, r.u}, false, w);  // no noise asked for
      for (const double residual : w.r) EXPECT_LT(std::abs(residual), 1e-10);
    }
    EXPECT_NE(result.observed.runs[0].u, result.observed.runs[1].u);
  }
}

TEST(Simulate, IntegratorsAgreeOnSmallStepsForEverySystem) {
  for (const auto& info : list_systems()) {
    const AnalyticSystem system = make_system(info.name);
    SimulateOptions options = small_options(system);
    options.h = 0.002;
    const Simulation a = run(system, options);
    options.integrator = Integrator::rk4;
    const Simulation b = run(system, options);
    options.integrator = Integrator::midpoint;
    const Simulation c = run(system, options);
    for (int r = 0; r < 3; ++r)
      for (std::size_t i = 0; i < a.truth.runs[r].q.size(); ++i) {
        EXPECT_NEAR(a.truth.runs[r].q[i], b.truth.runs[r].q[i], 2e-3) << info.name;
        EXPECT_NEAR(c.truth.runs[r].q[i], b.truth.runs[r].q[i], 2e-3) << info.name;
      }
  }
}

TEST(Simulate, NamesTheRunThatCannotBeIntegrated) {
  PaperProtocol paper = paper_protocol(true, false);
  paper.options.substeps = 1;
  paper.options.runs = 200;
  EXPECT_THAT([&] { (void)run(paper.system, paper.options); },
              ThrowsMessage<InputError>(HasSubstr("of 200 runs fail")));
}

TEST(Simulate, ReproducesThePublishedTrajectories) {
  std::ifstream in(testing::shared_data("paper/undamped_observed.csv"));
  if (!in) GTEST_SKIP() << "no published data beside the source folder";
  std::string line;
  std::getline(in, line);
  std::vector<std::vector<double>> q(16);
  while (std::getline(in, line)) {
    int trajectory = 0;
    double q1 = 0, q2 = 0;
    ASSERT_EQ(std::sscanf(line.c_str(), "%d,%*f,%lf,%lf", &trajectory, &q1, &q2), 3);
    q[trajectory].insert(q[trajectory].end(), {q1, q2});
  }
  const PaperProtocol paper = paper_protocol(false, false);
  for (const auto& published : q) {
    SimulateOptions options = paper.options;
    options.runs = 1;
    options.q0 = {{published[0], published[0]}, {published[1], published[1]}};
    const Simulation result = run(paper.system, options);
    // Chaotic motion doubles the twelve digits' rounding again and again: the first two seconds.
    for (int i = 0; i < 80; ++i) EXPECT_NEAR(result.truth.runs[0].q[i], published[i], 1e-7);
  }
}

}  // namespace
}  // namespace mechfit
