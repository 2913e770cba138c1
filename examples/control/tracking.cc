#include "examples/control/tracking.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "mechfit/integrate/simulate.h"
#include "mechfit/mechanics/point.h"

namespace control {
namespace {

constexpr double kTurn = 2 * std::numbers::pi;
constexpr std::uint64_t kReferenceStream = 5;
constexpr double kIgnored = 1;  // [s] at the beginning

struct Point {
  std::vector<double> q, v, a;
};

// Three sines per joint of up to 1 Hz about half a radian, from rest at the hanging position: the
// first second blends in by s = 10 x^3 - 15 x^4 + 6 x^5.
class Reference {
 public:
  Reference(int joints, std::uint64_t seed) : joints_(joints), random_(seed, kReferenceStream) {
    for (int i = 0; i < joints; ++i) {
      middle_.push_back(0.5);
      for (int k = 0; k < kSines; ++k) {
        pace_.push_back(kTurn * random_.uniform(0.2, 1.0));
        phase_.push_back(random_.uniform(0, kTurn));
      }
    }
  }

  double position(int i, double t) const {
    double q = middle_[i];
    for (int k = i * kSines; k < (i + 1) * kSines; ++k)
      q += kAmplitude * std::sin(pace_[k] * t + phase_[k]);
    const double x = std::min(t / kBlend, 1.0);
    return q * x * x * x * (10 - 15 * x + 6 * x * x);
  }

  // Derivatives by central differences: six digits, and a blend needs no second formula.
  Point at(double t) const {
    constexpr double d = 1e-4;
    Point out;
    for (int i = 0; i < joints_; ++i) {
      const double before = position(i, t - d), now = position(i, t), after = position(i, t + d);
      out.q.push_back(now);
      out.v.push_back((after - before) / (2 * d));
      out.a.push_back((after - 2 * now + before) / (d * d));
    }
    return out;
  }

 private:
  static constexpr int kSines = 3;
  static constexpr double kAmplitude = 0.35, kBlend = 1;  // [rad], [s]
  int joints_;
  mechfit::Random random_;
  std::vector<double> middle_, pace_, phase_;
};

}  // namespace

// Two rods of 2 and 1 kg that turn in a vertical plane.
TrackingTask tracking_task() {
  mechfit::AnalyticSystem arm = mechfit::make_system("double-pendulum");
  for (const auto& [name, value] : {std::pair{"g", 9.81},
                                    {"m1", 2.0},
                                    {"l1", 0.5},
                                    {"m2", 1.0},
                                    {"l2", 0.4},
                                    {"eta1", 0.3},
                                    {"eta2", 0.1}})
    arm.set_constant(name, value);
  mechfit::Channels channels = mechfit::system_channels(arm);
  channels.inputs = {"tau1", "tau2"};
  return {.nominal = arm,
          .channels = channels,
          .recording = {.runs = 4,
                        .seconds = 3,
                        .h = 0.01,
                        .start = {1.5, 1.5},
                        .sines = {10, 3},
                        .fastest = 2,
                        .limit = 50},
          .h = 0.01,
          .seconds = 6,
          .bandwidth = 8};
}

Tracking track(const TrackingTask& task, const mechfit::Model& model, Machine& machine,
               std::uint64_t seed) {
  const int n = task.nominal.joints(), steps = static_cast<int>(std::lround(task.seconds / task.h));
  const double h = task.h, w = task.bandwidth;
  const Reference reference(n, seed);
  mechfit::PointDynamics dynamics(model);
  const mechfit::Model nominal(task.nominal);
  std::vector<double> M0(n * n), acting(n), next(n), model_torque(n);
  mechfit::PointDynamics(nominal).mass(reference.at(2).q, M0);
  machine.place(std::vector<double>(n, 0.0));
  // The miss e = q* - q and its rate, by a filter of second order on what encoders show of it, four
  // times as fast as the feedback. It would lag behind q, which moves however good the model is.
  const double pole = std::exp(-4 * w * h), gain = 1 - pole * pole,
               rate_gain = (1 - pole) * (1 - pole) / h;
  std::vector<double> e(n), rate(n), fed(n), next_fed(n);
  Tracking out;
  double errors = 0, torques = 0, feedbacks = 0;
  int counted = 0;
  for (int k = 0; k < steps; ++k) {
    const Vector seen = machine.encoders();
    const Point now = reference.at(k * h), ahead = reference.at((k + 1.5) * h);
    for (int i = 0; i < n; ++i) {
      const double surprise = now.q[i] - seen[i] - (e[i] + h * rate[i]);
      e[i] += h * rate[i] + gain * surprise;
      rate[i] += rate_gain * surprise;
    }
    dynamics.inverse_dynamics(ahead.q, ahead.v, ahead.a, model_torque);
    for (int i = 0; i < n; ++i) {
      next_fed[i] = 0;
      for (int j = 0; j < n; ++j) next_fed[i] += M0[i * n + j] * (w * w * e[j] + 2 * w * rate[j]);
      next[i] = model_torque[i] + next_fed[i];
    }
    machine.drive(acting);
    const Point after = reference.at((k + 1) * h);
    out.t.push_back((k + 1) * h);
    out.q.push_back(machine.q());
    out.reference.push_back(after.q);
    if (k * h >= kIgnored)
      for (int i = 0; i < n; ++i, ++counted) {
        const double miss = after.q[i] - machine.q()[i];
        errors += miss * miss;
        torques += acting[i] * acting[i];
        feedbacks += fed[i] * fed[i];
      }
    acting = next;
    fed = next_fed;
  }
  out.error = std::sqrt(errors / counted);
  out.feedback = std::sqrt(feedbacks / torques);
  return out;
}

}  // namespace control
