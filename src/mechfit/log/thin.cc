#include "mechfit/log/thin.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "mechfit/base/error.h"
#include "mechfit/base/ordinal.h"
#include "mechfit/log/acting_input.h"
#include "mechfit/log/steps.h"

namespace mechfit {
namespace {

// omega h at which the midpoint rule's relative error (omega h)^2 / 12 is a thousandth
constexpr double kPhase = 0.11;
// Samples that the longest run keeps, whatever step is asked for: the 14 residuals of a run still
// outnumber the unknowns of its start.
constexpr int kFewest = 16;
// Share of a sample by which a step may miss a whole number of samples: it came from decimal
// numbers.
constexpr double kRounding = 1e-9;

// The largest over the joints of rms jerk over rms acceleration.
double frequency(const Log& log) {
  const int n = log.n();
  double most = 0;
  for (int j = 0; j < n; ++j) {
    double jerk = 0, acceleration = 0;
    for (const auto& run : log.runs)
      for (int k = 0; k + 1 < run.size(); ++k) {
        const double a = run.qdd[k * n + j], next = run.qdd[(k + 1) * n + j];
        const double rate = (next - a) / (run.t[k + 1] - run.t[k]);
        jerk += rate * rate;
        acceleration += a * a;
      }
    if (acceleration > 0) most = std::max(most, std::sqrt(jerk / acceleration));
  }
  return most;
}

}  // namespace

Thinning choose_thinning(const Log& smoothed, double step) {
  const double h = median_step(smoothed), omega = frequency(smoothed);
  if (!(h > 0) || (!(omega > 0) && step <= 0)) return {};
  const double wanted = step > 0 ? step : kPhase / omega;
  int longest = 0;
  for (const auto& run : smoothed.runs) longest = std::max(longest, run.size());
  Thinning thinning;
  thinning.stride = static_cast<int>(std::min(wanted / h + kRounding, 1.0 * longest / kFewest));
  thinning.stride = std::max(1, thinning.stride);
  if (thinning.stride == 1) return thinning;
  char text[200];
  std::snprintf(text, sizeof text,
                "the log is sampled every %.3g s, finer than its motion needs: every %s sample "
                "is used, %.3g s apart (option 'step' says otherwise)",
                h, ordinal(thinning.stride).c_str(), h * thinning.stride);
  thinning.note = text;
  return thinning;
}

Log thin(const Log& log, int stride) {
  MECHFIT_CHECK(stride >= 1);
  if (stride == 1) return log;
  const int n = log.n(), m = log.m();
  Log out;
  out.channels = log.channels;
  for (const auto& run : log.runs) {
    Trajectory kept;
    kept.name = run.name;
    for (int k = 0; k < run.size(); k += stride) {
      kept.t.push_back(run.t[k]);
      kept.q.insert(kept.q.end(), &run.q[k * n], &run.q[k * n] + n);
    }
    kept.u = step_inputs(run, m, kept.t);
    kept.input = run.input;
    out.runs.push_back(std::move(kept));
  }
  return out;
}

}  // namespace mechfit
