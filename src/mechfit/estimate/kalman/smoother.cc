#include "mechfit/estimate/kalman/smoother.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <mutex>

#include "mechfit/base/error.h"
#include "mechfit/base/median.h"
#include "mechfit/estimate/kalman/series_model.h"
#include "mechfit/log/steps.h"

namespace mechfit {
namespace {

void check_shapes(const Log& log) {
  const std::size_t n = log.n();
  MECHFIT_CHECK(n > 0 && !log.runs.empty());
  for (const Trajectory& run : log.runs) {
    MECHFIT_CHECK(run.size() > 0, "run '" + run.name + "' is empty");
    MECHFIT_CHECK(run.q.size() == run.t.size() * n);
    for (int k = 1; k < run.size(); ++k) MECHFIT_CHECK(run.t[k] > run.t[k - 1]);
    for (double q : run.q) MECHFIT_CHECK(!std::isinf(q));
  }
}

std::vector<Series> all_series(const Log& log) {
  std::vector<Series> series;
  for (const Trajectory& run : log.runs) {
    for (int j = 0; j < log.n(); ++j) {
      series.push_back({run.t.data(), run.q.data() + j, log.n(), run.size(), 1.0});
    }
  }
  return series;
}

void check_observations(const Log& log, std::span<const Series> series) {
  for (int j = 0; j < log.n(); ++j) {
    int most = 0;
    for (std::size_t r = 0; r < log.runs.size(); ++r) {
      const Series& s = series[r * log.n() + j];
      int count = 0;
      for (int k = 0; k < s.size; ++k) count += !std::isnan(s.at(k));
      if (count == 0) {
        throw InputError(fmt::format("run '{}': joint '{}' has no observed sample",
                                     log.runs[r].name, log.channels.joints[j]));
      }
      most = std::max(most, count);
    }
    if (most < kFewestObservations) {
      throw InputError(
          fmt::format("joint '{}': the longest run has {} observed samples, smoothing needs {}",
                      log.channels.joints[j], most, kFewestObservations));
    }
  }
}

// Median time between neighbouring observations of a joint.
double median_step(std::span<const Series> series, int joint, int n) {
  std::vector<double> steps;
  for (std::size_t i = joint; i < series.size(); i += n) {
    const Series& s = series[i];
    int before = -1;
    for (int k = 0; k < s.size; ++k) {
      if (std::isnan(s.at(k))) continue;
      if (before >= 0) steps.push_back(s.t[k] - s.t[before]);
      before = k;
    }
  }
  return median(std::move(steps));
}

// Roughly how often the white-jerk fit passes over a series, for the progress: once for each node
// of its two tables (white_jerk_models.cc), about 50 for runs of 200 samples and 8.
constexpr double kWhiteJerkPasses = 56;

class Progress {
 public:
  Progress(const SmoothOptions& options, double total) : report_(options.progress), total_(total) {}
  void operator()(double work) {
    if (!report_) return;
    std::lock_guard lock(mutex_);
    done_ += work;
    report_(std::min(done_ / total_, 0.99));  // finish() says 1
  }
  void finish() {
    if (report_) report_(1.0);
  }

 private:
  std::function<void(double)> report_;
  double total_, done_ = 0;
  std::mutex mutex_;
};

// Where one lane's smoothed samples go, from the units of its model into those of the log.
struct LaneOutput {
  Trajectory* run;
  SmoothSeries* series;
  int joint, n;
  double scale, rate;  // variance of one unit; 1 / time unit

  void write(int begin, int count, int lane, bool covariances, const double* smoothed) const {
    const double units[3] = {1, rate, rate * rate};
    std::vector<double>* means[3] = {&run->q, &run->qd, &run->qdd};
    std::vector<double>* deviations[3] = {&run->q_sd, &run->qd_sd, &run->qdd_sd};
    const int diagonal[3] = {3, 6, 8};
    const int end = std::min(count, run->size() - begin);
    for (int k = 0; k < end; ++k) {
      const double* row = smoothed + k * kSmoothRows * kSeriesLanes + lane;
      const std::size_t at = static_cast<std::size_t>(begin + k) * n + joint;
      for (int i = 0; i < 3; ++i) {
        (*means[i])[at] = row[i * kSeriesLanes] * units[i];
        const double variance = std::max(0.0, row[diagonal[i] * kSeriesLanes]);
        (*deviations[i])[at] = std::sqrt(variance * scale) * units[i];
      }
      if (!covariances) continue;
      double* p = series->covariance.data() + static_cast<std::size_t>(begin + k) * 6;
      int entry = 0;
      for (int a = 0; a < 3; ++a) {
        for (int b = a; b < 3; ++b, ++entry) {
          p[entry] = row[(3 + entry) * kSeriesLanes] * scale * units[a] * units[b];
        }
      }
    }
  }
};

// Smooths the series of one group, side by side, with the models that were fitted to them.
void smooth_group(std::span<const int> group, std::span<const Series> series, const ModelFit& fit,
                  bool covariances, SmoothResult& result) {
  const int n = result.log.n(), lanes = static_cast<int>(group.size());
  std::vector<Series> members;
  std::vector<StatePrior> priors;
  std::vector<LaneOutput> outputs;
  LaneParameters parameters = fit.family;
  for (int lane = 0; lane < lanes; ++lane) {
    const int i = group[lane];
    const SeriesModel& model = fit.models[i];
    members.push_back(series[i]);
    priors.push_back(model.prior);
    parameters.r[lane] = model.r;
    parameters.intensity[lane] = model.intensity;
    SmoothSeries& out = result.series[i];
    if (covariances) out.covariance.resize(static_cast<std::size_t>(series[i].size) * 6);
    outputs.push_back(
        {&result.log.runs[i / n], &out, i % n, n, model.scale, 1 / series[i].time_unit});
  }
  std::vector<LaneSummary> summaries(lanes);
  LaneKalman(members).smooth(parameters, priors, summaries,
                             [&](int begin, int count, const double* smoothed) {
                               for (int lane = 0; lane < lanes; ++lane)
                                 outputs[lane].write(begin, count, lane, covariances, smoothed);
                             });
  for (int lane = 0; lane < lanes; ++lane) {
    const int i = group[lane];
    const SeriesModel& model = fit.models[i];
    SmoothSeries& out = result.series[i];
    out.observation_sd = std::sqrt(model.r * model.scale);
    out.intensity = model.intensity * model.scale / std::pow(series[i].time_unit, 5);
    out.log_likelihood = summaries[lane].log_likelihood(model.scale);
    out.history = model.history;
    if (!fit.family.white_jerk) out.history.push_back(out.log_likelihood);
  }
}

}  // namespace

SmoothResult smooth(const Log& observed, const SmoothOptions& options, ThreadPool& pool) {
  check_shapes(observed);
  MECHFIT_CHECK(options.em_iterations >= 0);
  const int n = observed.n();
  const bool white_jerk = options.method == SmoothMethod::white_jerk;
  std::vector<Series> series = all_series(observed);
  check_observations(observed, series);
  std::vector<int> joint(series.size());
  for (std::size_t i = 0; i < series.size(); ++i) joint[i] = static_cast<int>(i) % n;

  const double passes = white_jerk ? kWhiteJerkPasses : options.em_iterations;
  Progress progress(options, (passes + 2) * n * observed.samples());
  const Tick tick = [&](double work) { progress(work); };
  if (white_jerk) {
    for (int j = 0; j < n; ++j) {
      const double step = median_step(series, j, n);
      for (std::size_t i = j; i < series.size(); i += n) series[i].time_unit = step;
    }
  }
  const ModelFit fit = white_jerk ? fit_white_jerk_models(series, joint, pool, tick)
                                  : fit_paper_models(series, options.em_iterations, pool, tick);

  SmoothResult result;
  result.log = observed;
  for (Trajectory& run : result.log.runs) {
    for (auto* v : {&run.qd, &run.qdd, &run.q_sd, &run.qd_sd, &run.qdd_sd}) {
      v->assign(run.q.size(), 0.0);
    }
  }
  result.series.resize(series.size());
  const auto groups = lane_groups(series, pool.size());
  pool.run(static_cast<int>(groups.size()), [&](int task, int) {
    smooth_group(groups[task], series, fit, options.covariances, result);
    for (int i : groups[task]) progress(2.0 * series[i].size);
  });
  progress.finish();
  return result;
}

}  // namespace mechfit
