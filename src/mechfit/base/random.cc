#include "mechfit/base/random.h"

#include <bit>
#include <cmath>
#include <utility>

#include "mechfit/base/error.h"

namespace mechfit {
namespace {

std::uint64_t splitmix64(std::uint64_t& x) {
  x += 0x9e3779b97f4a7c15u;
  std::uint64_t z = x;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

}  // namespace

Random::Random(std::uint64_t seed, std::uint64_t stream) : state_{} {
  std::uint64_t x = seed;
  std::uint64_t y = stream ^ 0xd1b54a32d192ed03u;
  for (auto& s : state_.s) s = splitmix64(x) ^ std::rotl(splitmix64(y), 17);
}

std::uint64_t Random::bits() {
  auto& s = state_.s;
  const std::uint64_t result = std::rotl(s[1] * 5, 7) * 9;
  const std::uint64_t t = s[1] << 17;
  s[2] ^= s[0];
  s[3] ^= s[1];
  s[1] ^= s[2];
  s[0] ^= s[3];
  s[2] ^= t;
  s[3] = std::rotl(s[3], 45);
  return result;
}

double Random::uniform() { return static_cast<double>(bits() >> 11) * 0x1p-53; }

double Random::uniform(double lo, double hi) { return lo + (hi - lo) * uniform(); }

double Random::normal() {
  if (state_.has_spare) {
    state_.has_spare = false;
    return state_.spare;
  }
  double x, y, r2;
  do {
    x = 2.0 * uniform() - 1.0;
    y = 2.0 * uniform() - 1.0;
    r2 = x * x + y * y;
  } while (r2 >= 1.0 || r2 == 0.0);
  const double scale = std::sqrt(-2.0 * std::log(r2) / r2);
  state_.spare = y * scale;
  state_.has_spare = true;
  return x * scale;
}

std::uint64_t Random::below(std::uint64_t n) {
  MECHFIT_CHECK(n > 0);
  const std::uint64_t limit = ~std::uint64_t{0} - (~std::uint64_t{0} % n + 1) % n;
  std::uint64_t x;
  do x = bits();
  while (x > limit);
  return x % n;
}

void Random::shuffle(std::span<int> values) {
  for (std::size_t i = values.size(); i > 1; --i) std::swap(values[i - 1], values[below(i)]);
}

}  // namespace mechfit
