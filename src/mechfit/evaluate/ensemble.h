#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "mechfit/integrate/rollout.h"
#include "mechfit/mechanics/model.h"
#include "mechfit/mechanics/model_file.h"

namespace mechfit {

// A model and what is unsure about it: equally likely others.
struct Ensemble {
  Model model;                 // where one model is wanted
  std::vector<Model> members;  // empty: nothing is known of the spread
  bool mean = false;           // the members' mean predicts, not `model`
  std::optional<Knowledge> knowledge = {};
  std::optional<InputTiming> timing = {};  // of the inputs; none: as the log says
  Contacts contacts = {};                  // of all of them

  // Step of the motions that the model was fitted to [s]; 0: that of the samples.
  double grid() const { return knowledge ? knowledge->grid : 0; }
};

// Members of a file that holds them, whose mean predicts; else draws around the model when the file
// holds the covariance of its parameters.
Ensemble ensemble_of(const ModelRecord& record);

// Inner steps that make a step h as fine as those that the model was fitted on.
int substeps_for(const Ensemble& ensemble, double h);

// How rollouts on steps of about h are cut: into `asked` parts, or, when that is 0, as fine as the
// model was fitted and finer where the motion asks for it.
RolloutSteps rollout_steps(const Ensemble& ensemble, int asked, double h);

// Models with theta ~ N(theta of `model`, covariance [p][p]). Constants of an analytic system that
// its data do not determine (relative deviation above a half along some direction) stay as they are
// along that direction, and all stay within their range.
std::vector<Model> draw_members(const Model& model, std::span<const double> covariance, int count,
                                std::uint64_t seed);

}  // namespace mechfit
