#include "mechfit/log/thin.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "mechfit/base/median.h"
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

double run_step(const Trajectory& run) {
  const std::vector<double> steps = steps_of(run);
  return steps.empty() ? 0 : median(steps);
}

// Runs may be sampled at different rates.
int stride_of(const Trajectory& run, double step) {
  const double h = run_step(run);
  // Three samples are left: residuals couple as many.
  const double most = (run.size() - 1) / (kShortestRun - 1);
  return h > 0 ? std::max(1, static_cast<int>(std::min(step / h + kSameStep, most))) : 1;
}

}  // namespace

Thinning choose_thinning(const Log& smoothed, double step) {
  const double omega = frequency(smoothed);
  if (!(omega > 0) && step <= 0) return {};
  double longest = 0;  // step that the longest run bears
  for (const auto& run : smoothed.runs)
    longest = std::max(longest, run_step(run) * run.size() / kFewest);
  const double wanted = std::min(step > 0 ? step : kPhase / omega, longest);
  int most = 1;
  double finest = 0, left = 0;  // steps of the run that is thinned most
  for (const auto& run : smoothed.runs)
    if (const int stride = stride_of(run, wanted); stride > most) {
      most = stride;
      finest = run_step(run);
      left = finest * stride;
    }
  if (most == 1) return {};
  char text[200];
  std::snprintf(text, sizeof text,
                "the log is sampled every %.3g s, finer than its motion needs: every %s sample "
                "is used, %.3g s apart (option 'step' says otherwise)",
                finest, ordinal(most).c_str(), left);
  return {wanted, text};
}

Log thin(const Log& log, double step) {
  if (step == 0) return log;
  const int n = log.n(), m = log.m();
  Log out;
  out.channels = log.channels;
  for (const auto& run : log.runs) {
    const int stride =
        std::min(stride_of(run, step), std::max(1, (run.size() - 1) / (kShortestRun - 1)));
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
