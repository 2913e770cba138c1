#include "examples/control/machine.h"

#include <cmath>

namespace control {

namespace {
constexpr double kInnerStep = 1e-3;  // of MuJoCo [s]
constexpr std::uint64_t kNoiseStream = 1;
}  // namespace

Machine::Machine(const mechfit::AnalyticSystem& system, double h, double noise, std::uint64_t seed)
    : judge_(system, kInnerStep),
      inner_(static_cast<int>(std::lround(h / kInnerStep))),
      noise_(noise),
      random_(seed, kNoiseStream) {
  place(std::vector<double>(system.joints(), 0.0));
}

void Machine::place(const std::vector<double>& q) {
  state_ = {q, std::vector<double>(q.size(), 0.0)};
}

void Machine::drive(const std::vector<double>& u) { state_ = judge_.simulate(state_, u, inner_); }

Vector Machine::encoders() {
  Vector seen(state_.q.size());
  for (int i = 0; i < seen.size(); ++i) seen[i] = state_.q[i] + noise_ * random_.normal();
  return seen;
}

}  // namespace control
