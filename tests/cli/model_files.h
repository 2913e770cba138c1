#pragma once

#include "mechfit/files/read_log.h"
#include "mechfit/mechanics/families/analytic/analytic.h"
#include "mechfit/mechanics/model_file.h"
#include "tests/cli/program.h"
#include "tests/support/simulated.h"

namespace mechfit {

inline ModelRecord cart_pole_record() {
  const AnalyticSystem system = make_system("cart-pole");
  return {Model(system),
          {system.joint_names(), system.joint_types(), {"m", "rad"}, system.input_names()},
          {{"method", "by hand"}}};
}

inline ModelRecord pendulum_record(double gravity = 10) {
  AnalyticSystem system = make_system("double-pendulum-points");
  system.set_constant("g", gravity);
  return {Model(system),
          {system.joint_names(), system.joint_types(), {"rad", "rad"}, system.input_names()},
          {{"method", "by hand"}, {"seed", "17"}}};
}

// A log of the model's own motion as a file, its columns named like the model's channels.
inline void write_motion(const std::string& path, const ModelRecord& record, bool derivatives,
                         double noise = 0) {
  testing::SimulationOptions options;
  options.derivatives = derivatives;
  options.noise = noise;
  Log log = testing::simulate(record.model, options);
  log.channels = record.channels;
  write_log(path, log);
}

}  // namespace mechfit
