#pragma once

#include <cstddef>
#include <vector>

namespace mechfit {

// Models work in units of their own, taken from the data; outside everything is physical.
//   plain joint: feature (q - q_offset) / q;  force network: v / v
//   M_ij = energy / (v_i v_j) M_model,  V = energy V_model,  F_i = energy / (v_i time) F_model
struct Scales {
  std::vector<double> q_offset, q, v;  // [n]
  std::vector<double> u;               // [m]
  double energy = 1.0, time = 1.0;

  static Scales unit(int n, int m) {
    const auto joints = static_cast<std::size_t>(n), inputs = static_cast<std::size_t>(m);
    return {std::vector<double>(joints, 0.0), std::vector<double>(joints, 1.0),
            std::vector<double>(joints, 1.0), std::vector<double>(inputs, 1.0)};
  }
  friend bool operator==(const Scales&, const Scales&) = default;
};

}  // namespace mechfit
