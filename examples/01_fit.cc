// A log in, a model out: reads a log (or makes one of a pendulum), fits a model to it, says how
// good it is on runs it has not seen, and predicts a motion.
#include <cstdio>

#include "mechfit/mechfit.h"

using namespace mechfit;

int main(int argc, char** argv) {
  ThreadPool pool(2);
  Log log;
  if (argc > 1) {
    log = read_log({argv[1]}).log;
  } else {
    const AnalyticSystem pendulum = make_system("pendulum");
    SimulateOptions simulation;
    simulation.q0 = {{-2.0, 2.0}};
    simulation.v0 = {{-1.0, 1.0}};
    simulation.noise = {0.01};
    log = simulate(Model(pendulum), system_channels(pendulum), simulation, pool).observed;
  }

  FitOptions options;
  options.epochs = 100;
  const FitResult result = fit(log, std::nullopt, options, pool);
  const Scores scores = evaluate(result.model, result.validation, {}, pool);
  std::printf("acceleration error on held-out runs: %.4g, without a model %.4g\n",
              scores.acceleration.mse, scores.acceleration_zero.mse);
  for (const auto& horizon : scores.rollout.horizons)
    std::printf("%g s ahead: %.4g, constant velocity %.4g\n", horizon.seconds,
                horizon.variational.overall, horizon.velocity.overall);
  save_model("pendulum.safetensors", {result.model, result.channels, {}}, true);
  return 0;
}
