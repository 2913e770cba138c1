#include <fmt/format.h>

#include <algorithm>

#include "mechfit/base/constants.h"
#include "mechfit/report/fit_members.h"

namespace mechfit {
namespace {

// A part that begins within this share of its run begins with the run, to a reader.
constexpr double kBeginning = 0.03;

// q of a piece of motion at time t, by straight lines between its samples.
void interpolate(const Trajectory& piece, int n, double t, double* out) {
  const auto next = std::upper_bound(piece.t.begin(), piece.t.end(), t);
  const auto k = std::clamp<std::ptrdiff_t>(next - piece.t.begin(), 1, piece.size() - 1);
  const double share = (t - piece.t[k - 1]) / (piece.t[k] - piece.t[k - 1]);
  for (int i = 0; i < n; ++i)
    out[i] = (1 - share) * piece.q[(k - 1) * n + i] + share * piece.q[k * n + i];
}

}  // namespace

std::string part_name(const Log& log, const std::string& run, double from) {
  double start = from, end = from;
  for (const Trajectory& candidate : log.runs)
    if (candidate.name == run) {
      start = std::min(start, candidate.t.front());
      end = std::max(end, candidate.t.back());
    }
  const bool whole = from - start <= kBeginning * (end - start);
  return "run " + run + (whole ? "" : fmt::format(", from {:.3g} s", from - start));
}

std::vector<double> measured_positions(const FitView& view, int run) {
  const Trajectory& samples = view.held_out.motion().runs[run];
  const auto& found = view.scores.model_error;
  if (view.held_out.logged_velocities || !found || found->motion.runs.empty()) return samples.q;
  const int n = view.held_out.observed.n();
  std::vector<double> out(samples.q.size(), kNan);
  for (const Trajectory& piece : found->motion.runs) {
    if (piece.name != samples.name || piece.size() < 2) continue;
    for (int k = 0; k < samples.size(); ++k)
      if (samples.t[k] >= piece.t.front() && samples.t[k] <= piece.t.back())
        interpolate(piece, n, samples.t[k], &out[k * n]);
  }
  return out;
}

}  // namespace mechfit
