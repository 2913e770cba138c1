#include "mechfit/fit/joint/joint_runs.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "mechfit/base/climb.h"
#include "mechfit/base/error.h"
#include "mechfit/estimate/kalman/smoother.h"
#include "mechfit/log/split.h"

namespace mechfit {
namespace {

// First step of the search in log s, which falls by orders of magnitude. 0.1: same errors within 2
// %, up to half more time; 0.9: errors from 1 % less to 6 % more.
constexpr double kStepS = 0.3;
// The longest move, in such steps. 0.75 and 3: errors within 3 %.
constexpr double kFarthest = 1.5;
// Moves at most in search of the s that suits held-out runs. 3 and 12: same errors to four digits.
constexpr int kScoreRounds = 6;

// Observed samples of a piece at most: large enough for what is lost at its seams to be next to
// nothing, small enough for many of them to work on at once. Unobserved nodes between samples do
// not count, else finer steps make pieces shorter: with 2,048 nodes at most known equations of a
// double pendulum had 5 to 16 times the squared error on an eighth and a sixteenth of the samples'
// steps, and the rule's bias (grid_bias.h) did not fall with the step.
constexpr int kLongest = 2048;
// Chunks that sums are made in: as many threads or processes may work at once.
constexpr int kMostChunks = 16;
// Of the sums that one process holds at once.
constexpr double kSumBytes = 64e6;
// A share of a log has to be this much smaller than all of it: the fit of the share is beside that
// of all.
constexpr double kLeastSaving = 2;

struct Part {
  int begin, end;
};

bool observed(const Trajectory& run, std::size_t n, int sample) {
  const auto y = run.q.begin() + static_cast<std::ptrdiff_t>(sample * n);
  return std::any_of(y, y + n, [](double x) { return !std::isnan(x); });
}

// Whether every joint is observed so often that the motion of a piece can be told.
bool observed_enough(const Trajectory& run, std::size_t n, const Part& part) {
  std::vector<int> count(n);
  for (std::size_t k = part.begin * n; k < part.end * n; ++k) count[k % n] += !std::isnan(run.q[k]);
  return *std::min_element(count.begin(), count.end()) >= kFewestObservations;
}

// Parts of a run of about equal length, each of which begins with an observed sample.
std::vector<Part> pieces_of(const Trajectory& run, std::size_t n) {
  const int size = run.size();
  int samples = 0;
  for (int k = 0; k < size; ++k) samples += observed(run, n, k);
  const int parts = (samples + kLongest - 1) / kLongest;
  std::vector<Part> pieces;
  int begin = 0;
  for (int part = 1; part < parts; ++part) {
    int end = static_cast<int>(static_cast<long>(size) * part / parts);
    while (end < size && !observed(run, n, end)) ++end;
    if (!observed_enough(run, n, {begin, end}) || !observed_enough(run, n, {end, size})) continue;
    pieces.push_back({begin, end});
    begin = end;
  }
  pieces.push_back({begin, size});
  return pieces;
}

// Errors of forces, and the prior of a run's motion.
void join(const ForceSpace& forces, int run, MotionData& data) {
  std::vector<double> intensity;
  for (std::size_t j = 0; j < forces.driven.size(); ++j)
    intensity.push_back(forces.driven[j] ? forces.smoothed->at(run, static_cast<int>(j)).intensity
                                         : 0);
  data.by_force = forces.driven;
  if (data.samples() >= 4) data.prior = std::make_shared<JerkPrior>(data.h, intensity);
}

}  // namespace

JointRuns::JointRuns(const Model& model, const Log& observed, const Log& start, ThreadPool& pool,
                     Team* team, const ForceSpace* forces)
    : pool_(pool), team_(team && team->size() > 1 ? team : nullptr) {
  MECHFIT_CHECK(observed.runs.size() == start.runs.size());
  const std::size_t n = observed.n();
  for (std::size_t r = 0; r < observed.runs.size(); ++r) {
    const Trajectory& run = observed.runs[r];
    if (run.size() < kShortestRun) continue;
    for (const auto& [begin, end] : pieces_of(run, n)) {
      const bool whole = end - begin == run.size();
      runs_.emplace_back(model, whole ? run : slice(run, observed.n(), observed.m(), begin, end),
                         std::span(start.runs[r].q).subspan(begin * n, (end - begin) * n));
      if (forces) join(*forces, static_cast<int>(r), runs_.back());
      places_.push_back({static_cast<int>(r), begin});
      const auto& y = runs_.back().y;
      counts_.push_back(static_cast<int>(
          std::count_if(y.begin(), y.end(), [](double x) { return !std::isnan(x); })));
    }
  }
  if (runs_.empty()) throw InputError("no run has the three samples that a fit needs");
  for (int worker = 0; worker < pool.size(); ++worker)
    workers_.push_back(std::make_unique<MotionRun>(model));
  take_all();
}

int JointRuns::observation_count() const {
  int count = 0;
  for (int k : active_) count += counts_[k];
  return count;
}

bool JointRuns::take_share(int samples) {
  double all = 0;
  for (const MotionData& run : runs_) all += run.samples();
  if (all < kLeastSaving * samples) return false;
  const auto count = static_cast<std::size_t>(std::ceil(size() * samples / all));
  share_own();
  active_.clear();
  for (std::size_t i = 0; i < count; ++i)
    active_.push_back(static_cast<int>(i * runs_.size() / count));
  return count < runs_.size();
}

void JointRuns::take_all() {
  share_own();
  active_.resize(runs_.size());
  std::iota(active_.begin(), active_.end(), 0);
}

// Other runs are of other processes from now on.
void JointRuns::share_own() {
  if (!team_ || active_.empty()) return;
  Motions q = motions();
  share(q);
  set_motions(q);
}

int JointRuns::chunks() const { return std::min(kMostChunks, static_cast<int>(active_.size())); }

int JointRuns::first_of_chunk(int chunk) const {
  return static_cast<int>(static_cast<long>(active_.size()) * chunk / chunks());
}

JointRuns::Range JointRuns::chunks_of(int rank) const {
  if (!team_) return {0, chunks()};
  return {chunks() * rank / team_->size(), chunks() * (rank + 1) / team_->size()};
}

JointRuns::Range JointRuns::own_active() const {
  const Range own = chunks_of(team_ ? team_->rank() : 0);
  return {first_of_chunk(own.begin), first_of_chunk(own.end)};
}

void JointRuns::exchange(std::span<double> values, long size) const {
  if (!team_) return;
  std::vector<long> begins;
  for (int rank = 0; rank <= team_->size(); ++rank)
    begins.push_back(size * first_of_chunk(chunks() * rank / team_->size()));
  team_->exchange(values, begins);
}

std::vector<double> JointRuns::gather(std::size_t size, const Add& add) {
  const Range own = chunks_of(team_ ? team_->rank() : 0);
  const double fit = kSumBytes / (8.0 * static_cast<double>(size));
  const int at_once =
      team_ ? own.end - own.begin : static_cast<int>(std::clamp(fit, 2.0, 1.0 * kMostChunks));
  std::vector<double> sums(size * (team_ ? chunks() : std::min(at_once, chunks()))), total(size);
  const auto sum_of = [&](int slot) { return std::span(sums).subspan(slot * size, size); };
  const auto fold = [&](int slot) {
    const std::span<const double> sum = sum_of(slot);
    for (std::size_t i = 0; i < size; ++i) total[i] += sum[i];
  };
  for (int first = own.begin; first < own.end; first += at_once) {
    const int count = std::min(at_once, own.end - first);
    pool_.run(count, [&](int task, int worker) {
      const std::span<double> sum = sum_of(team_ ? first + task : task);
      std::fill(sum.begin(), sum.end(), 0.0);
      for (int i = first_of_chunk(first + task); i < first_of_chunk(first + task + 1); ++i)
        visit(active_[i], worker, [&](MotionRun& run, int k) { add(run, k, sum); });
    });
    for (int slot = 0; !team_ && slot < count; ++slot) fold(slot);
  }
  if (!team_) return total;
  std::vector<long> begins;
  for (int rank = 0; rank <= team_->size(); ++rank)
    begins.push_back(static_cast<long>(size) * (chunks() * rank / team_->size()));
  team_->exchange(sums, begins);
  for (int chunk = 0; chunk < chunks(); ++chunk) fold(chunk);
  return total;
}

bool JointRuns::linearise(const Model& model, RunDerivatives derivatives) {
  return sum([&](MotionRun& run, int) { return run.linearise(model, derivatives) ? 0.0 : 1.0; }) ==
         0;
}

double JointRuns::solve(const Model& model, const MotionNoise& noise,
                        const MotionRun::Options& options) {
  return sum([&](MotionRun& run, int) { return run.solve(model, noise, options).objective; });
}

double JointRuns::log_likelihood(const MotionNoise& noise) {
  return sum([&](MotionRun& run, int) { return run.quadratic.log_likelihood(noise); });
}

Motions JointRuns::motions() const {
  Motions q;
  for (const MotionData& run : runs_) q.push_back(run.q);
  return q;
}

void JointRuns::share(Motions& q) const {
  if (!team_) return;
  std::vector<double> all;
  std::vector<long> begins = {0};
  for (int rank = 0; rank < team_->size(); ++rank) {
    const Range chunks = chunks_of(rank);
    for (int i = first_of_chunk(chunks.begin); i < first_of_chunk(chunks.end); ++i)
      all.insert(all.end(), q[active_[i]].begin(), q[active_[i]].end());
    begins.push_back(static_cast<long>(all.size()));
  }
  team_->exchange(all, begins);
  auto from = all.begin();
  for (int k : active_) {
    std::copy_n(from, q[k].size(), q[k].begin());
    from += static_cast<std::ptrdiff_t>(q[k].size());
  }
}

void JointRuns::set_motions(const Motions& q) {
  MECHFIT_CHECK(q.size() == runs_.size());
  for (std::size_t k = 0; k < q.size(); ++k) runs_[k].q = q[k];
}

Log JointRuns::with_motions(Log log) const {
  const std::size_t n = log.n();
  for (std::size_t k = 0; k < runs_.size(); ++k) {
    auto& q = log.runs[places_[k].run].q;
    std::copy(runs_[k].q.begin(), runs_[k].q.end(), q.begin() + places_[k].begin * n);
  }
  return log;
}

void JointRuns::set_inputs(const Log& log) {
  const std::size_t m = log.m();
  for (std::size_t k = 0; k < runs_.size(); ++k) {
    const auto from = log.runs[places_[k].run].u.begin() + places_[k].begin * m;
    runs_[k].u.assign(from, from + runs_[k].samples() * m);
  }
}

double improve_noise(JointRuns& runs, const NoiseSearch& search, MotionNoise& noise) {
  const auto value = [&](const MotionNoise& at) {
    double sum = runs.log_likelihood(at);
    for (double s : at.s) sum += search.s_pull * std::log(s);
    return sum;
  };
  double f = value(noise);
  const auto along = [&](std::vector<double>& parts, std::size_t j, double step, double least,
                         double most) {
    const double x = std::log(parts[j]);
    const ClimbOptions options{step, kFarthest, std::min(least, x), most};
    const ClimbResult best = climb(x, f, options, [&](double at) {
      parts[j] = std::exp(at);
      return value(noise);
    });
    f = best.value;
    parts[j] = std::exp(best.x);
  };
  for (std::size_t j = 0; j < noise.s.size(); ++j)
    along(noise.s, j, kStepS, std::log(search.s_floor * search.s_unit[j]), std::log(noise.s[j]));
  for (std::size_t j = 0; search.sigma && j < noise.sigma.size(); ++j)
    along(noise.sigma, j, search.sigma_step, -kInfinity, kInfinity);
  for (double s : noise.s) f -= search.s_pull * std::log(s);
  return f;
}

double largest_fall_of_s(const MotionNoise& from, const MotionNoise& to) {
  double fall = 0;
  for (std::size_t j = 0; j < from.s.size(); ++j)
    fall = std::max(fall, std::log(from.s[j] / to.s[j]));
  return fall;
}

double fit_common_s(JointRuns& runs, MotionNoise& noise) {
  const std::vector<double> s = noise.s;
  const auto value = [&](double factor) {
    for (std::size_t j = 0; j < s.size(); ++j) noise.s[j] = s[j] * std::exp(factor);
    return runs.log_likelihood(noise);
  };
  ClimbResult best{0, value(0)};
  for (int round = 0; round < kScoreRounds; ++round) {
    const double before = best.x;
    best = climb(best.x, best.value, {kStepS, kFarthest}, value);
    if (std::abs(best.x - before) < 0.1 * kStepS) break;
  }
  for (std::size_t j = 0; j < s.size(); ++j) noise.s[j] = s[j] * std::exp(best.x);
  return best.value;
}

double likelihood_score(JointRuns& runs, MotionNoise noise) {
  return fit_common_s(runs, noise) / runs.observation_count();
}

}  // namespace mechfit
