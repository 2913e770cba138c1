#include "mechfit/log/refine.h"

#include <algorithm>
#include <cmath>

#include "mechfit/base/constants.h"
#include "mechfit/base/error.h"
#include "mechfit/log/acting_input.h"
#include "mechfit/log/steps.h"

namespace mechfit {
Trajectory refine(const Trajectory& run, int n, int m, double step, int most_parts) {
  Trajectory out;
  out.name = run.name;
  for (int k = 0; k < run.size(); ++k) {
    const double h = k + 1 < run.size() ? run.t[k + 1] - run.t[k] : 0;
    const double wanted = std::min(std::ceil(h / step - kSameStep), 1.0 * most_parts);
    const int parts = std::max(1, static_cast<int>(wanted));
    for (int part = 0; part < parts; ++part) {
      out.t.push_back(run.t[k] + h * part / parts);
      for (int j = 0; j < n; ++j) out.q.push_back(part == 0 ? run.q[k * n + j] : kNan);
    }
  }
  out.u = step_inputs(run, m, out.t);
  out.input = run.input;
  return out;
}

Log refine(const Log& log, double step) {
  MECHFIT_CHECK(step > 0);
  const double sample_step = median_step(log);
  Log out;
  out.channels = log.channels;
  for (const Trajectory& run : log.runs) {
    out.runs.push_back(refine(run, log.n(), log.m(), step, kMostParts));
    out.runs.back().sample_step = sample_step;
  }
  return out;
}

Log observed_samples(const Log& refined, const Log& observed) {
  Log out = observed;
  const std::size_t n = observed.n();
  for (std::size_t r = 0; r < out.runs.size(); ++r) {
    const Trajectory& from = refined.runs[r];
    Trajectory& to = out.runs[r];
    for (const auto values : {&Trajectory::q, &Trajectory::qd, &Trajectory::qdd, &Trajectory::q_sd,
                              &Trajectory::qd_sd, &Trajectory::qdd_sd}) {
      if ((from.*values).empty()) continue;
      (to.*values).resize(to.t.size() * n);
      int at = 0;
      for (int k = 0; k < to.size(); ++k) {
        while (from.t[at] < to.t[k]) ++at;
        std::copy_n(&(from.*values)[at * n], n, &(to.*values)[k * n]);
      }
    }
  }
  return out;
}

std::vector<double> interpolate(std::span<const double> from, std::span<const double> q, int n,
                                std::span<const double> to) {
  const int size = static_cast<int>(from.size()), points = std::min(4, size);
  MECHFIT_CHECK(q.size() == from.size() * n && size >= 1);
  std::vector<double> out;
  int k = 0;
  for (const double t : to) {
    while (k + 2 < size && from[k + 1] < t) ++k;
    const int begin = std::clamp(k - 1, 0, size - points);
    for (int j = 0; j < n; ++j) {
      double sum = 0;
      for (int i = begin; i < begin + points; ++i) {
        double weight = 1;
        for (int other = begin; other < begin + points; ++other)
          if (other != i) weight *= (t - from[other]) / (from[i] - from[other]);
        sum += weight * q[i * n + j];
      }
      out.push_back(sum);
    }
  }
  return out;
}

}  // namespace mechfit
