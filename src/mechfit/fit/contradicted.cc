#include "mechfit/fit/contradicted.h"

#include <algorithm>
#include <set>
#include <tuple>

#include "mechfit/estimate/motion/contradictions.h"

namespace mechfit {
namespace {

// Changes below this share of the observations without weight, one at least, are not worth a fit.
constexpr double kSameShare = 0.05;

using Places = std::set<std::tuple<int, int, int>>;  // run, sample, joint

Places places_of(const std::vector<Defect>& defects) {
  Places places;
  for (const Defect& d : defects) places.insert({d.run, d.sample, d.joint});
  return places;
}

std::size_t differences(const std::vector<Defect>& a, const std::vector<Defect>& b) {
  const Places x = places_of(a), y = places_of(b);
  std::size_t count = 0;
  for (const auto& place : x) count += !y.contains(place);
  for (const auto& place : y) count += !x.contains(place);
  return count;
}

// f(sample of the grid, sample of the run) where their times are the same.
template <class F>
void each_sample(const Trajectory& grid, const Trajectory& run, const F& f) {
  for (int k = 0, at = 0; k < grid.size(); ++k) {
    while (at < run.size() && run.t[at] < grid.t[k]) ++at;
    if (at < run.size() && run.t[at] == grid.t[k]) f(k, at);
  }
}

// The grid of the motions with all positions that were observed on it.
Log with_observed(Log grid, const Log& observed) {
  const int n = grid.n();
  for (std::size_t r = 0; r < grid.runs.size(); ++r)
    each_sample(grid.runs[r], observed.runs[r], [&](int k, int at) {
      std::copy_n(&observed.runs[r].q[at * n], n, &grid.runs[r].q[k * n]);
    });
  return grid;
}

}  // namespace

Contradicted find_contradicted(const JointResult& fitted, const FitData& data, ThreadPool& pool) {
  const Log train = with_observed(*data.joint.train, *data.observed_train);
  const Log validation = with_observed(*data.joint.validation, *data.observed_validation);
  const JudgedLog logs[] = {{&train, data.joint.train.get(), &fitted.train},
                            {&validation, data.joint.validation.get(), &fitted.validation}};
  auto found = find_contradictions(fitted.model, fitted.noise, logs, pool);
  return {at_samples(std::move(found[0]), train, *data.observed_train),
          at_samples(std::move(found[1]), validation, *data.observed_validation)};
}

bool same_weights(const Contradicted& before, const Contradicted& after) {
  const std::size_t changed =
      differences(before.train, after.train) + differences(before.validation, after.validation);
  return changed == 0 ||
         (before.size() > 0 && static_cast<double>(changed) <
                                   std::max(2.0, kSameShare * static_cast<double>(before.size())));
}

void set_contradicted(Contradicted found, const FitOptions& options, ThreadPool& pool,
                      FitData& data) {
  data.train = std::make_shared<const Log>(without_defects(*data.observed_train, found.train));
  data.validation =
      std::make_shared<const Log>(without_defects(*data.observed_validation, found.validation));
  data.contradicted = std::move(found);
  ++data.weighed;
  prepare_motions(options, pool, data);
}

void weigh_smoothed(const FitOptions& options, ThreadPool& pool, FitData& data) {
  if (options.keep_all || options.smoothed || options.smoother != SmoothMethod::white_jerk) return;
  const auto found_in = [&](const Log& log, const SmoothResult& smoothed) {
    return find_contradictions(log, smoothed, pool);
  };
  Contradicted found{
      found_in(*data.observed_train, *data.train_smoothed),
      found_in(*data.observed_validation, smooth(*data.observed_validation, {}, pool))};
  if (found.size() > 0) set_contradicted(std::move(found), options, pool, data);
}

std::vector<std::string> contradicted_in_words(const FitData& data) {
  std::vector<std::string> lines;
  for (Warning& line : describe_defects(*data.observed_train, data.contradicted.train, true))
    lines.push_back(std::move(line.text));
  for (const Warning& line :
       describe_defects(*data.observed_validation, data.contradicted.validation, true))
    lines.push_back("held out, " + line.text);
  return lines;
}

}  // namespace mechfit
