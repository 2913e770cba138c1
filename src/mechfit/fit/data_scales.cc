#include "mechfit/fit/data_scales.h"

#include <cmath>
#include <string>

#include "mechfit/base/error.h"

namespace mechfit {
namespace {

std::vector<double> root_mean_square(const std::vector<double>& x, int width) {
  std::vector<double> sum(width, 0.0);
  const std::size_t count = width > 0 ? x.size() / width : 0;
  for (std::size_t i = 0; i < count * width; ++i) sum[i % width] += x[i] * x[i];
  for (double& s : sum) s = std::sqrt(s / static_cast<double>(count));
  return sum;
}

}  // namespace

Magnitudes magnitudes(const Samples& s) {
  Magnitudes size;
  size.q_mean.assign(s.n, 0.0);
  for (std::size_t i = 0; i < s.q.size(); ++i) size.q_mean[i % s.n] += s.q[i] / s.size;
  std::vector<double> deviation = s.q;
  for (std::size_t i = 0; i < deviation.size(); ++i) deviation[i] -= size.q_mean[i % s.n];
  size.q = root_mean_square(deviation, s.n);
  size.v = root_mean_square(s.v, s.n);
  size.a = root_mean_square(s.a, s.n);
  size.u = root_mean_square(s.u_step, s.m);
  double rate2 = 0.0;
  for (int i = 0; i < s.n; ++i) {
    if (!(size.q[i] > 0 && size.v[i] > 0 && size.a[i] > 0))
      throw InputError(
          "joint " + std::to_string(i + 1) +
          " does not move in the training data; leave it out or record a motion of it");
    rate2 += size.a[i] * size.a[i] / (size.v[i] * size.v[i]) / s.n;
  }
  for (double& u : size.u)
    if (!(u > 0)) u = 1.0;  // an input that is never used
  size.time = 1.0 / std::sqrt(rate2);
  return size;
}

}  // namespace mechfit
