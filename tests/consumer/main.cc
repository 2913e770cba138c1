// Another project's program: the energy of a hanging pendulum of 2 kg at 1 m, from an installed
// mechfit.
#include <cmath>
#include <cstdio>
#include <vector>

#include "mechfit/mechfit.h"

int main() {
  mechfit::AnalyticSystem system = mechfit::make_system("pendulum");
  system.set_constant("m", 2);
  const mechfit::Model model(system);
  const double potential = mechfit::PointDynamics(model).potential(std::vector{0.0});
  std::printf("mechfit %s: V = %g J\n", mechfit::kVersion, potential);
  return std::abs(potential + 20) < 1e-12 ? 0 : 1;
}
