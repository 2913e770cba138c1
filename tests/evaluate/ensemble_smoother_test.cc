#include "mechfit/evaluate/ensemble_smoother.h"

#include <gtest/gtest.h>

#include <cmath>

#include "mechfit/mechanics/families/analytic/analytic.h"
#include "tests/support/simulated.h"

namespace mechfit {
namespace {

using testing::pendulum;
using testing::simulate;
using testing::SimulationOptions;

// A model that is wrong by as much as its members scatter: their deviations hold the truth.
TEST(EnsembleSmoother, CountsWhatIsUnsureAboutTheModel) {
  ThreadPool pool(2);
  Random random(3);
  double sure = 0, unsure = 0;
  int count = 0;
  for (int repeat = 0; repeat < 30; ++repeat) {
    SimulationOptions simulation;
    simulation.runs = 1;
    simulation.noise = 0.02;
    simulation.seed = 50 + repeat;
    const Log truth = simulate(pendulum(10 + 0.5 * random.normal()), simulation);
    Log observed = truth;
    observed.runs[0].qd.clear();
    observed.runs[0].qdd.clear();
    Ensemble ensemble{pendulum(10), {}, false};
    const auto alone = smooth_with_model(ensemble, observed, pool).log.runs[0];
    for (int k = 0; k < 8; ++k) ensemble.members.push_back(pendulum(10 + 0.5 * random.normal()));
    const auto together = smooth_with_model(ensemble, observed, pool).log.runs[0];
    EXPECT_EQ(alone.qdd, together.qdd);
    for (std::size_t k = 0; k < alone.qdd.size(); ++k, ++count) {
      const double error = truth.runs[0].qdd[k] - alone.qdd[k];
      sure += std::pow(error / alone.qdd_sd[k], 2);
      unsure += std::pow(error / together.qdd_sd[k], 2);
    }
  }
  EXPECT_LT(std::sqrt(unsure / count), 1.2);
  EXPECT_GT(sure, unsure);
}

}  // namespace
}  // namespace mechfit
