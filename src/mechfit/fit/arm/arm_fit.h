#pragma once

#include <optional>

#include "mechfit/fit/fit_data.h"
#include "mechfit/fit/smoothed/torque_fit.h"
#include "mechfit/mechanics/families/arm/arm.h"
#include "mechfit/mechanics/families/start.h"

// Arms whose joints are all driven by known inputs are fitted by their torques.
namespace mechfit {

// From this many joints on a machine with a torque on every joint is taken for an arm. Fewer can be
// anything, and other families explain them as well.
inline constexpr int kFewestArmJoints = 5;

// What friction of arms needs at least: each term halves the error of a real one, or more.
inline constexpr const char* kArmFriction = "viscous+coulomb+offset";

// The options with which such an arm is fitted; nothing when the log, or what was asked, is not
// one.
std::optional<FitOptions> arm_options(const Channels& channels, const FitOptions& options);

// Gives `options` the geometry that the torques tell, where no description does; where one does,
// signs and offsets of its joints are tested. Notes are for the user.
void add_geometry(const FitData& data, FitOptions& options, ThreadPool& pool,
                  std::vector<std::string>& notes);

// Whether it is an arm of whose links nothing is held.
bool has_all_links_free(const Start& start);

// Torque regression of an arm, links that can exist (consistent_fit.h).
TorqueFit fit_arm_torques(const Arm& start, const std::vector<int>& held, const Samples& train,
                          const Samples& validation, ThreadPool& pool,
                          const std::function<bool(const FitRecord&, int steps)>& progress);

}  // namespace mechfit
