#include "mechfit/integrate/input_signal.h"

#include <cmath>

#include "mechfit/base/constants.h"
#include "mechfit/base/random.h"
#include "mechfit/integrate/simulate.h"

namespace mechfit {
namespace {

struct Sine {
  double frequency, rate, phase, amplitude;  // Hz, Hz/s, rad

  double at(double t) const {
    return amplitude * std::sin(kTurn * (frequency + 0.5 * rate * t) * t + phase);
  }
};

}  // namespace

std::vector<double> make_input(const InputOptions& options, int inputs,
                               const std::vector<double>& t, std::uint64_t seed, int run) {
  std::vector<double> u(t.size() * inputs, 0.0);
  if (options.signal == InputSignal::none || t.empty()) return u;
  Random random(seed, simulation_stream(run, SimulationStream::input));
  const double low = options.lowest_frequency, high = options.highest_frequency;
  const double duration = t.back() - t.front();
  for (int i = 0; i < inputs; ++i) {
    std::vector<Sine> sines;
    if (options.signal == InputSignal::chirp) {
      sines.push_back({low, duration > 0 ? (high - low) / duration : 0, random.uniform(0, kTurn),
                       options.amplitude});
    } else {
      // Enough to look random, and rms of the sum = amplitude / 4 * sqrt(8 / 2) = amplitude / 2
      for (int k = 0; k < 8; ++k)
        sines.push_back(
            {random.uniform(low, high), 0, random.uniform(0, kTurn), options.amplitude / 4});
    }
    for (std::size_t k = 0; k < t.size(); ++k)
      for (const Sine& sine : sines) u[k * inputs + i] += sine.at(t[k] - t.front());
  }
  return u;
}

}  // namespace mechfit
