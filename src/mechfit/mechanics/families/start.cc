#include "mechfit/mechanics/families/start.h"

#include <algorithm>
#include <cmath>

#include "mechfit/base/error.h"
#include "mechfit/mechanics/families/smm/smm.h"

namespace mechfit {

std::vector<double> input_matrix(const Channels& channels, const std::vector<std::string>& joints) {
  const int n = channels.n(), m = channels.m();
  std::vector<double> b(n * m, 0.0);
  if (joints.empty() && m > n)
    throw InputError("the log has " + std::to_string(m) + " inputs for " + std::to_string(n) +
                     " joints; say which joint each input pushes");
  if (!joints.empty() && static_cast<int>(joints.size()) != m)
    throw InputError(std::to_string(joints.size()) + " input joints given, the log has " +
                     std::to_string(m) + " inputs");
  for (int j = 0; j < m; ++j) {
    int i = j;
    if (!joints.empty()) {
      const auto found = std::find(channels.joints.begin(), channels.joints.end(), joints[j]);
      if (found == channels.joints.end())
        throw InputError("input joint '" + joints[j] + "' is not a joint of the log");
      i = static_cast<int>(found - channels.joints.begin());
    }
    b[i * m + j] = 1.0;
  }
  return b;
}

Scales data_scales(const Magnitudes& size, const std::vector<JointType>& joints,
                   const std::vector<double>& input_matrix, bool physical) {
  const int n = static_cast<int>(joints.size()), m = static_cast<int>(size.u.size());
  Scales scales = Scales::unit(n, m);
  scales.v = size.v;
  scales.u = size.u;
  scales.time = size.time;
  for (int i = 0; i < n; ++i)
    if (joints[i] == JointType::plain) {
      scales.q_offset[i] = size.q_mean[i];
      scales.q[i] = size.q[i];
    }
  if (!physical) return scales;
  // work = (B u) v time, over the driven joints
  double work = 0.0;
  int driven = 0;
  for (int i = 0; i < n; ++i) {
    double force2 = 0.0;
    for (int j = 0; j < m; ++j) {
      const double f = input_matrix[i * m + j] * size.u[j];
      force2 += f * f;
    }
    if (force2 > 0) {
      work += std::sqrt(force2) * size.v[i] * size.time;
      ++driven;
    }
  }
  if (driven > 0) scales.energy = work / driven;
  return scales;
}

}  // namespace mechfit
