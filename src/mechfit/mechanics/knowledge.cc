#include "mechfit/mechanics/knowledge.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "mechfit/base/constants.h"
#include "mechfit/base/error.h"
#include "mechfit/files/json_fields.h"

namespace mechfit {
namespace {

// Slots of a turn in which angles are counted, 3 degrees each. A gap of less than 30 degrees is
// none: runs of some seconds leave such gaps in what they cover.
constexpr int kSlots = 120, kWidestGap = 10;

double width_of(double low, double high) { return std::max(high - low, 1e-12); }

double outside_range(double x, double low, double high) {
  const double width = width_of(low, high), beyond = std::max(low - x, x - high);
  return std::max(0.0, beyond / width - kRegionMargin);
}

// The smallest arc that holds the slots that were met.
void arc_of(const std::array<char, kSlots>& met, double& low, double& high) {
  int widest = 0, end = 0;  // of the gap: the first slot after it
  for (int from = 0; from < kSlots; ++from) {
    if (!met[from]) continue;
    int gap = 0;
    while (gap < kSlots && !met[(from + 1 + gap) % kSlots]) ++gap;
    if (gap >= widest) widest = gap, end = (from + 1 + gap) % kSlots;
  }
  if (widest < kWidestGap) {
    low = -0.5 * kTurn;
    high = 0.5 * kTurn;
    return;
  }
  low = kTurn * end / kSlots;
  if (low > 0.5 * kTurn) low -= kTurn;
  high = low + kTurn * (kSlots - widest) / kSlots;
}

void widen(double x, double& low, double& high) {
  if (!std::isfinite(x)) return;
  low = std::min(low, x);
  high = std::max(high, x);
}

void cover_angles(const Log& motion, int joint, Region& region) {
  std::array<char, kSlots> met{};
  for (const Trajectory& run : motion.runs)
    for (std::size_t k = joint; k < run.q.size(); k += motion.n()) {
      if (!std::isfinite(run.q[k])) continue;
      const double turns = run.q[k] / kTurn;
      const int slot = static_cast<int>(kSlots * (turns - std::floor(turns)));
      met[std::min(slot, kSlots - 1)] = 1;
    }
  arc_of(met, region.q_low[joint], region.q_high[joint]);
}

}  // namespace

std::vector<double> root_mean_squares(const Log& motion, std::vector<double> Trajectory::*values) {
  std::vector<double> sum(motion.n(), 0.0);
  std::size_t count = 0;
  for (const Trajectory& run : motion.runs) {
    const auto& x = run.*values;
    for (std::size_t k = 0; k < x.size(); ++k) sum[k % sum.size()] += x[k] * x[k];
    count += x.size() / sum.size();
  }
  for (double& x : sum) x = std::sqrt(x / static_cast<double>(std::max<std::size_t>(count, 1)));
  return sum;
}

double Region::outside(std::span<const JointType> types, std::span<const double> q,
                       std::span<const double> v, std::span<const double> u) const {
  double most = 0;
  for (std::size_t i = 0; i < q_low.size(); ++i) {
    double x = q[i];
    if (types[i] == JointType::periodic) {
      if (q_high[i] - q_low[i] >= kTurn) x = q_low[i];
      // The turn that puts x nearest to the arc's middle.
      x -= kTurn * std::round((x - 0.5 * (q_low[i] + q_high[i])) / kTurn);
    }
    most = std::max(most, outside_range(x, q_low[i], q_high[i]));
    most = std::max(most, outside_range(v[i], v_low[i], v_high[i]));
  }
  for (std::size_t i = 0; i < u.size() && i < u_low.size(); ++i)
    most = std::max(most, outside_range(u[i], u_low[i], u_high[i]));
  return most;
}

Knowledge knowledge_of(const Log& motion) {
  const std::size_t n = motion.n(), m = motion.m();
  Knowledge out;
  Region& region = out.region;
  region.q_low = region.v_low = std::vector<double>(n, kInfinity);
  region.q_high = region.v_high = std::vector<double>(n, -kInfinity);
  region.u_low.assign(m, kInfinity);
  region.u_high.assign(m, -kInfinity);
  for (const Trajectory& run : motion.runs) {
    MECHFIT_CHECK(run.qd.size() == run.q.size(), "a log without velocities");
    for (std::size_t k = 0; k < run.q.size(); ++k) {
      widen(run.q[k], region.q_low[k % n], region.q_high[k % n]);
      widen(run.qd[k], region.v_low[k % n], region.v_high[k % n]);
    }
    for (std::size_t k = 0; k < run.u.size(); ++k)
      widen(run.u[k], region.u_low[k % m], region.u_high[k % m]);
  }
  // What has no sample at all covers a point.
  for (auto* ends : {&region.q_low, &region.q_high, &region.v_low, &region.v_high, &region.u_low,
                     &region.u_high})
    for (double& x : *ends)
      if (!std::isfinite(x)) x = 0;
  for (std::size_t i = 0; i < n; ++i)
    if (motion.channels.joint_types[i] == JointType::periodic)
      cover_angles(motion, static_cast<int>(i), region);
  out.velocity = root_mean_squares(motion, &Trajectory::qd);
  out.acceleration = root_mean_squares(motion, &Trajectory::qdd);
  return out;
}

std::string format_knowledge(const Knowledge& k) {
  const Region& r = k.region;
  return to_text({{"q_low", r.q_low},
                  {"q_high", r.q_high},
                  {"v_low", r.v_low},
                  {"v_high", r.v_high},
                  {"u_low", r.u_low},
                  {"u_high", r.u_high},
                  {"velocity", k.velocity},
                  {"acceleration", k.acceleration},
                  {"error", k.error},
                  {"error_time", k.error_time},
                  {"labels", k.labels},
                  {"grid", std::vector<double>{k.grid}}});
}

Knowledge parse_knowledge(const std::string& text, int n, int m, const std::string& name) {
  const JsonFields fields(text, name);
  const auto take = [&](const char* key, int count, bool may_be_empty = false) {
    std::vector<double> out = fields.numbers(key);
    if (static_cast<int>(out.size()) != count && !(may_be_empty && out.empty()))
      throw InputError(name + ": '" + key + "' has " + std::to_string(out.size()) +
                       " numbers, expected " + std::to_string(count));
    return out;
  };
  Knowledge k;
  k.region = {take("q_low", n),  take("q_high", n), take("v_low", n),
              take("v_high", n), take("u_low", m),  take("u_high", m)};
  k.velocity = take("velocity", n);
  k.acceleration = take("acceleration", n);
  k.error = take("error", n, true);
  k.error_time = take("error_time", n, true);
  k.labels = take("labels", n, true);
  k.grid = take("grid", 1)[0];
  if (k.error.size() != k.error_time.size())
    throw InputError(name + ": 'error' and 'error_time' go together");
  return k;
}

}  // namespace mechfit
