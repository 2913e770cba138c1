#pragma once

#include <cstdint>
#include <vector>

#include "mechfit/base/names.h"

namespace mechfit {

// Inputs that make a machine show its dynamics.
enum class InputSignal {
  none,   // u = 0
  chirp,  // sine whose frequency rises linearly over the run, with a random phase
  sines,  // sum of eight sines of random frequencies and phases, rms half the amplitude
};
template <>
inline constexpr auto kNames<InputSignal> = names<InputSignal>({{InputSignal::none, "none"},
                                                                {InputSignal::chirp, "chirp"},
                                                                {InputSignal::sines, "sines"}});

struct InputOptions {
  InputSignal signal = InputSignal::none;
  double amplitude = 1;           // in the input's unit
  double lowest_frequency = 0.1;  // Hz
  double highest_frequency = 2;   // Hz
};

// u [t.size()][inputs] at the times t; the same (seed, run) gives the same numbers.
std::vector<double> make_input(const InputOptions& options, int inputs,
                               const std::vector<double>& t, std::uint64_t seed, int run);

}  // namespace mechfit
