#pragma once

#include <fmt/format.h>

#include <cmath>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "mechfit/log/log.h"
#include "mechfit/mechanics/point.h"
#include "tests/support/arms.h"

// Arms that follow sums of sines under a controller.
namespace mechfit::testing {

// Moves q and v on by h under torques that are held.
using ArmMachine = std::function<void(std::span<const double> tau, double h, std::span<double> q,
                                      std::span<double> v)>;

// The arm's own equations by Runge-Kutta, in ten steps.
inline ArmMachine runge_kutta_machine(const Arm& arm) {
  struct Machine {
    explicit Machine(const Arm& arm) : model(arm), point(model) {}
    Model model;
    PointDynamics point;
  };
  return [n = static_cast<std::size_t>(arm.joints()), machine = std::make_shared<Machine>(arm)](
             std::span<const double> tau, double h, std::span<double> q, std::span<double> v) {
    constexpr int kSteps = 10;
    std::vector<double> y(q.begin(), q.end()), z(2 * n), k1(2 * n), k2(k1), k3(k1), k4(k1);
    y.insert(y.end(), v.begin(), v.end());
    const double d = h / kSteps;
    const auto slope = [&](double share, const std::vector<double>& before,
                           std::vector<double>& out) {
      for (std::size_t i = 0; i < 2 * n; ++i) z[i] = y[i] + share * d * before[i];
      std::copy(z.begin() + static_cast<std::ptrdiff_t>(n), z.end(), out.begin());
      (void)machine->point.acceleration(std::span(z).first(n), std::span(z).last(n), tau,
                                        std::span(out).last(n));
    };
    for (int s = 0; s < kSteps; ++s) {
      slope(0, k1, k1);
      slope(0.5, k1, k2);
      slope(0.5, k2, k3);
      slope(1, k3, k4);
      for (std::size_t i = 0; i < 2 * n; ++i)
        y[i] += d / 6 * (k1[i] + 2 * k2[i] + 2 * k3[i] + k4[i]);
    }
    std::copy_n(y.begin(), n, q.begin());
    std::copy_n(y.begin() + static_cast<std::ptrdiff_t>(n), n, v.begin());
  };
}

// Three sines at each joint, up to 1.3 rad from its middle.
class ArmReference {
 public:
  std::vector<double> q, v, a;

  ArmReference(int joints, double rate, Random& random) : q(joints), v(q), a(q), rate_(rate) {
    for (int k = 0; k < 3 * joints; ++k) phase_.push_back(random.uniform(0, kTurn));
  }

  void set(double t) {
    for (std::size_t j = 0; j < q.size(); ++j) {
      q[j] = v[j] = a[j] = 0;
      for (int k = 0; k < 3; ++k) {
        const double w = rate_ * (k + 1) * (1 + 0.13 * static_cast<double>(j));
        const double x = w * t + phase_[3 * j + k], size = 0.7 / (k + 1);
        q[j] += size * std::sin(x);
        v[j] += size * w * std::cos(x);
        a[j] -= size * w * w * std::sin(x);
      }
    }
  }

 private:
  double rate_;
  std::vector<double> phase_;
};

struct ArmRecording {
  double rate = 0.6;               // of the slowest sine [rad/s]; 2: a quick arm
  double encoder = 0, torque = 0;  // noise in the log [rad], [N m]
  int runs = 4, samples = 800;     // of each
  double step = 0.005;             // [s]
};

// The machine follows q* under tau = inverse dynamics(q*) + kp (q* - q) + kd (v* - v) of the arm,
// held from sample to sample.
inline Log followed(const Arm& arm, const ArmMachine& move, const ArmRecording& recording,
                    Random& random) {
  const int n = arm.joints();
  const double h = recording.step;
  Log log;
  for (int j = 0; j < n; ++j) {
    log.channels.joints.push_back(fmt::format("q{}", j + 1));
    log.channels.units.push_back("rad");
    log.channels.inputs.push_back(fmt::format("u{}", j + 1));
  }
  log.channels.joint_types = arm.joint_types();
  const Model model(arm);
  PointDynamics point(model);
  std::vector<double> M(n * n), tau(n);
  for (int r = 0; r < recording.runs; ++r) {
    ArmReference wanted(n, recording.rate, random);
    wanted.set(0);
    std::vector<double> q = wanted.q, v = wanted.v;
    Trajectory run;
    run.name = fmt::format("run {}", r + 1);
    for (int k = 0; k < recording.samples; ++k) {
      wanted.set((k + 0.5) * h);
      point.inverse_dynamics(wanted.q, wanted.v, wanted.a, tau);
      point.mass(wanted.q, M);
      wanted.set(k * h);
      for (int j = 0; j < n; ++j)
        tau[j] += M[(n + 1) * j] * (400 * (wanted.q[j] - q[j]) + 40 * (wanted.v[j] - v[j]));
      run.t.push_back(k * h);
      for (int j = 0; j < n; ++j) {
        run.q.push_back(q[j] + recording.encoder * random.normal());
        run.u.push_back(tau[j] + recording.torque * random.normal());
      }
      move(tau, h, q, v);
    }
    log.runs.push_back(std::move(run));
  }
  return log;
}

}  // namespace mechfit::testing
