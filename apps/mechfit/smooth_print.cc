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

std::vector<double> noise(const SmoothResult& result) {
  std::vector<double> sd;
  const int runs = static_cast<int>(result.log.runs.size());
  for (int j = 0; j < result.log.n(); ++j) {
    double sum = 0;
    for (int r = 0; r < runs; ++r) sum += std::pow(result.at(r, j).observation_sd, 2);
    sd.push_back(std::sqrt(sum / runs));
  }
  return sd;
}

Table describe(const SmoothedLog& smoothed, const std::vector<double>& sigma,
               const std::vector<double>& s) {
  const Log& log = smoothed.log;
  std::vector<std::string> header = {"joint",     "noise found", "moved by",  "q within",
                                     "qd within", "qdd within",  "qdd itself"};
  if (!s.empty()) header.push_back("model's error");
  Table table(header);
  for (int j = 0; j < log.n(); ++j) {
    std::vector<std::string> row = {log.channels.joints[j], short_number(sigma[j]),
                                    short_number(rms_move(smoothed.observed, log, j))};
    for (const auto values :
         {&Trajectory::q_sd, &Trajectory::qd_sd, &Trajectory::qdd_sd, &Trajectory::qdd})
      row.push_back(short_number(rms(log, values, j)));
    if (!s.empty()) row.push_back(short_number(s[j]));
    table.add(row);
  }
  return table;
}

void print_end(const SmoothedLog& smoothed) {
  const Log& log = smoothed.log;
  std::printf("\nAll root mean squares; 'within' is one standard deviation of the estimate.\n");
  std::printf("Wrote %s: %zu run%s, %d samples.\n", smoothed.output.c_str(), log.runs.size(),
              log.runs.size() == 1 ? "" : "s", log.samples());
}

json joints_json(const SmoothedLog& smoothed, const std::vector<double>& sigma) {
  const Log& log = smoothed.log;
  json joints = json::array();
  for (int j = 0; j < log.n(); ++j)
    joints.push_back({{"name", log.channels.joints[j]},
                      {"observation_sd", sigma[j]},
                      {"moved", rms_move(smoothed.observed, log, j)},
                      {"q_sd", rms(log, &Trajectory::q_sd, j)},
                      {"qd_sd", rms(log, &Trajectory::qd_sd, j)},
                      {"qdd_sd", rms(log, &Trajectory::qdd_sd, j)},
                      {"qdd", rms(log, &Trajectory::qdd, j)}});
  return joints;
}

void print_json(const SmoothedLog& smoothed, json joints, json runs,
                const std::vector<std::string>& notes) {
  const json out = {{"output", smoothed.output},
                    {"samples", smoothed.log.samples()},
                    {"joints", std::move(joints)},
                    {"runs", std::move(runs)},
                    {"notes", with_flags(notes)}};
  std::puts(out.dump(2, ' ', false, json::error_handler_t::replace).c_str());
}

}  // namespace

void print_smoothing(const SmoothedLog& smoothed, const SmoothResult& result) {
  describe(smoothed, noise(result), {}).print();
  print_end(smoothed);
}

void print_smoothing(const SmoothedLog& smoothed, const ModelSmoothResult& result) {
  describe(smoothed, result.noise.sigma, result.noise.s).print();
  print_end(smoothed);
}

void print_smoothing_json(const SmoothedLog& smoothed, const SmoothResult& result,
                          const std::vector<std::string>& notes) {
  const Log& log = smoothed.log;
  json runs = json::array();
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
  print_json(smoothed, joints_json(smoothed, noise(result)), runs, notes);
}

void print_smoothing_json(const SmoothedLog& smoothed, const ModelSmoothResult& result,
                          const std::vector<std::string>& notes) {
  json joints = joints_json(smoothed, result.noise.sigma), runs = json::array();
  for (std::size_t j = 0; j < joints.size(); ++j)
    joints[j]["acceleration_error_sd"] = result.noise.s[j];
  for (std::size_t r = 0; r < result.runs.size(); ++r)
    runs.push_back({{"name", smoothed.log.runs[r].name},
                    {"samples", smoothed.log.runs[r].size()},
                    {"log_likelihood", result.runs[r].log_likelihood},
                    {"converged", result.runs[r].converged}});
  print_json(smoothed, std::move(joints), std::move(runs), notes);
}

}  // namespace mechfit
