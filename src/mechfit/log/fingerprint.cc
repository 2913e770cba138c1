#include "mechfit/log/fingerprint.h"

#include <bit>
#include <cstdint>
#include <cstdio>

namespace mechfit {
namespace {

// 64-bit FNV-1a: hash <- (hash xor byte) * prime, for every byte.
struct Fnv1a {
  std::uint64_t hash = 0xcbf29ce484222325u;

  void add(std::uint64_t word) {
    for (int byte = 0; byte < 8; ++byte, word >>= 8) hash = (hash ^ (word & 0xff)) * 0x100000001b3u;
  }
  void add(const std::vector<double>& values) {
    add(values.size());
    for (const double x : values) add(std::bit_cast<std::uint64_t>(x));
  }
  void add(const Log& log) {
    add(log.runs.size());
    for (const Trajectory& run : log.runs) {
      add(run.t);
      add(run.q);
      add(run.u);
    }
  }
};

}  // namespace

std::string fingerprint(const Log& log, const std::optional<Log>& second) {
  Fnv1a fnv;
  fnv.add(log);
  if (second) fnv.add(*second);
  char text[24];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(fnv.hash));
  return text;
}

}  // namespace mechfit
