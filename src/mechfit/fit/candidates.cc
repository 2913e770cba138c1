#include "mechfit/fit/candidates.h"

#include <algorithm>

#include "mechfit/base/error.h"

namespace mechfit {
namespace {

StartData start_data(const FitData& data, const FitOptions& options) {
  StartData start;
  start.channels = data.channels;
  start.size = data.size;
  start.full_turns = data.full_turns;
  start.by_torque = options.method == FitMethod::torque;
  start.joint_estimation = options.method == FitMethod::joint || start.by_torque;
  start.learn_gain = options.method == FitMethod::del;
  start.family = options.family;
  start.force = options.force;
  start.hidden = options.hidden;
  start.degree = options.degree;
  start.ensemble = options.ensemble;
  start.seed = options.seed;
  start.input_joints = options.input_joints;
  start.learn_inputs = options.learn_inputs;
  start.learn_gains = options.learn_gains;
  if (options.friction != "auto") {
    start.terms = parse_friction_terms(options.friction, "option 'friction'");
    start.terms.width = kStickingWidth;
  }
  start.scale = options.scale;
  start.fix = options.fix;
  start.robot = options.robot;
  return start;
}

}  // namespace

std::vector<Candidate> candidates(const FitData& data, const FitOptions& options) {
  StartData start = start_data(data, options);
  const bool automatic = options.family == "auto", joint = options.method == FitMethod::joint;
  std::vector<const Family*> asked;
  for (const Family& family : families())
    if (automatic ? family.automatic(start) : family.known_as(options.family))
      asked.push_back(&family);
  if (asked.empty()) find_family(options.family);  // says which there are
  // Held-out torques choose between families as held-out likelihoods do.
  if (!joint && !start.by_torque) asked = {asked.back()};
  const bool networks = asked.back()->kind == ParameterKind::weights;
  std::vector<Candidate> list;
  for (const Family& family : families()) {
    const bool chosen = std::find(asked.begin(), asked.end(), &family) != asked.end();
    // Networks begin with the motions of a family of few coefficients, wherever one applies.
    const bool prepares =
        joint && networks && family.kind == ParameterKind::coefficients && family.automatic(start);
    if (!chosen && !prepares) continue;
    if (!options.fix.empty() && family.kind != ParameterKind::constants)
      throw InputError("only constants of an analytic system can be fixed");
    if (!joint && !start.by_torque && family.kind == ParameterKind::coefficients)
      throw InputError("family " + family.name +
                       " is fitted by joint estimation or torques only (option 'method' joint or "
                       "torque)");
    // An ensemble is one of networks, unless another family was asked for by name.
    start.competes =
        chosen && !(automatic && options.ensemble > 1 && family.kind != ParameterKind::weights);
    for (Start& model : family.starts(start)) list.push_back({std::move(model), start.competes});
  }
  return list;
}

}  // namespace mechfit
