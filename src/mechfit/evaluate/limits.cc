#include "mechfit/evaluate/limits.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace mechfit {
namespace {

// When a limit is worth a sentence, by convention.
constexpr double kOutsideShare = 0.1;  // of the samples, outside of what the model was fitted to
constexpr double kHiddenShare = 0.7;   // of the error's mean square, hidden by noise
constexpr double kRestingShare = 0.1;  // of the accelerations that the model was fitted to
constexpr double kAlongShare = 0.3;    // of the errors' mean square, along one quantity
constexpr double kFasterErrors = 3;    // rms of errors in the fastest third over the slowest third
constexpr double kScatter = 2;         // largest over smallest error of the parts
constexpr std::size_t kMostLimits = 3;

// Share of the mean square of y that lies along x.
double along(const std::vector<double>& x, const std::vector<double>& y) {
  double xx = 0, xy = 0, yy = 0;
  for (std::size_t k = 0; k < x.size(); ++k)
    xx += x[k] * x[k], xy += x[k] * y[k], yy += y[k] * y[k];
  return xx > 0 && yy > 0 ? xy * xy / (xx * yy) : 0;
}

double rms(const std::vector<std::pair<double, double>>& sorted, std::size_t begin,
           std::size_t end) {
  double sum = 0;
  for (std::size_t k = begin; k < end; ++k) sum += sorted[k].second * sorted[k].second;
  return std::sqrt(sum / std::max<double>(1, static_cast<double>(end - begin)));
}

// What the errors of one joint go with.
void look_at_errors(const ModelError& error, int joint, std::vector<Limit>& out) {
  const int n = error.motion.n(), m = error.motion.m();
  const std::string& name = error.motion.channels.joints[joint];
  std::vector<double> e, v, sign;
  std::vector<std::vector<double>> u(m);
  std::vector<std::pair<double, double>> by_speed;
  for (std::size_t r = 0; r < error.motion.runs.size(); ++r) {
    const Trajectory& run = error.motion.runs[r];
    for (int k = 0; k < run.size(); ++k) {
      e.push_back(error.residual[r][k * n + joint]);
      v.push_back(run.qd[k * n + joint]);
      sign.push_back(v.back() > 0 ? 1.0 : -1.0);
      for (int i = 0; i < m && !run.u.empty(); ++i) u[i].push_back(run.u[k * m + i]);
      by_speed.emplace_back(std::abs(v.back()), e.back());
    }
  }
  if (e.size() < 30) return;
  for (int i = 0; i < m; ++i)
    if (u[i].size() == e.size() && along(u[i], e) > kAlongShare)
      out.push_back({fmt::format("The error of {} goes with the input {}.", name,
                                 error.motion.channels.inputs[i]),
                     "Check which joint each input pushes and its sign, or let it be learned "
                     "(option 'learn_inputs')."});
  if (std::max(along(v, e), along(sign, e)) > kAlongShare) {
    out.push_back({fmt::format("The error of {} goes with its velocity: its friction is not "
                               "understood.",
                               name),
                   "Fit with friction (option 'force'), or with a network for the forces."});
    return;
  }
  std::sort(by_speed.begin(), by_speed.end());
  const std::size_t third = by_speed.size() / 3;
  const double slow = rms(by_speed, 0, third);
  const double fast = rms(by_speed, by_speed.size() - third, by_speed.size());
  if (fast > kFasterErrors * slow)
    out.push_back(
        {fmt::format("The error of {} grows with its speed: {:.3g} when slow, {:.3g} when "
                     "fast.",
                     name, slow, fast),
         "Record more fast motion."});
}

void look_at_motion(const Scores& scores, const ModelError& error, std::vector<Limit>& out) {
  for (std::size_t j = 0; j < error.acceleration.size(); ++j)
    if (error.acceleration[j] < kRestingShare * scores.units.acceleration[j])
      out.push_back({fmt::format("{} hardly moves in these runs, which say little of it.",
                                 error.motion.channels.joints[j]),
                     "Judge it by runs in which every joint moves."});
}

}  // namespace

std::vector<Limit> limits_of(const Scores& scores, bool good) {
  std::vector<Limit> out;
  if (scores.outside > kOutsideShare)
    out.push_back({fmt::format("{:.0f} % of the samples lie outside of what it was fitted to.",
                               100 * scores.outside),
                   "Fit it to runs that go there too."});
  if (const auto& error = scores.model_error; error && !error->motion.runs.empty()) {
    look_at_motion(scores, *error, out);
    for (int j = 0; !good && j < error->motion.n(); ++j) look_at_errors(*error, j, out);
    if (!good && 1 - error->seen > kHiddenShare)
      out.push_back({"Noise hides most of its error.",
                     "A better sensor would help it more than another model, and so would more "
                     "runs."});
  }
  double least = 0, most = 0;
  for (const Quality& part : scores.parts) {
    const double relative = part.relative();
    if (least == 0 || relative < least) least = relative;
    most = std::max(most, relative);
  }
  if (!good && scores.parts.size() > 1 && most > kScatter * least)
    out.push_back(
        {std::isfinite(most)
             ? fmt::format("Its error differs between parts of the log, from {:.2g} to {:.3g} %.",
                           100 * least, 100 * most)
             : std::string(
                   "Fitted without some part of the log it has no positive mass matrix there."),
         "More runs would help."});
  if (out.size() > kMostLimits) out.resize(kMostLimits);
  return out;
}

}  // namespace mechfit
