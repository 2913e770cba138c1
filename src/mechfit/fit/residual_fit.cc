#include "mechfit/fit/residual_fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "mechfit/fit/candidates.h"
#include "mechfit/fit/smoothed/fit_smoothed.h"
#include "mechfit/fit/smoothed/objectives.h"
#include "mechfit/fit/smoothed/torque_fit.h"
#include "mechfit/mechanics/families/families.h"
#include "mechfit/mechanics/families/residual/residual.h"
#include "mechfit/mechanics/scales.h"

namespace mechfit {
namespace {

// What the network has to bring the held-out error to, as other richer families do, and the blocks
// of held-out samples of which most must agree.
constexpr double kRicher = 0.8;
constexpr int kBlocks = 4, kMost = 3;
// Of the step in the joints' speeds, in units of their scales, as Coulomb's.
constexpr double kWidth = 0.05;
// The network's outputs are forces beside the structure's.
constexpr double kForce = 0.3;

// Held-out errors as the network's training weighs them.
class Judge {
 public:
  Judge(Samples held_out, FitMethod method, std::vector<double> weights, ThreadPool& pool)
      : samples_(std::move(held_out)), pool_(pool) {
    options_.method = method;
    options_.weights = std::move(weights);
  }

  double error(const Model& model) const { return objective(model)->all(model); }

  bool better(const Model& a, const Model& b) const {
    if (!(error(a) < kRicher * error(b))) return false;
    const auto of_a = objective(a), of_b = objective(b);
    const int size = of_a->items();
    int wins = 0;
    for (int k = 0; k < kBlocks; ++k) {
      std::vector<int> items(size * (k + 1) / kBlocks - size * k / kBlocks);
      std::iota(items.begin(), items.end(), size * k / kBlocks);
      wins += !items.empty() && (*of_a)(a, items, {}) < (*of_b)(b, items, {});
    }
    return wins >= kMost;
  }

 private:
  std::unique_ptr<Objective> objective(const Model& model) const {
    return make_objective(model, samples_, options_, pool_);
  }

  Samples samples_;
  ObjectiveOptions options_;
  ThreadPool& pool_;
};

ResidualConfig network_config(const FitData& data, const FitOptions& options, const Model& base,
                              const std::vector<double>& torques) {
  ResidualConfig config;
  if (!options.hidden.empty()) config.hidden = options.hidden;
  const bool physical = base.inputs() > 0 && !base.scale_is_free();
  const Scales scales = data_scales(data.size, base.joint_types(),
                                    input_matrix(data.channels, options.input_joints), physical);
  for (int i = 0; i < base.joints(); ++i) {
    config.speed.push_back(scales.v[i]);
    config.width.push_back(std::min(kStickingWidth, kWidth * scales.v[i]));
    config.place.push_back(scales.q_offset[i]);
    config.reach.push_back(scales.q[i]);
    const double size = torques.empty() ? scales.energy / (scales.v[i] * scales.time) : torques[i];
    config.force.push_back(kForce * size);
  }
  return config;
}

}  // namespace

std::optional<FitOptions> structure_options(const FitOptions& options) {
  const bool network =
      options.force == ForceKind::network || options.force == ForceKind::friction_network;
  const bool named = options.family != "auto";
  if (!network || (!named && !options.robot) ||
      (named && find_family(options.family).kind == ParameterKind::weights))
    return std::nullopt;
  FitOptions out = options;
  out.force = options.force == ForceKind::network ? ForceKind::none : ForceKind::friction;
  return out;
}

void add_residual(const FitData& data, const FitOptions& options, ThreadPool& pool,
                  const FitHooks& hooks, FitResult& result) {
  if (!found_model(result.status) || result.status == FitStatus::interrupted ||
      result.model.kind() == ParameterKind::weights)
    return;
  FitData own = data;
  if (!own.validation_smoothed)
    own.validation_smoothed =
        std::make_shared<const Log>(smooth(*data.validation, SmoothOptions(), pool).log);
  const bool torque = fully_driven(result.model);
  const Samples train = make_samples(own.train_smoothed->log);
  const std::vector<double> torques =
      torque ? torque_sizes(result.model, train, pool) : std::vector<double>();
  if (std::any_of(torques.begin(), torques.end(), [](double x) { return !(x > 0); })) return;
  FitOptions training = options;
  training.method = torque ? FitMethod::torque : FitMethod::acceleration;
  training.epochs = 0;
  training.selection = torque ? Selection::objective : Selection::acceleration;
  Random random(options.seed);
  const Model model(
      Residual(result.model, network_config(data, options, result.model, torques), random));
  std::vector<int> held(result.model.parameter_count());
  std::iota(held.begin(), held.end(), 0);
  FitHooks progress;  // a checkpoint is that of the structure's fit
  progress.progress = [&](const FitProgress& p) {
    FitProgress told = p;
    told.what = "forces left unexplained";
    return !hooks.progress || hooks.progress(told);
  };
  FitResult with = result;
  with.notes.clear();
  fit_smoothed(own, {"network of forces", model, held}, training, pool, progress, with);
  if (!found_model(with.status)) return;
  const Judge judge(make_samples(*own.validation_smoothed), training.method,
                    inverse_squares(torque ? torques : data.size.a), pool);
  const double before = judge.error(result.model), after = judge.error(with.model);
  const bool wins = judge.better(with.model, result.model);
  const std::string note = fmt::format(
      "a network of forces beside the structure {}: held-out {} error (nMSE) {:.4f} with it, "
      "{:.4f} "
      "without",
      wins ? "is kept" : "is not kept", torque ? "torque" : "acceleration", after, before);
  if (wins) {
    result.model = with.model;
    result.history = with.history;
    result.covariance.clear();
    result.standard_errors.clear();
    result.parts.clear();
    result.members.clear();
    result.noise = {};
    result.train_motion = result.validation_motion = {};
    result.method = training.method;
  }
  if (with.status == FitStatus::interrupted) result.status = with.status;
  result.notes.push_back(note);
}

}  // namespace mechfit
