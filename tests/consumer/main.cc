// Another project's program: the energy of a hanging pendulum of 2 kg at 1 m, from an installed
// mechfit.
#include <cmath>
#include <cstdio>

#include "mechfit/mechanics/families/analytic/analytic.h"
#include "mechfit/version.h"

int main() {
  mechfit::AnalyticSystem system = mechfit::make_system("pendulum");
  system.set_constant("m", 2);
  auto workspace = system.make_workspace();
  mechfit::AlignedVector q = mechfit::make_panel(1), v = q, p = q, f = q, V = q;
  system.forces({q.data(), v.data(), nullptr}, p.data(), f.data(), workspace);
  system.potential(V.data(), workspace);
  std::printf("mechfit %s: V = %g J\n", mechfit::kVersion, V[0]);
  return std::abs(V[0] + 20) < 1e-12 ? 0 : 1;
}
