#pragma once

#include <array>
#include <cmath>
#include <string>

#include "mechfit/base/constants.h"
#include "mechfit/base/random.h"
#include "mechfit/log/log.h"

// A machine of equations of its own: two links in the vertical plane with friction, under a stiff
// controller with feed-forward, moved on by RK4.
namespace mechfit::testing {

struct DrivenLinks {
  struct Options {
    int runs = 6, samples = 1000;
    double step = 0.01;
    double speed = 1;                    // of the motion; 0.3: gravity and friction are all
    double noise = 0, torque_noise = 0;  // in the log
    double push = 0;                     // white torque on the arm itself
    std::uint64_t seed = 1;
  };

  static constexpr double kA = 1.2, kB = .25, kH = .3, kG1 = 12, kG2 = 4;
  static constexpr double kViscous[2] = {1, .5}, kCoulomb[2] = {2, 1}, kWidth = 0.02;

  using Two = std::array<double, 2>;

  // M11, M12, M22
  static std::array<double, 3> mass(const Two& q) {
    const double c = std::cos(q[1]);
    return {kA + 2 * kH * c, kB + kH * c, kB};
  }
  static Two bias(const Two& q, const Two& v) {
    const double s = std::sin(q[1]), g2 = kG2 * std::sin(q[0] + q[1]);
    return {
        -2 * kH * s * v[0] * v[1] - kH * s * v[1] * v[1] + kG1 * std::sin(q[0]) + g2 +
            kViscous[0] * v[0] + kCoulomb[0] * std::tanh(v[0] / kWidth),
        kH * s * v[0] * v[0] + g2 + kViscous[1] * v[1] + kCoulomb[1] * std::tanh(v[1] / kWidth)};
  }
  static Two torque(const Two& q, const Two& v, const Two& a) {
    const auto [m11, m12, m22] = mass(q);
    const Two b = bias(q, v);
    return {m11 * a[0] + m12 * a[1] + b[0], m12 * a[0] + m22 * a[1] + b[1]};
  }
  static Two acceleration(const Two& q, const Two& v, const Two& u) {
    const auto [m11, m12, m22] = mass(q);
    const Two b = bias(q, v);
    const double x = u[0] - b[0], y = u[1] - b[1], det = m11 * m22 - m12 * m12;
    return {(m22 * x - m12 * y) / det, (m11 * y - m12 * x) / det};
  }

  static Log log(const Options& options) {
    Random random(options.seed);
    Log log;
    log.channels.joints = {"q1", "q2"};
    log.channels.units = {"rad", "rad"};
    log.channels.inputs = {"u1", "u2"};
    log.channels.joint_types = {JointType::periodic, JointType::periodic};
    for (int r = 0; r < options.runs; ++r)
      log.runs.push_back(run("run " + std::to_string(r + 1), options, random));
    return log;
  }

 private:
  static Trajectory run(const std::string& name, const Options& o, Random& random) {
    constexpr int kSines = 6, kSubsteps = 10;
    double w[kSines][2], phase[kSines][2], size[kSines][2];
    for (int k = 0; k < kSines; ++k)
      for (int i = 0; i < 2; ++i) {
        w[k][i] = o.speed * kTurn * random.uniform(.1, .8);
        phase[k][i] = random.uniform(0, kTurn);
        size[k][i] = 0.65 * random.uniform(.3, 1);
      }
    const auto wanted = [&](double t, Two& q, Two& v, Two& a) {
      q = v = a = {0, 0};
      for (int k = 0; k < kSines; ++k)
        for (int i = 0; i < 2; ++i) {
          const double x = w[k][i] * t + phase[k][i];
          q[i] += size[k][i] * std::sin(x);
          v[i] += size[k][i] * w[k][i] * std::cos(x);
          a[i] -= size[k][i] * w[k][i] * w[k][i] * std::sin(x);
        }
    };
    Trajectory out;
    out.name = name;
    Two q, v, a;
    wanted(0, q, v, a);
    for (int k = 0; k < o.samples; ++k) {
      const double t = k * o.step;
      Two qd, vd, ad;
      wanted(t, qd, vd, ad);
      Two u = torque(qd, vd, ad);
      const double stiff[2] = {900, 300}, damp[2] = {40, 12};
      for (int i = 0; i < 2; ++i) u[i] += stiff[i] * (qd[i] - q[i]) + damp[i] * (vd[i] - v[i]);
      out.t.push_back(t);
      for (int i = 0; i < 2; ++i) {
        out.q.push_back(q[i] + o.noise * random.normal());
        out.u.push_back(u[i] + o.torque_noise * random.normal());
      }
      for (int i = 0; i < 2; ++i) u[i] += o.push * random.normal();
      const double h = o.step / kSubsteps;
      for (int step = 0; step < kSubsteps; ++step) rk4(h, u, q, v);
    }
    return out;
  }

  static void rk4(double h, const Two& u, Two& q, Two& v) {
    const auto on = [](const Two& x, double s, const Two& d) {
      return Two{x[0] + s * d[0], x[1] + s * d[1]};
    };
    const Two v1 = v, a1 = acceleration(q, v, u);
    const Two v2 = on(v, h / 2, a1), a2 = acceleration(on(q, h / 2, v1), v2, u);
    const Two v3 = on(v, h / 2, a2), a3 = acceleration(on(q, h / 2, v2), v3, u);
    const Two v4 = on(v, h, a3), a4 = acceleration(on(q, h, v3), v4, u);
    for (int i = 0; i < 2; ++i) {
      q[i] += h / 6 * (v1[i] + 2 * v2[i] + 2 * v3[i] + v4[i]);
      v[i] += h / 6 * (a1[i] + 2 * a2[i] + 2 * a3[i] + a4[i]);
    }
  }
};

}  // namespace mechfit::testing
