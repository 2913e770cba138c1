#include <Eigen/Dense>

#include "mechfit/base/random.h"
#include "mechfit/mechanics/families/arm/arm.h"

namespace mechfit {

// tau = Mdot v + M a - f is linear in mass, first moment and inertia, and these are smooth and
// invertible functions of U. So the rank of d tau / d U at random states, of all links together, is
// the number of combinations that act on the motion.
int base_parameter_count(const Arm& arm) {
  constexpr int kBlocks = 4;      // 128 states: 7 joints need 10
  constexpr double kNone = 1e-8;  // relative size below which a combination does not act
  const int n = arm.joints(), p = arm.parameter_count(), inertial = kLinkNumbers * n;
  Random random(1);
  auto w = arm.make_workspace();
  AlignedVector q = make_panel(n), v = q, a = q, momentum = q, f = q, rate = q, c, b;
  AlignedVector u = make_panel(arm.inputs()), lanes = make_panel(p);
  Eigen::MatrixXd rows(kBlocks * n * kBlock, inertial);
  for (int block = 0; block < kBlocks; ++block) {
    for (auto* panel : {&q, &v, &a})
      for (double& x : *panel) x = random.uniform(-3, 3);
    arm.forces({q.data(), v.data(), u.data()}, momentum.data(), f.data(), w);
    arm.mass_rate(rate.data(), w);
    for (int i = 0; i < n; ++i) {
      c = b = make_panel(n);
      for (int l = 0; l < kBlock; ++l) c[i * kBlock + l] = 1, b[i * kBlock + l] = -1;
      arm.pullback({.b = b.data(), .c = c.data(), .acc = a.data()}, {.theta_lanes = lanes.data()},
                   w);
      for (int k = 0; k < inertial; ++k)
        for (int l = 0; l < kBlock; ++l)
          rows((block * n + i) * kBlock + l, k) = lanes[k * kBlock + l];
    }
  }
  Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(rows);
  qr.setThreshold(kNone);
  return static_cast<int>(qr.rank());
}

}  // namespace mechfit
