#pragma once

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "mechfit/base/thread_pool.h"
#include "mechfit/evaluate/ensemble.h"
#include "mechfit/evaluate/scores.h"
#include "mechfit/fit/fit.h"

// Members of the document of a fit (docs/report.md), by topic.
namespace mechfit {

// How much a page shows. Chosen by eye, for pages that stay below a megabyte.
inline constexpr int kShownRuns = 3;  // of rollouts and accelerations
inline int shown_samples(int joints) { return std::max(50, std::min(250, 600 / joints)); }
inline int shown_points(int joints) { return std::max(100, 1000 / joints); }  // of clouds

// A model and what is unsure about it, and the held-out runs that it is looked at on.
struct FitView {
  Ensemble ensemble;
  const EvaluationData& held_out;
  const Scores& scores;
  ThreadPool& pool;

  // Is enough known of the model's error to draw bands?
  bool has_bands() const {
    return ensemble.members.size() > 1 ||
           (ensemble.knowledge && !ensemble.knowledge->error.empty());
  }
};

nlohmann::json verdict_member(const Scores& scores);
void add_acceleration_members(const FitView& view, nlohmann::json& page);  // accelerations, errors
void add_rollout_members(const FitView& view, nlohmann::json& page);       // rollouts, animation
void add_region_member(const FitView& view, nlohmann::json& page);
nlohmann::json contact_member(const FitResult& result);  // of runs that hit something
nlohmann::json landscape_member(const Model& model, const Log& motion);

// "run 3, from 1.2 s": a part of a run of the log; "run 3" where it begins with the run.
std::string part_name(const Log& log, const std::string& run, double from);

// Positions [T][n] of a run of `held_out` at its samples: as logged with their velocities, else as
// observations and model together make them most likely, NaN where that is not known; smoothed ones
// where it is not known at all.
std::vector<double> measured_positions(const FitView& view, int run);

}  // namespace mechfit
