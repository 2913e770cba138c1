#include "mechfit/estimate/kalman/outliers.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "mechfit/base/median.h"
#include "mechfit/estimate/kalman/leave_one_out.h"
#include "mechfit/estimate/kalman/smoother.h"
#include "mechfit/log/steps.h"

namespace mechfit {
namespace {

constexpr double kNormal = 1.4826022185056018;  // standard deviation / median |x| of normal numbers
// Standard deviations from which a sample is suspect. Of noise as heavy-tailed as Student's t with
// four degrees of freedom one sample in 2,000 is further out.
constexpr double kSuspect = 10;
// Neighbours on each side that tell the size of residuals around a sample.
constexpr int kAround = 10;
// How many times larger than the median of theirs its z is. Two outliers among them leave no more.
constexpr double kLocal = 3;
// Of suspects this close only the one furthest out is taken out at a time: an outlier pulls the
// predictions of its neighbours.
constexpr int kApart = 4;
// Observed neighbours on each side, and how many times larger than theirs a glitch's z is.
constexpr int kAlone = 6;
constexpr double kAloneFactor = 2, kAloneEnd = 4;  // seen from both sides, from one
constexpr int kCubic = 4;                          // samples that a cubic takes
constexpr double kFast = 0.99;                     // share of a run that is not its fastest motion
constexpr double kEndLoss = 6;  // of a cubic from one side, in its error and in its noise
// How often suspects are judged: each time with those back that were none.
constexpr int kJudgements = 3;
// At the ends of a run: samples that may be stale, those behind that they are compared with, and
// how many a parabola takes.
constexpr int kEnd = 3, kBehind = 6, kParabola = 3;
constexpr double kEndFactor = 3;  // how many times larger than theirs its error is
// ... and than that of nine of ten samples of the run: outliers may have spoiled the others.
constexpr double kEndUsual = 4, kUsual = 0.9;
// Each round takes out the worst of every place; a pile of k neighbours needs k rounds.
constexpr int kMostRounds = 12;
// A run in which more than this share is suspect is no good run with outliers in it.
constexpr double kMostBad = 0.1;
// Outliers in a row: more are a motion.
constexpr std::size_t kLongest = 5;
// Residuals below this share of the largest position are rounding.
constexpr double kRounding = 1e-11;
// Fewer say too little about an intensity of their own.
constexpr int kOwnIntensity = 30;

// One joint of one run.
struct Run {
  std::vector<double> y;  // suspects are NaN
  Series series;
  double intensity = 0, scale = 0, floor = 0;
  std::vector<Prediction> predictions;
  std::vector<double> z;  // NaN where nothing is observed
  std::vector<int> suspects;

  int observed() const {
    return static_cast<int>(std::count_if(y.begin(), y.end(), [](double v) { return v == v; }));
  }
};

double quantile(std::vector<double> values, double share) {
  if (values.empty()) return 0;
  const auto at =
      values.begin() + static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

double distance(double y, const Prediction& p) { return std::abs(y - p.expected) / p.deviation; }

// Up to `count` observed neighbours on each side of sample k.
std::vector<int> neighbours(const Run& run, int k, int count) {
  std::vector<int> out;
  for (const int side : {-1, 1}) {
    int found = 0;
    const int size = static_cast<int>(run.y.size());
    for (int i = k + side; i >= 0 && i < size && found < count; i += side) {
      if (std::isnan(run.y[i])) continue;
      out.push_back(i);
      ++found;
    }
  }
  return out;
}

// `total` observed neighbours of sample k, `each` per side where there are so many.
std::vector<int> nearest(const Run& run, int k, int each, int total) {
  std::vector<int> out = neighbours(run, k, total), left, right;
  for (const int i : out) (i < k ? left : right).push_back(i);
  const int l = static_cast<int>(left.size()), r = static_cast<int>(right.size());
  left.resize(std::min(l, std::max(each, total - r)));
  right.resize(std::min(r, std::max(each, total - l)));
  left.insert(left.end(), right.begin(), right.end());
  return left;
}

void measure(Run& run) {
  std::vector<double> known;
  run.z.resize(run.y.size());
  for (std::size_t k = 0; k < run.y.size(); ++k) {
    run.z[k] = distance(run.y[k], run.predictions[k]);
    if (!std::isnan(run.z[k])) known.push_back(run.z[k]);
  }
  run.scale = known.empty() ? 0 : kNormal * median(std::move(known));
}

// Predicts the runs `active`, as many side by side as there are lanes.
void predict(std::vector<Run>& runs, const std::vector<int>& active, ThreadPool& pool) {
  std::vector<Series> series;
  for (const int r : active) series.push_back(runs[r].series);
  const auto groups = lane_groups(series, pool.size());
  pool.run(static_cast<int>(groups.size()), [&](int task, int) {
    std::vector<Series> members;
    std::vector<double> intensities;
    for (const int i : groups[task]) {
      members.push_back(series[i]);
      intensities.push_back(runs[active[i]].intensity);
    }
    auto predictions = leave_one_out(members, intensities);
    for (std::size_t i = 0; i < members.size(); ++i) {
      Run& run = runs[active[groups[task][i]]];
      run.predictions = std::move(predictions[i]);
      measure(run);
    }
  });
}

// |value - polynomial through samples `at`| at sample k.
double interpolation_error(const Run& run, int k, double value, const std::vector<int>& at) {
  const double* t = run.series.t;
  double expected = 0;
  for (const int i : at) {
    double weight = 1;
    for (const int j : at)
      if (j != i) weight *= (t[k] - t[j]) / (t[i] - t[j]);
    expected += weight * run.y[i];
  }
  return std::abs(value - expected);
}

// |y - what the observed samples behind it (side 1) or before it (side -1) say|, by the parabola
// through three; negative when there are not so many.
double one_sided_error(const Run& run, int k, int side) {
  std::vector<int> at;
  const int size = static_cast<int>(run.y.size());
  for (int i = k + side; i >= 0 && i < size && static_cast<int>(at.size()) < kParabola; i += side)
    if (!std::isnan(run.y[i])) at.push_back(i);
  if (static_cast<int>(at.size()) < kParabola || std::isnan(run.y[k])) return -1;
  return interpolation_error(run, k, run.y[k], at);
}

// The error that nine of ten samples of a run do not exceed.
double usual_error(const Run& run, int side) {
  std::vector<double> errors;
  for (int k = 0; k < static_cast<int>(run.y.size()); ++k) {
    const double error = one_sided_error(run, k, side);
    if (error >= 0) errors.push_back(error);
  }
  return quantile(std::move(errors), kUsual);
}

// Samples at an end of a run that those behind them contradict: the smoother would rather bend the
// motion than doubt a sample which others see from one side only. Whether there were any.
bool suspect_end(Run& run, int side) {
  const int size = static_cast<int>(run.y.size());
  const int first = side > 0 ? 0 : size - 1;
  if (size < kEnd + kBehind + kParabola + 1) return false;
  double usual = 0;
  bool any = false;
  for (int i = kEnd - 1; i >= 0; --i) {
    const int k = first + side * i;
    double largest = 0;
    for (int b = 1; b <= kBehind; ++b)
      largest = std::max(largest, one_sided_error(run, k + side * b, side));
    const double error = one_sided_error(run, k, side);
    if (!(error > kEndFactor * largest)) continue;
    if (usual == 0) usual = usual_error(run, side);
    if (!(error > kEndUsual * usual)) continue;
    run.y[k] = std::numeric_limits<double>::quiet_NaN();
    run.suspects.push_back(k);
    any = true;
  }
  return any;
}

// Takes out the worst suspects of a run. Whether there were any.
bool suspect(Run& run, double scale_of_all) {
  const double least = std::max({run.scale, scale_of_all, run.floor});
  std::vector<int> found;
  const int size = static_cast<int>(run.y.size());
  for (int k = kEnd; k < size - kEnd; ++k) {  // the ends have a test of their own
    if (!(run.z[k] > kSuspect * least)) continue;
    bool worst = true;
    for (int i = std::max(0, k - kApart); i <= std::min(size - 1, k + kApart); ++i)
      worst = worst && !(run.z[i] > run.z[k] || (run.z[i] == run.z[k] && i < k));
    if (!worst) continue;
    std::vector<double> around;
    for (const int i : neighbours(run, k, kAround)) around.push_back(run.z[i]);
    if (!around.empty() && run.z[k] > kLocal * median(std::move(around))) found.push_back(k);
  }
  for (const int k : found) {
    run.y[k] = std::numeric_limits<double>::quiet_NaN();
    run.suspects.push_back(k);
  }
  // What hid an outlier at an end may be out now.
  const bool begin = suspect_end(run, 1), end = suspect_end(run, -1);
  return !found.empty() || begin || end;
}

// |value - what the nearest observed samples say|, by the cubic through two on each side, or four
// on one side at an end; negative when there are not so many.
double cubic_error(const Run& run, int k, double value) {
  const auto near = nearest(run, k, kCubic / 2, kCubic);
  if (static_cast<int>(near.size()) < kCubic) return -1;
  return interpolation_error(run, k, value, near);
}

// The error that 99 of 100 observed samples do not exceed.
double cubic_limit(const Run& run) {
  std::vector<double> errors;
  for (int k = 0; k < static_cast<int>(run.y.size()); ++k)
    if (!std::isnan(run.y[k])) errors.push_back(cubic_error(run, k, run.y[k]));
  return quantile(std::move(errors), kFast);
}

// Whether a sample is further from the cubic through its neighbours than they are from theirs, and
// than `limit`.
bool alone(const Run& run, int k, double y, double limit) {
  const auto near = neighbours(run, k, kAlone);
  const bool inside = !near.empty() && near.front() < k && near.back() > k;
  double around = 0;  // largest error there
  for (const int i : near) around = std::max(around, cubic_error(run, i, run.y[i]));
  const double error = cubic_error(run, k, y);
  return inside ? error > kAloneFactor * std::max(around, limit)
                : error > std::max(kAloneEnd * around, kEndLoss * limit);
}

// Puts back what the samples that are left explain. Whether there was any. A motion that is too
// fast may have made suspects of many neighbours, so those at the borders of their gap come back
// first.
bool put_back(Run& run, const Trajectory& from, int n, int joint, double scale_of_all) {
  const auto value = [&](int k) { return from.q[static_cast<std::size_t>(k) * n + joint]; };
  const double least = kSuspect * std::max({run.scale, scale_of_all, run.floor});
  const auto before = run.suspects.size();
  const double limit = cubic_limit(run);
  std::erase_if(run.suspects, [&](int k) {
    const bool near = distance(value(k), run.predictions[k]) <= least;
    if (near) run.y[k] = value(k);
    return near;
  });
  for (std::size_t count = before + 1; run.suspects.size() < count;) {
    count = run.suspects.size();
    std::erase_if(run.suspects, [&](int k) {
      const bool one_of_many = !alone(run, k, value(k), limit);
      if (one_of_many) run.y[k] = value(k);
      return one_of_many;
    });
  }
  return run.suspects.size() < before;
}

std::vector<Run> make_runs(const Log& log, int joint, ThreadPool& pool) {
  std::vector<Run> runs(log.runs.size());
  const double step = median(steps_of(log));
  pool.run(static_cast<int>(runs.size()), [&](int r, int) {
    const Trajectory& from = log.runs[r];
    Run& run = runs[r];
    double largest = 0;
    for (int k = 0; k < from.size(); ++k) {
      run.y.push_back(from.q[static_cast<std::size_t>(k) * log.n() + joint]);
      if (!std::isnan(run.y.back())) largest = std::max(largest, std::abs(run.y.back()));
    }
    run.floor = kRounding * largest;
    run.series = {from.t.data(), run.y.data(), 1, from.size(), step};
    if (run.observed() >= kOwnIntensity) run.intensity = robust_intensity(run.series);
  });
  std::vector<double> known;
  for (const Run& run : runs)
    if (run.intensity > 0) known.push_back(run.intensity);
  const double common = known.empty() ? 1 : median(known);
  for (Run& run : runs)
    if (run.intensity == 0) run.intensity = common;
  return runs;
}

double common_scale(const std::vector<Run>& runs) {
  std::vector<double> scales;
  for (const Run& run : runs) scales.push_back(run.scale);
  return median(std::move(scales));
}

// Stretches too long to be glitches come out of a run's suspects.
void drop_stretches(Run& run) {
  auto& all = run.suspects;
  std::sort(all.begin(), all.end());
  std::vector<int> kept;
  for (std::size_t begin = 0, end = 0; begin < all.size(); begin = end) {
    for (end = begin + 1; end < all.size() && all[end] == all[end - 1] + 1;) ++end;
    if (end - begin <= kLongest) kept.insert(kept.end(), &all[begin], &all[begin] + (end - begin));
  }
  all = std::move(kept);
}

// The outliers of a run, when its suspects are judged.
std::vector<Defect> defects_of(const Run& run, const Trajectory& from, int n, int r, int joint) {
  const int size = static_cast<int>(run.y.size()), bad = static_cast<int>(run.suspects.size());
  if (bad > kMostBad * size + 1 || run.observed() < kFewestObservations) return {};
  std::vector<Defect> out;
  for (const int k : run.suspects) {
    const DefectKind kind = k == 0          ? DefectKind::first
                            : k == size - 1 ? DefectKind::last
                                            : DefectKind::outlier;
    out.push_back({kind, r, k, joint, from.q[static_cast<std::size_t>(k) * n + joint],
                   run.predictions[k].expected});
  }
  return out;
}

}  // namespace

std::vector<Defect> find_outliers(const Log& log, int joint, ThreadPool& pool) {
  std::vector<Run> runs = make_runs(log, joint, pool);
  std::vector<int> active, judged;
  for (int r = 0; r < static_cast<int>(runs.size()); ++r) {
    if (runs[r].observed() < kFewestObservations) continue;
    for (const int side : {1, -1}) suspect_end(runs[r], side);
    active.push_back(r);
  }
  for (int round = 0; round <= kMostRounds && !active.empty(); ++round) {
    predict(runs, active, pool);
    if (round == kMostRounds) break;
    const double all = common_scale(runs);
    std::erase_if(active, [&](int r) { return !suspect(runs[r], all); });
  }
  for (int r = 0; r < static_cast<int>(runs.size()); ++r)
    if (!runs[r].suspects.empty()) judged.push_back(r);
  for (int judgement = 0; judgement < kJudgements && !judged.empty(); ++judgement) {
    const double all = common_scale(runs);
    std::erase_if(judged,
                  [&](int r) { return !put_back(runs[r], log.runs[r], log.n(), joint, all); });
    if (!judged.empty()) predict(runs, judged, pool);
  }
  std::vector<Defect> out;
  for (int r = 0; r < static_cast<int>(runs.size()); ++r) {
    drop_stretches(runs[r]);
    const auto found = defects_of(runs[r], log.runs[r], log.n(), r, joint);
    out.insert(out.end(), found.begin(), found.end());
  }
  return out;
}

}  // namespace mechfit
