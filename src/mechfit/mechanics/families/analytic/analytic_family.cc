#include <algorithm>
#include <cmath>

#include "mechfit/base/error.h"
#include "mechfit/mechanics/families/analytic/analytic.h"
#include "mechfit/mechanics/families/start.h"

// What a system with known equations says of itself, and how a fit starts with one.
namespace mechfit {
namespace {

// Constants of machines are known up to factors of e^3 = 20 before data are seen. 1 and 10: errors
// within 0.1 % (logs of fit/joint/joint_problem.h).
constexpr double kSpread = 3.0;
// A constant that is zero is given this size, so that it has one at all. 3e-4 and 3e-3: same errors
// to four digits.
constexpr double kSmallest = 1e-3;
// Damping that may be there must be able to grow from the start; also the step of a constant that
// is zero. In units of the machine, whose masses and lengths start near one. 0.03 and 0.3: same
// errors to four digits.
constexpr double kFirstDamping = 0.1;

bool is_damping(const ConstantDefinition& constant) { return constant.name.starts_with("eta"); }

double squared(double x) { return x * x; }

}  // namespace

bool AnalyticSystem::known_as(const std::string& option) {
  const auto systems = list_systems();
  return std::any_of(systems.begin(), systems.end(),
                     [&](const SystemInfo& info) { return info.name == option; });
}

bool AnalyticSystem::automatic(const StartData&) { return false; }  // the user has to know

std::vector<Start> AnalyticSystem::starts(const StartData& data) {
  const Channels& channels = data.channels;
  const auto systems = list_systems();
  const auto info = std::find_if(systems.begin(), systems.end(), [&](const SystemInfo& candidate) {
    return candidate.name == data.family;
  });
  MECHFIT_CHECK(info != systems.end());
  AnalyticSystem system =
      make_system(data.family, info->any_joints ? channels.n() : kDefaultJoints);
  if (system.joints() != channels.n() || system.inputs() < channels.m())
    throw InputError("system '" + data.family + "' has " + std::to_string(system.joints()) +
                     " joints and " + std::to_string(system.inputs()) + " inputs, the log " +
                     std::to_string(channels.n()) + " and " + std::to_string(channels.m()));
  if (system.inputs() != channels.m())
    throw InputError("system '" + data.family + "' needs " + std::to_string(system.inputs()) +
                     " inputs, the log has " + std::to_string(channels.m()));
  for (const auto& [name, value] : data.fix) system.set_constant(name, value);
  std::vector<int> held;
  for (int k = 0; k < system.parameter_count(); ++k) {
    const ConstantDefinition& constant = system.constants()[k];
    const bool known = data.fix.contains(constant.name);
    if (known || (data.force == ForceKind::none && is_damping(constant))) held.push_back(k);
    if (data.force != ForceKind::none && is_damping(constant) && !known)
      system.set_constant(constant.name, kFirstDamping);
  }
  return {{data.family, std::move(system), std::move(held)}};
}

std::vector<ParameterInfo> AnalyticSystem::parameters_info() const {
  std::vector<ParameterInfo> list;
  for (int k = 0; k < parameter_count(); ++k) {
    const ConstantDefinition& constant = constants()[k];
    const double value = theta_[k], size = std::max(std::abs(value), kSmallest);
    ParameterInfo info{constant.name, constant.unit, constant.range};
    info.prior_mean = value;
    info.prior_precision = 1 / squared(kSpread * size);
    info.size = size;
    if (constant.range == Range::positive) {
      info.prior_mean = std::log(value);
      info.prior_precision = 1 / squared(kSpread);
      info.size = 1;
    }
    if (constant.range == Range::nonnegative) info.prior_precision = 0;
    info.step = std::abs(value) > 0 ? std::abs(value) : kFirstDamping;
    list.push_back(std::move(info));
  }
  return list;
}

bool AnalyticSystem::scale_is_free() const { return m_ == 0; }

Description AnalyticSystem::describe() const {
  Description out;
  out.words = "equations of the system '" + name() + "'";
  for (int k = 0; k < parameter_count(); ++k)
    out.values.push_back({constants()[k].name, theta_[k], constants()[k].unit, k, 1.0});
  return out;
}

void AnalyticSystem::trace(SymbolicModel& out) const {
  std::vector<Formula> inputs = out.q;
  inputs.insert(inputs.end(), out.v.begin(), out.v.end());
  inputs.insert(inputs.end(), out.u.begin(), out.u.begin() + m_);
  const std::vector<Formula> outputs = equations_->tape.trace(uniforms_, std::move(inputs));
  std::copy_n(outputs.begin(), out.mass.size(), out.mass.begin());
  out.potential = outputs[potential_output()];
  for (int i = 0; i < n_; ++i) out.force[i] += outputs[force_output(i)];
}

SymbolicModel AnalyticSystem::symbolic() const {
  SymbolicModel out(n_, m_);
  trace(out);
  return out;
}

}  // namespace mechfit
