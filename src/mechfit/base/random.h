#pragma once

#include <cstdint>
#include <span>

namespace mechfit {

// xoshiro256** (Blackman and Vigna), seeded through splitmix64. The transforms below are ours
// too, so a seed gives the same numbers on every platform; streams (seed, stream) are independent
// of each other.
class Random {
 public:
  explicit Random(std::uint64_t seed, std::uint64_t stream = 0);

  std::uint64_t bits();
  double uniform();                      // [0, 1), 53 bits
  double uniform(double lo, double hi);  // [lo, hi)
  double normal();                       // N(0, 1), polar method
  std::uint64_t below(std::uint64_t n);  // 0 .. n-1, unbiased
  void shuffle(std::span<int> values);   // Fisher-Yates

  // The whole state, for checkpoints.
  struct State {
    std::uint64_t s[4];
    double spare;
    bool has_spare;
  };
  State state() const { return state_; }
  void set_state(const State& state) { state_ = state; }

 private:
  State state_;
};

}  // namespace mechfit
