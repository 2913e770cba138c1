#pragma once

#include <cmath>

#include "mechfit/base/random.h"
#include "mechfit/fit/smoothed/samples.h"
#include "mechfit/mechanics/families/smm/smm.h"
#include "mechfit/mechanics/model.h"

// The same models and data for every benchmark: networks of the reference experiments' shape (tanh,
// tanh, linear), plain joints, smooth random motion.
namespace mechfit::bench {

inline Model network(int n, int width, bool force, std::uint64_t seed = 1) {
  SmmConfig config;
  config.joints.assign(n, JointType::plain);
  config.hidden = {width, width, width};
  config.force_network = force;
  Smm smm(config);
  Random random(seed);
  smm.initialise(random);
  return Model(std::move(smm));
}

// `runs` runs of `length` samples with step 0.05, each joint a sum of three sines.
inline Samples motion(int n, int runs, int length, std::uint64_t seed = 2) {
  Random random(seed);
  Samples s;
  s.n = n;
  const double h = 0.05;
  for (int run = 0; run < runs; ++run) {
    std::vector<double> amplitude(3 * n), frequency(3 * n), phase(3 * n);
    for (int i = 0; i < 3 * n; ++i) {
      amplitude[i] = random.uniform(0.2, 0.8);
      frequency[i] = random.uniform(1, 6);
      phase[i] = random.uniform(0, 6.3);
    }
    for (int k = 0; k < length; ++k) {
      for (int i = 0; i < n; ++i) {
        double q = 0, v = 0, a = 0;
        for (int j = 3 * i; j < 3 * i + 3; ++j) {
          const double angle = frequency[j] * h * k + phase[j];
          q += amplitude[j] * std::sin(angle);
          v += amplitude[j] * frequency[j] * std::cos(angle);
          a -= amplitude[j] * frequency[j] * frequency[j] * std::sin(angle);
        }
        s.q.push_back(q);
        s.v.push_back(v);
        s.a.push_back(a);
      }
      s.h.push_back(h);
      if (k + 2 < length) s.triples.push_back(s.size);
      if (k + 1 < length) s.pairs.push_back(s.size);
      ++s.size;
    }
  }
  return s;
}

// Useful multiply-adds of a DEL gradient for one triple, its two midpoints: products with the
// matrices of networks (tanh, tanh, linear merged with the output), nothing else. Hidden matrices
// take part in forward, reverse, tangent, adjoint and two outer products; the first one needs no
// adjoint, the potential's last one only the reverse and one outer product. The force network is
// differentiated once: forward, adjoint, one outer product.
inline double del_multiply_adds(int n, int width, bool force) {
  const double h = width, in = n, out = n * (n + 1) / 2;
  const double mass = h * (6 * h + 5 * in + 6 * out);
  const double potential = h * (6 * h + 5 * in + 2);
  const double forces = h * (3 * h + 2 * (2 * in) + 3 * in);
  return 2 * (mass + potential + (force ? forces : 0));
}

}  // namespace mechfit::bench
