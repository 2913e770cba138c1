#include "mechfit/evaluate/predictions.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "mechfit/base/constants.h"
#include "mechfit/base/error.h"
#include "mechfit/base/random.h"
#include "mechfit/evaluate/coverage.h"
#include "mechfit/evaluate/motion_size.h"
#include "mechfit/integrate/rollout.h"

namespace mechfit {
namespace {

// Outside of the region by its own width, a model is taken to be as wrong as five times what it was
// inside. A convention: nothing can be measured there.
constexpr double kWiden = 5;
// Points whose predictions are held in memory at a time.
constexpr int kPointsAtATime = 4096;
// Streams of random numbers that nothing else draws from.
constexpr std::uint64_t kErrorStream = 901, kKickStream = 902;

const Model& member(const Ensemble& ensemble, int k) {
  const auto& members = ensemble.members;
  return members.empty() ? ensemble.model : members[k % static_cast<int>(members.size())];
}

MotionView part(const MotionView& points, int begin, int end) {
  const auto cut = [&](std::span<const double> x, int width) {
    return x.empty() ? x : x.subspan(begin * width, (end - begin) * width);
  };
  return {points.n,
          points.m,
          cut(points.q, points.n),
          cut(points.v, points.n),
          cut(points.a, points.n),
          cut(points.u, points.m)};
}

// Normal quantiles, one for each prediction, in another order for every joint: one draw for all
// points, so that bands along a motion are smooth.
std::vector<double> error_draws(int n) {
  std::vector<double> out;
  for (int j = 0; j < n; ++j) {
    std::vector<int> order(kPredictions);
    std::iota(order.begin(), order.end(), 0);
    Random(static_cast<std::uint64_t>(j), kErrorStream).shuffle(order);
    for (const int k : order) {
      const double band = std::abs(2 * (k + 0.5) / kPredictions - 1);
      const double score = band > 1e-9 ? normal_quantile(band) : 0.0;
      out.push_back(2 * k + 1 < kPredictions ? -score : score);
    }
  }
  return out;
}

// Root mean square of the model's error at a state, per joint.
void error_sizes(const Ensemble& ensemble, const MotionView& points, int k,
                 std::span<const double> acceleration, std::span<double> out) {
  const int n = points.n, m = points.m;
  std::fill(out.begin(), out.end(), 0.0);
  if (!ensemble.knowledge || ensemble.knowledge->error.empty()) return;
  const Knowledge& known = *ensemble.knowledge;
  double square = 0;
  for (int i = 0; i < n; ++i) {
    const double unit = known.acceleration[i];
    if (unit > 0) square += std::pow(acceleration[i] / unit, 2) / n;
  }
  const double size = std::sqrt(kSizeFloor + (1 - kSizeFloor) * square);
  const double outside = known.region.outside(
      ensemble.model.joint_types(), points.q.subspan(k * n, n), points.v.subspan(k * n, n),
      points.u.empty() ? points.u : points.u.subspan(k * m, m));
  for (int i = 0; i < n; ++i) out[i] = known.error[i] * size * (1 + kWiden * outside);
}

// How much larger the error is along the model's own motion, [B][steps], 1 inside of the region.
std::vector<double> growth_along(const Ensemble& ensemble, const RolloutRequest& request,
                                 ThreadPool& pool) {
  const int n = ensemble.model.joints(), steps = request.steps;
  const Rollout motion = roll_out(ensemble.model, request, Integrator::rk4, pool);
  std::vector<double> growth(static_cast<std::size_t>(request.trajectories) * steps, 1.0);
  for (std::size_t k = 0; k < growth.size(); ++k) {
    const std::size_t row = k / steps * (steps + 1) + k % steps;
    const auto state = [&](const std::vector<double>& x) {
      return std::span(x).subspan(row * n, n);
    };
    if (!std::isfinite(state(motion.q)[0])) continue;
    growth[k] += kWiden * ensemble.knowledge->region.outside(ensemble.model.joint_types(),
                                                             state(motion.q), state(motion.v));
  }
  return growth;
}

// A process with standard deviation s that changes within tau, times the steps: what it adds to
// velocities (correlated_motion.h has its equations).
void draw_kicks(const RolloutRequest& request, const Knowledge& known,
                const std::vector<double>& growth, std::uint64_t seed, std::vector<double>& kicks) {
  const std::size_t n = known.error.size();
  kicks.assign(growth.size() * n, 0.0);
  Random random(seed, kKickStream);
  for (int b = 0; b < request.trajectories; ++b)
    for (std::size_t j = 0; j < n; ++j) {
      double now = random.normal(), before = now, phi_before = 1;
      for (int k = 0; k < request.steps; ++k) {
        const std::size_t at = static_cast<std::size_t>(b) * request.steps + k;
        const double h = request.h[request.h.size() == 1 ? 0 : at];
        kicks[at * n + j] = known.error[j] * growth[at] * now * h;
        const double phi = std::exp(-h / known.error_time[j]), rest = 1 - phi * phi;
        const double next =
            k == 0 ? (2 * phi * now + rest * random.normal()) / (1 + phi * phi)
                   : 2 * phi * now - phi * phi_before * before +
                         std::sqrt(rest * rest * rest / (1 + phi * phi)) * random.normal();
        before = now;
        now = next;
        phi_before = phi;
      }
    }
}

}  // namespace

void bands_of(std::span<double> x, BandLimits (&out)[kBandCount]) {
  bool upper = false;
  for (double& value : x)
    if (!std::isfinite(value)) value = (upper = !upper) ? kInfinity : -kInfinity;
  std::sort(x.begin(), x.end());
  for (int b = 0; b < kBandCount; ++b) {
    const auto outer =
        std::max(1L, std::lround(0.5 * (1 - kBands[b]) * static_cast<double>(x.size() + 1)));
    out[b] = {x[outer - 1], x[x.size() - outer]};
  }
}

AccelerationBands acceleration_bands(const Ensemble& ensemble, const MotionView& points,
                                     ThreadPool& pool) {
  const int n = points.n, models = std::max<int>(1, static_cast<int>(ensemble.members.size()));
  const bool mean = ensemble.mean && !ensemble.members.empty();
  AccelerationBands out;
  for (int b = 0; b < kBandCount; ++b) {
    out.low[b].resize(points.q.size());
    out.high[b].resize(points.q.size());
  }
  const std::vector<double> draws = error_draws(n);
  std::vector<double> sizes(n);
  for (int begin = 0; begin < points.size(); begin += kPointsAtATime) {
    const MotionView view = part(points, begin, std::min(begin + kPointsAtATime, points.size()));
    std::vector<std::vector<double>> predicted;
    for (int k = 0; k < std::min(models, kPredictions); ++k)
      predicted.push_back(predict_accelerations(member(ensemble, k), view, pool));
    std::vector<double> centre = mean || ensemble.members.empty()
                                     ? predicted[0]
                                     : predict_accelerations(ensemble.model, view, pool);
    for (std::size_t k = 0; mean && k < centre.size(); ++k) {
      centre[k] = 0;
      for (const auto& own : predicted) centre[k] += own[k] / static_cast<double>(predicted.size());
    }
    for (int k = 0; k < view.size(); ++k) {
      error_sizes(ensemble, view, k, std::span(centre).subspan(k * n, n), sizes);
      for (int i = 0; i < n; ++i) {
        double x[kPredictions];
        for (int d = 0; d < kPredictions; ++d)
          x[d] =
              predicted[d % predicted.size()][k * n + i] + sizes[i] * draws[i * kPredictions + d];
        BandLimits limits[kBandCount];
        bands_of(x, limits);
        for (int b = 0; b < kBandCount; ++b) {
          out.low[b][(begin + k) * n + i] = limits[b].low;
          out.high[b][(begin + k) * n + i] = limits[b].high;
        }
      }
    }
    out.centre.insert(out.centre.end(), centre.begin(), centre.end());
  }
  return out;
}

std::vector<Rollout> predict_rollouts(const Ensemble& ensemble, const RolloutRequest& request,
                                      const DrawnStates& drawn, ThreadPool& pool) {
  const bool known = ensemble.knowledge && !ensemble.knowledge->error.empty();
  std::vector<double> growth, kicks;
  if (known) growth = growth_along(ensemble, request, pool);
  std::vector<Rollout> out;
  for (int k = 0; k < kPredictions; ++k) {
    RolloutRequest own = request;
    if (!drawn.q.empty()) {
      own.q0 = drawn.q[k];
      own.v0 = drawn.v[k];
    }
    if (known) {
      draw_kicks(request, *ensemble.knowledge, growth, static_cast<std::uint64_t>(k), kicks);
      own.kicks = kicks;
    }
    out.push_back(roll_out(member(ensemble, k), own, Integrator::rk4, pool));
  }
  return out;
}

std::vector<Rollout> predict_rollouts(const Ensemble& ensemble, const Log& log,
                                      std::span<const Starts> drawn, const RolloutSteps& cut,
                                      ThreadPool& pool) {
  MECHFIT_CHECK(drawn.size() == kPredictions);
  const StartArrays arrays = start_arrays(ensemble.model, log, drawn[0], cut);
  RolloutRequest request = arrays.request();
  request.contacts = ensemble.contacts;
  DrawnStates states;
  for (const Starts& own : drawn) {
    states.q.push_back(own.q);
    states.v.push_back(own.v);
  }
  return predict_rollouts(ensemble, request, states, pool);
}

bool tells_deviations(const Ensemble& ensemble) {
  return ensemble.members.size() > 1 || (ensemble.knowledge && !ensemble.knowledge->error.empty());
}

std::vector<double> acceleration_deviations(const Ensemble& ensemble, const MotionView& points,
                                            ThreadPool& pool) {
  std::vector<double> out;
  if (!tells_deviations(ensemble)) return out;
  const AccelerationBands bands = acceleration_bands(ensemble, points, pool);
  for (std::size_t k = 0; k < bands.centre.size(); ++k)
    out.push_back(0.5 * (bands.high[1][k] - bands.low[1][k]) / normal_quantile(kBands[1]));
  return out;
}

}  // namespace mechfit
