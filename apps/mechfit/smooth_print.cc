#include "smooth_print.h"

#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "terminal.h"

namespace mechfit {
namespace {

using nlohmann::json;

// Root mean square over all samples of one joint.
double rms(const Log& log, std::vector<double> Trajectory::*values, int joint) {
  double sum = 0;
  for (const auto& run : log.runs) {
    for (int k = 0; k < run.size(); ++k) {
      const double value = (run.*values)[static_cast<std::size_t>(k) * log.n() + joint];
      sum += value * value;
    }
  }
  return std::sqrt(sum / log.samples());
}

// How far the observations of one joint were moved.
double rms_move(const Log& observed, const Log& smoothed, int joint) {
  double sum = 0;
  int count = 0;
  for (std::size_t r = 0; r < observed.runs.size(); ++r) {
    const auto& before = observed.runs[r].q;
    const auto& after = smoothed.runs[r].q;
    for (std::size_t i = joint; i < before.size(); i += observed.n()) {
      if (std::isnan(before[i])) continue;
      sum += (after[i] - before[i]) * (after[i] - before[i]);
      ++count;
    }
  }
  return std::sqrt(sum / count);
}

double noise(const SmoothResult& result, int joint) {
  double sum = 0;
  const int runs = static_cast<int>(result.log.runs.size());
  for (int r = 0; r < runs; ++r) sum += std::pow(result.at(r, joint).observation_sd, 2);
  return std::sqrt(sum / runs);
}

}  // namespace

void print_smoothing(const Log& observed, const SmoothResult& result, const std::string& output) {
  const Log& log = result.log;
  Table table(
      {"joint", "noise found", "moved by", "q within", "qd within", "qdd within", "qdd itself"});
  for (int j = 0; j < log.n(); ++j) {
    table.add({log.channels.joints[j], short_number(noise(result, j)),
               short_number(rms_move(observed, log, j)),
               short_number(rms(log, &Trajectory::q_sd, j)),
               short_number(rms(log, &Trajectory::qd_sd, j)),
               short_number(rms(log, &Trajectory::qdd_sd, j)),
               short_number(rms(log, &Trajectory::qdd, j))});
  }
  table.print();
  std::printf("\nAll root mean squares; 'within' is one standard deviation of the estimate.\n");
  std::printf("Wrote %s: %zu run%s, %d samples.\n", output.c_str(), log.runs.size(),
              log.runs.size() == 1 ? "" : "s", log.samples());
}

void print_smoothing_json(const Log& observed, const SmoothResult& result,
                          const std::string& output, const std::vector<std::string>& notes) {
  const Log& log = result.log;
  json joints = json::array(), runs = json::array();
  for (int j = 0; j < log.n(); ++j) {
    joints.push_back({{"name", log.channels.joints[j]},
                      {"observation_sd", noise(result, j)},
                      {"moved", rms_move(observed, log, j)},
                      {"q_sd", rms(log, &Trajectory::q_sd, j)},
                      {"qd_sd", rms(log, &Trajectory::qd_sd, j)},
                      {"qdd_sd", rms(log, &Trajectory::qdd_sd, j)},
                      {"qdd", rms(log, &Trajectory::qdd, j)}});
  }
  for (std::size_t r = 0; r < log.runs.size(); ++r) {
    json series = json::array();
    for (int j = 0; j < log.n(); ++j) {
      const SmoothSeries& s = result.at(static_cast<int>(r), j);
      series.push_back({{"observation_sd", s.observation_sd},
                        {"intensity", s.intensity},
                        {"log_likelihood", s.log_likelihood}});
      if (!s.history.empty()) series.back()["history"] = s.history;
    }
    runs.push_back(
        {{"name", log.runs[r].name}, {"samples", log.runs[r].size()}, {"joints", series}});
  }
  const json out = {{"output", output},
                    {"samples", log.samples()},
                    {"joints", joints},
                    {"runs", runs},
                    {"notes", notes}};
  std::puts(out.dump(2, ' ', false, json::error_handler_t::replace).c_str());
}

}  // namespace mechfit
