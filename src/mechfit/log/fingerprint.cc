#include "mechfit/log/fingerprint.h"

#include <bit>
#include <cstdint>
#include <cstdio>

namespace mechfit {

std::string fingerprint(const Log& log) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  const auto add = [&](std::uint64_t word) {
    for (int byte = 0; byte < 8; ++byte, word >>= 8) hash = (hash ^ (word & 0xff)) * 0x100000001b3u;
  };
  const auto add_all = [&](const std::vector<double>& values) {
    add(values.size());
    for (const double x : values) add(std::bit_cast<std::uint64_t>(x));
  };
  add(log.runs.size());
  for (const Trajectory& run : log.runs) {
    add_all(run.t);
    add_all(run.q);
    add_all(run.u);
  }
  char text[24];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(hash));
  return text;
}

}  // namespace mechfit
