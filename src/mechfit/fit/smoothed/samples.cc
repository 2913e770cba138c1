#include "mechfit/fit/smoothed/samples.h"

#include "mechfit/base/error.h"
#include "mechfit/log/acting_input.h"

namespace mechfit {

Samples make_samples(const Log& log) {
  Samples s;
  s.n = log.n();
  s.m = log.m();
  bool has_velocities = true;
  for (const auto& run : log.runs)
    has_velocities =
        has_velocities && run.qd.size() == run.q.size() && run.qdd.size() == run.q.size();
  for (const auto& run : log.runs) {
    const int size = run.size(), m = s.m;
    MECHFIT_CHECK(static_cast<int>(run.q.size()) == size * s.n, "run '" + run.name + "'");
    MECHFIT_CHECK(static_cast<int>(run.u.size()) == size * m, "inputs of run '" + run.name + "'");
    for (int k = 0; k < size; ++k) {
      if (k + 2 < size) s.triples.push_back(s.size + k);
      if (k + 1 < size) s.pairs.push_back(s.size + k);
      s.h.push_back(k + 1 < size ? run.t[k + 1] - run.t[k] : 0.0);
    }
    s.q.insert(s.q.end(), run.q.begin(), run.q.end());
    if (has_velocities) {
      s.v.insert(s.v.end(), run.qd.begin(), run.qd.end());
      s.a.insert(s.a.end(), run.qdd.begin(), run.qdd.end());
    }
    const std::vector<double> u = sample_inputs(run, m, InputAtSample::mean);
    s.u_step.insert(s.u_step.end(), run.u.begin(), run.u.end());
    s.u_point.insert(s.u_point.end(), u.begin(), u.end());
    s.size += size;
  }
  return s;
}

}  // namespace mechfit
