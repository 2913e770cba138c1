#include <fmt/format.h>

#include <cmath>

#include "mechfit/base/error.h"
#include "mechfit/base/memory.h"
#include "mechfit/mechanics/families/start.h"
#include "mechfit/mechanics/families/trig/trig.h"

// What trigonometric polynomials say of themselves, and how a fit starts with them.
namespace mechfit {
namespace {

// Above this number of joints trig has too many functions to be tried without being asked for.
constexpr int kMostJoints = 4;
// A richer model than this is not tried without being asked for: a Gauss-Newton step takes the
// square of it per observed number.
constexpr int kMostParameters = 300;
// Degree 2 is exact for chains of revolute joints in space. 1 and 3: same errors on planar
// machines, for which degree 2 promises no more than chance and is not fitted.
constexpr int kHighestDegree = 2;
// Spread of the prior: coefficients in the model's own units are of the order of one. 1 and 10:
// errors within 1 % (logs of fit/joint/joint_problem.h).
constexpr double kSpread = 3.0;
// Square matrices over the coefficients that Gauss-Newton holds: the Schur complement, its factor,
// the covariance.
constexpr double kMatrices = 3;

Trig start_degree(const StartData& data, int degree) {
  if (data.force_network())
    throw InputError("family trig has no force network; expected option 'force' none or friction");
  TrigConfig config;
  config.joints = data.channels.joint_types;
  config.inputs = data.channels.m();
  config.friction = data.friction_terms();
  config.degree = degree;
  config.input_matrix = input_matrix(data.channels, data.input_joints);
  config.input_map = data.input_map();
  config.scales = data_scales(data.size, config.joints, config.input_matrix,
                              config.inputs > 0 && !data.learn_inputs);
  const double coefficients = trig_coefficients(with_default_terms(config));
  require_memory(kMatrices * coefficients * coefficients * sizeof(double),
                 fmt::format("trig of degree {}: {:.3g} coefficients", degree, coefficients));
  return Trig(std::move(config));
}

}  // namespace

bool Trig::known_as(const std::string& option) { return option == kFamily; }

bool Trig::automatic(const StartData& data) {
  return data.channels.n() <= kMostJoints && !data.force_network();
}

std::vector<Start> Trig::starts(const StartData& data) {
  std::vector<Start> list;
  const int lowest = data.degree > 0 ? data.degree : 1;
  const int highest = data.degree > 0 ? data.degree : data.competes ? kHighestDegree : 1;
  for (int degree = lowest; degree <= highest; ++degree) {
    Trig trig = start_degree(data, degree);
    if ((degree > lowest || !data.competes) && trig.parameter_count() > kMostParameters) break;
    list.push_back({"trig of degree " + std::to_string(degree), std::move(trig), {}});
  }
  return list;
}

std::vector<ParameterInfo> Trig::parameters_info() const {
  std::vector<ParameterInfo> list(theta_.size());
  const std::vector<std::string> forces = joint_forces_.parameter_names();
  for (int k = 0; k < parameter_count(); ++k) {
    ParameterInfo& info = list[k];
    info.name =
        k < friction_offset() ? "theta " + std::to_string(k) : forces[k - friction_offset()];
    const bool friction = k >= friction_offset() && k < input_offset();
    const bool constant_of_mass = k < potential_offset() && k % mass_functions() == 0;
    if (friction && joint_forces_.nonnegative(k - friction_offset()))
      info.range = Range::nonnegative;
    const bool flat = constant_of_mass || k >= input_offset();
    info.prior_precision = flat ? 0.0 : 1 / (kSpread * kSpread);
    if (friction) info.prior_precision = joint_forces_.prior_precision(k - friction_offset());
    info.prunable = !constant_of_mass && k < input_offset();
  }
  return list;
}

bool Trig::scale_is_free() const { return !joint_forces_.fixes_scale(); }

Description Trig::describe() const {
  return {"trigonometric polynomials", joint_forces_.values(friction_offset())};
}

}  // namespace mechfit
