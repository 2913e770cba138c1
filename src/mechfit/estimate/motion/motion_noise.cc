#include "mechfit/estimate/motion/motion_noise.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "mechfit/base/error.h"

namespace mechfit {
namespace {

constexpr int kMostSamples = 5000, kPiece = 500;
constexpr int kMostRounds = 40;
constexpr double kSettled = 0.02;                 // change of every logarithm in the last round
constexpr double kStepS = 0.6, kStepSigma = 0.2;  // of the search, in logarithms
constexpr double kFarthest = 2;                   // in such steps
// No model is better than this, in units of the accelerations. It also keeps H well conditioned.
constexpr double kLowestS = 1e-4;
// Nor is a sensor, in units of the motion.
constexpr double kLowestSigma = 1e-10;
constexpr MotionRun::Options kSolve{4, 1e-3};

// Runs, or evenly spread pieces of them.
std::vector<MotionRun> pieces(const Model& model, const Log& observed, const Log& start) {
  struct Piece {
    std::size_t run;
    int begin, size;
  };
  const int n = observed.n();
  const bool all = observed.samples() <= kMostSamples;
  std::vector<Piece> cut;
  for (std::size_t r = 0; r < observed.runs.size(); ++r) {
    const int size = observed.runs[r].size(), length = all ? size : kPiece;
    for (int begin = 0; begin < size; begin += length)
      if (std::min(length, size - begin) >= 3)
        cut.push_back({r, begin, std::min(length, size - begin)});
  }
  const std::size_t most =
      all ? cut.size() : std::max<std::size_t>(1, cut.size() * kMostSamples / observed.samples());
  std::vector<MotionRun> out;
  for (std::size_t i = 0; i < most; ++i) {
    const auto [r, begin, size] = cut[i * cut.size() / most];
    const Trajectory& run = observed.runs[r];
    const int m = run.u.empty() ? 0 : static_cast<int>(run.u.size()) / run.size();
    Trajectory part;
    part.name = run.name;
    part.t.assign(&run.t[begin], &run.t[begin] + size);
    part.q.assign(&run.q[begin * n], &run.q[begin * n] + size * n);
    if (m > 0) part.u.assign(&run.u[begin * m], &run.u[begin * m] + size * m);
    out.emplace_back(model, part, std::span(start.runs[r].q).subspan(begin * n, size * n));
  }
  return out;
}

// The most likely of x, f(x) = f0, x +- step and the top of the parabola through these; f0 becomes
// its value.
double climb(double x, double step, double least, double& f0,
             const std::function<double(double)>& f) {
  const double down = std::max(x - step, least), up = x + step;
  const double f_down = f(down), f_up = f(up);
  const double slope = 0.5 * (f_up - f_down), curvature = f_up - 2 * f0 + f_down;
  double move = slope > 0 ? kFarthest : -kFarthest;
  if (curvature < 0) move = std::clamp(-slope / curvature, -kFarthest, kFarthest);
  const double top = std::max(x + move * step, least);
  const double values[] = {f0, f_down, f_up, f(top)}, places[] = {x, down, up, top};
  const auto best = std::max_element(values, values + 4) - values;
  f0 = values[best];
  return places[best];
}

}  // namespace

MotionNoise likely_noise(const Model& model, const Log& observed, const SmoothResult& smoothed,
                         ThreadPool& pool) {
  const int n = model.joints();
  MECHFIT_CHECK(observed.n() == n && observed.runs.size() == smoothed.log.runs.size());
  MotionNoise noise, least;
  for (int j = 0; j < n; ++j) {
    double variance = 0, acceleration = 0, position = 0;
    for (std::size_t r = 0; r < observed.runs.size(); ++r) {
      const Trajectory& run = smoothed.log.runs[r];
      const double sd = smoothed.at(static_cast<int>(r), j).observation_sd;
      variance += sd * sd / static_cast<double>(observed.runs.size());
      for (std::size_t k = j; k < run.q.size(); k += n) {
        acceleration += run.qdd[k] * run.qdd[k];
        position += (run.q[k] - run.q[j]) * (run.q[k] - run.q[j]);
      }
    }
    const int samples = observed.samples();
    // A joint that never moves still has an estimate.
    const double unit = position > 0 ? std::sqrt(position / samples) : 1;
    const double a = acceleration > 0 ? std::sqrt(acceleration / samples) : 1;
    least.sigma.push_back(kLowestSigma * unit);
    least.s.push_back(kLowestS * a);
    noise.sigma.push_back(std::max(std::sqrt(variance), least.sigma[j]));
    noise.s.push_back(a);
  }

  std::vector<MotionRun> runs = pieces(model, observed, smoothed.log);
  std::vector<char> usable(runs.size());
  std::vector<double> partial(runs.size());
  const auto likelihood = [&] {
    pool.run(static_cast<int>(runs.size()), [&](int k, int) {
      partial[k] = usable[k] ? runs[k].quadratic.log_likelihood(noise) : 0;
    });
    double sum = 0;
    for (double x : partial) sum += x;
    return sum;
  };
  for (int round = 0; round < kMostRounds; ++round) {
    pool.run(static_cast<int>(runs.size()), [&](int k, int) {
      runs[k].solve(model, noise, kSolve);
      usable[k] = runs[k].linearise(model, RunDerivatives::configurations);
    });
    if (std::count(usable.begin(), usable.end(), 1) == 0)
      throw InputError("the model's mass matrix is not positive definite on any run of the log");
    double f = likelihood(), change = 0;
    const auto along = [&](double& value, double step, double lowest) {
      const double x = std::log(value);
      const double to = climb(x, step, std::log(lowest), f, [&](double at) {
        value = std::exp(at);
        return likelihood();
      });
      value = std::exp(to);
      change = std::max(change, std::abs(to - x));
    };
    for (int j = 0; j < n; ++j) {
      along(noise.s[j], kStepS, least.s[j]);
      along(noise.sigma[j], kStepSigma, least.sigma[j]);
    }
    if (change < kSettled) break;
  }
  return noise;
}

}  // namespace mechfit
