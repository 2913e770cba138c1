#include <algorithm>
#include <cmath>
#include <limits>

#include "mechfit/base/error.h"
#include "mechfit/estimate/kalman/likelihood_table.h"
#include "mechfit/estimate/kalman/series_model.h"

namespace mechfit {
namespace {

// A prior this many times wider than R per unit of time is flat: it moves no estimate by more than
// 1e-20 of itself, and the factored covariances lose nothing to it. 1e12 to 1e24 give the same
// motion to five digits.
constexpr double kFlat = 1e20;

// Observations that a flat prior on (q, qd, qdd) uses up.
constexpr int kUncounted = 3;

// Fewer counted observations say too little about an intensity of their own. Error of
// accelerations, 40 runs of a driven Furuta pendulum, with an intensity for each run / one for all:
// 13 samples 13.9 / 9.9, 21 samples 13.1 / 12.4, 46 samples 10.3 / 10.0, 81 samples 7.7 / 8.2.
constexpr double kOwnIntensity = 30;

// lambda = intensity / R in units of the step: at the upper end the smoother follows every sample.
// No log that was tried came near it (4 to 12 give the same).
constexpr double kMaxLogLambda = 9;
// Steps of log10(lambda) of the table over all lambdas and of the one around its maximum. Half and
// twice as much change smoothed accelerations by 2e-4 of themselves at most.
constexpr double kCoarseStep = 0.5;
constexpr double kFineStep = 0.15;
// Nobody can tell intensities apart that are this close; rounding to it makes equal logs in
// different units give equal results. A lattice of 0.01 changes accelerations by 3e-3, one of 1e-5
// by 3e-4.
constexpr double kLatticeStep = 1.0 / 1024;

// Likelihoods of one series at lambda = 10^x, one x per lane.
void evaluate(const Series& series, std::span<const double> x, std::span<LaneSummary> summaries) {
  const std::vector<Series> copies(x.size(), series);
  const std::vector<StatePrior> priors(x.size(), flat_prior(series));
  LaneParameters parameters = white_jerk_family();
  for (std::size_t lane = 0; lane < x.size(); ++lane) {
    parameters.intensity[lane] = std::pow(10.0, x[lane]);
  }
  LaneKalman(copies).filter(parameters, priors, summaries);
}

// The runs of one joint that share an intensity, with the table of their common likelihood.
struct Group {
  std::vector<int> members;  // indices of series
  double variance_floor = 0;
  LikelihoodTable table;
};

// Rounding noise of the largest number in the data: no R can be smaller.
double variance_floor(std::span<const Series> series, std::span<const int> members) {
  double largest = 0;
  for (int i : members) {
    for (int k = 0; k < series[i].size; ++k) {
      if (!std::isnan(series[i].at(k))) largest = std::max(largest, std::abs(series[i].at(k)));
    }
  }
  const double resolution = std::numeric_limits<double>::epsilon() * largest;
  return std::max(resolution * resolution / 12, std::numeric_limits<double>::min());
}

// Fills the tables of all groups, whose start, step and number of nodes are set.
void tabulate(std::span<const Series> series, std::span<Group> groups, ThreadPool& pool,
              const Tick& tick) {
  struct Task {
    int group, member, first, lanes;
  };
  std::vector<Task> tasks;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    for (int member : groups[g].members) {
      for (int first = 0; first < groups[g].table.nodes(); first += kSeriesLanes) {
        const int lanes = std::min(kSeriesLanes, groups[g].table.nodes() - first);
        tasks.push_back({static_cast<int>(g), member, first, lanes});
      }
    }
  }
  std::vector<LaneSummary> summaries(tasks.size() * kSeriesLanes);
  pool.run(static_cast<int>(tasks.size()), [&](int i, int) {
    const Task& task = tasks[i];
    double x[kSeriesLanes];
    for (int lane = 0; lane < task.lanes; ++lane) {
      x[lane] = groups[task.group].table.node(task.first + lane);
    }
    evaluate(series[task.member], {x, x + task.lanes},
             {summaries.data() + static_cast<std::size_t>(i) * kSeriesLanes,
              static_cast<std::size_t>(task.lanes)});
    if (tick) tick(static_cast<double>(series[task.member].size) * task.lanes);
  });

  std::vector<std::vector<double>> squares(groups.size());
  for (std::size_t g = 0; g < groups.size(); ++g) {
    LikelihoodTable& table = groups[g].table;
    std::fill(table.log_det.begin(), table.log_det.end(), 0.0);
    squares[g].assign(table.nodes(), 0.0);
    table.counted = 0;
  }
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    const Task& task = tasks[i];
    LikelihoodTable& table = groups[task.group].table;
    const LaneSummary* s = summaries.data() + i * kSeriesLanes;
    for (int lane = 0; lane < task.lanes; ++lane) {
      table.log_det[task.first + lane] += s[lane].log_det;
      squares[task.group][task.first + lane] += s[lane].squares;
    }
    if (task.first == 0) table.counted += s[0].counted;
  }
  for (std::size_t g = 0; g < groups.size(); ++g) {
    LikelihoodTable& table = groups[g].table;
    for (int node = 0; node < table.nodes(); ++node) {
      table.log_squares[node] =
          std::log(std::max(squares[g][node], table.counted * groups[g].variance_floor));
    }
  }
}

void set_nodes(LikelihoodTable* table, double start, double step, int nodes) {
  table->start = start;
  table->step = step;
  table->log_det.assign(nodes, 0.0);
  table->log_squares.assign(nodes, 0.0);
}

double observations(const Series& s) {
  double count = 0;
  for (int k = 0; k < s.size; ++k) count += !std::isnan(s.at(k));
  return count;
}

// Which runs of a joint share an intensity. Runs that leave nothing to count are in no group: they
// take the middle intensity of the others.
std::vector<Group> form_groups(std::span<const Series> series, std::span<const int> members) {
  std::vector<Group> groups;
  Group common;
  double span = 1;  // longest run in units of the step
  for (int i : members) {
    const Series& s = series[i];
    span = std::max(span, (s.t[s.size - 1] - s.t[0]) / s.time_unit);
    const double counted = observations(s) - kUncounted;
    if (counted >= kOwnIntensity) {
      groups.push_back({{i}, 0, {}});
    } else if (counted > 0) {
      common.members.push_back(i);
    }
  }
  if (!common.members.empty()) groups.push_back(common);
  // Below lambda = 1/100 span^-6 the noise on the jerk moves nothing that could be seen: its
  // lambda span^5 / 20 at the end of the longest run is far below R / span, the variance of a mean.
  const double lowest = kCoarseStep * std::floor((-6 * std::log10(span) - 2) / kCoarseStep);
  const double floor = variance_floor(series, members);
  for (Group& group : groups) {
    group.variance_floor = floor;
    set_nodes(&group.table, lowest, kCoarseStep,
              1 + static_cast<int>(std::lround((kMaxLogLambda - lowest) / kCoarseStep)));
  }
  return groups;
}

LikelihoodMaximum maximize(std::span<const Group> groups) {
  std::vector<LikelihoodTable> tables;
  for (const Group& group : groups) tables.push_back(group.table);
  return maximize_likelihood(tables);
}

}  // namespace

StatePrior flat_prior(const Series& s) {
  StatePrior prior{{0, 0, 0}, {kFlat, 0, 0, kFlat, 0, kFlat}};
  for (int k = 0; k < s.size; ++k) {
    if (std::isnan(s.at(k))) continue;
    prior.x[0] = s.at(k);
    break;
  }
  return prior;
}

LaneParameters white_jerk_family() {
  LaneParameters family;
  family.white_jerk = true;
  family.uncounted = kUncounted;
  std::fill(family.r, family.r + kSeriesLanes, 1.0);
  return family;
}

ModelFit fit_white_jerk_models(std::span<const Series> series, std::span<const int> joint,
                               ThreadPool& pool, const Tick& tick) {
  MECHFIT_CHECK(series.size() == joint.size());
  ModelFit fit;
  fit.family = white_jerk_family();
  fit.models.resize(series.size());
  for (std::size_t i = 0; i < series.size(); ++i) fit.models[i].prior = flat_prior(series[i]);

  const int joints = joint.empty() ? 0 : *std::max_element(joint.begin(), joint.end()) + 1;
  for (int j = 0; j < joints; ++j) {
    std::vector<int> members;
    for (std::size_t i = 0; i < series.size(); ++i) {
      if (joint[i] == j) members.push_back(static_cast<int>(i));
    }
    std::vector<Group> groups = form_groups(series, members);
    MECHFIT_CHECK(!groups.empty(), "no run of a joint has more than three observations");
    tabulate(series, groups, pool, tick);
    LikelihoodMaximum best = maximize(groups);
    for (std::size_t g = 0; g < groups.size(); ++g) {
      set_nodes(&groups[g].table, best.x[g] - 3.5 * kFineStep, kFineStep, kSeriesLanes);
    }
    tabulate(series, groups, pool, tick);
    best = maximize(groups);
    for (double& x : best.x) x = kLatticeStep * std::round(x / kLatticeStep);

    std::vector<double> sorted = best.x;
    std::nth_element(sorted.begin(), sorted.begin() + sorted.size() / 2, sorted.end());
    for (int i : members) fit.models[i].intensity = std::pow(10.0, sorted[sorted.size() / 2]);
    for (std::size_t g = 0; g < groups.size(); ++g) {
      for (int i : groups[g].members) fit.models[i].intensity = std::pow(10.0, best.x[g]);
    }
    // Given the ratios, R = sum of squares / counted.
    std::vector<LaneSummary> summaries(members.size());
    pool.run(static_cast<int>(members.size()), [&](int task, int) {
      const double x = std::log10(fit.models[members[task]].intensity);
      evaluate(series[members[task]], {&x, 1}, {&summaries[task], 1});
    });
    double squares = 0, counted = 0;
    for (const LaneSummary& s : summaries) {
      squares += s.squares;
      counted += s.counted;
    }
    const double r = std::max(squares / counted, groups[0].variance_floor);
    for (int i : members) fit.models[i].scale = r;
  }
  return fit;
}

}  // namespace mechfit
