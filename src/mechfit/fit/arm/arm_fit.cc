#include "mechfit/fit/arm/arm_fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mechfit/base/constants.h"
#include "mechfit/base/median.h"
#include "mechfit/evaluate/torque_error.h"
#include "mechfit/fit/arm/arm_uncertainty.h"
#include "mechfit/fit/arm/consistent_fit.h"
#include "mechfit/fit/arm/geometry_search.h"
#include "mechfit/fit/candidates.h"
#include "mechfit/mechanics/families/arm/arm_description.h"

namespace mechfit {
namespace {

// Ends of runs, where smoothing knows accelerations this much worse than in their middle, say
// little and could say it wrongly.
constexpr double kUnsure = 1.5;

std::vector<Stretch> steady_stretches(const Samples& s) {
  const MotionView points = motion_view(s);
  std::vector<Stretch> all = stretches(points, torque_window(points));
  if (s.a_sd.empty()) return all;
  std::vector<char> use(s.size, 1);
  for (int j = 0; j < s.n; ++j) {
    std::vector<double> sd;
    for (int k = 0; k < s.size; ++k) sd.push_back(s.a_sd[static_cast<std::size_t>(k) * s.n + j]);
    const double most = kUnsure * median(sd);
    for (int k = 0; k < s.size; ++k)
      use[k] = use[k] && s.a_sd[static_cast<std::size_t>(k) * s.n + j] <= most;
  }
  std::vector<Stretch> steady;
  for (const Stretch& part : all)
    if (std::all_of(&use[part.first], &use[part.first] + part.count, [](char x) { return x; }))
      steady.push_back(part);
  return steady.empty() ? all : steady;
}

bool all_driven(const Channels& channels, const FitOptions& options) {
  if (channels.m() == 0 || options.learn_inputs) return false;
  if (options.input_joints.empty() && channels.m() > channels.n()) return false;
  const std::vector<double> b = input_matrix(channels, options.input_joints);
  for (int i = 0; i < channels.n(); ++i) {
    bool driven = false;
    for (int j = 0; j < channels.m(); ++j) driven = driven || b[i * channels.m() + j] != 0;
    if (!driven) return false;
  }
  return true;
}

// An arm with the joints of the log along one axis: geometry is to come.
Arm any_arm(const FitData& data, const FitOptions& options) {
  FitOptions straight = options;
  if (straight.friction == "auto") straight.friction = kArmFriction;
  auto robot = std::make_shared<ArmDescription>();
  robot->kinematics =
      chain_of(std::vector<double>(4 * data.channels.n() - 3, 0.0), data.channels.joints);
  straight.robot = robot;
  return *candidates(data, straight)[0].start.model.as<Arm>();
}

double held_out_error(const Model& model, const Samples& s, ThreadPool& pool) {
  const MotionView points = motion_view(s);
  return torque_error(predict_torques(model, points, pool), points, driven_joints(model)).overall;
}

}  // namespace

std::optional<FitOptions> arm_options(const Channels& channels, const FitOptions& options) {
  const bool method = options.method == FitMethod::joint || options.method == FitMethod::torque;
  const bool automatic =
      options.family == "auto" && (options.robot || channels.n() >= kFewestArmJoints);
  if (!method || options.ensemble > 1 || !(automatic || options.family == Arm::kFamily) ||
      options.force == ForceKind::network || options.force == ForceKind::friction_network ||
      !all_driven(channels, options))
    return std::nullopt;
  if (options.robot && options.robot->kinematics.n() != channels.n()) return std::nullopt;
  FitOptions out = options;
  out.family = Arm::kFamily;
  out.method = FitMethod::torque;
  return out;
}

void add_geometry(const FitData& data, FitOptions& options, ThreadPool& pool,
                  std::vector<std::string>& notes) {
  const Samples samples = make_samples(data.train_smoothed->log);
  const std::vector<Stretch> parts = steady_stretches(samples);
  if (options.robot) {
    FitOptions plain = options;
    if (plain.friction == "auto") plain.friction = kArmFriction;
    const Arm arm = *candidates(data, plain)[0].start.model.as<Arm>();
    for (std::string& note : doubtful_joints(arm, samples, parts, options.seed, pool))
      notes.push_back(std::move(note));
    return;
  }
  const GeometrySearch search =
      search_geometry(any_arm(data, options), samples, parts, options.seed, pool);
  auto robot = std::make_shared<ArmDescription>();
  robot->kinematics = chain_of(search.eta, data.channels.joints);
  options.robot = robot;
  for (std::string& note : geometry_in_words(search, data.channels.joints))
    notes.push_back(std::move(note));
}

bool has_all_links_free(const Start& start) {
  const Arm* arm = start.model.as<Arm>();
  return arm && std::all_of(start.held.begin(), start.held.end(),
                            [&](int k) { return k >= kLinkNumbers * arm->joints(); });
}

TorqueFit fit_arm_torques(const Arm& start, const std::vector<int>& held, const Samples& train,
                          const Samples& validation, ThreadPool& pool,
                          const std::function<bool(const FitRecord&, int steps)>& progress) {
  const Model model(start);
  TorqueFit fit(model);
  const FreeParameters free(model, held);
  const TorqueRows rows(start);
  const ConsistentFit found =
      fit_consistent(start, free, rows, torque_gram(rows, train, steady_stretches(train), pool));
  fit.model.set_parameters(found.theta);
  fit.s = found.s;
  FitRecord record{found.iterations};
  record.objective = found.objective;
  record.validation = held_out_error(fit.model, validation, pool);
  fit.history.add(record);
  if (progress && !progress(record, found.iterations)) fit.status = FitStatus::interrupted;
  if (!std::isfinite(record.validation)) fit.status = FitStatus::unexplained;
  add_arm_uncertainty(free, found, train, pool, fit);
  return fit;
}

}  // namespace mechfit
