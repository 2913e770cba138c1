#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "mechfit/base/thread_pool.h"
#include "mechfit/evaluate/torque_window.h"
#include "mechfit/fit/smoothed/samples.h"
#include "mechfit/mechanics/families/arm/arm.h"

// The geometry of an arm from joint angles and torques alone. A chain of n joints that turn has
// 4n - 3 numbers that act on its torques: modified Denavit-Hartenberg parameters and the tilt of
// gravity against the first axis. For each choice of them the best links and friction are linear
// least squares, so that the search sees the geometry alone (variable projection).
namespace mechfit {

// eta = [tilt, theta of joints 1 .. n-1, alpha, a, d of joints 2 .. n]: the last joint's theta and
// the first joint's place change no torque.
ArmKinematics chain_of(const std::vector<double>& eta, const std::vector<std::string>& names);

struct GeometrySearch {
  std::vector<double> eta;
  std::vector<double> sd;  // of eta, by the curvature at the best; 0: a round number was taken
  double error = 0;        // mean square of torque errors over the torques' variance
  int agree = 0;           // of the refined starts, those that end with such an error
  int refined = 0;
};

// `forces` has the friction that is eliminated with the links; its geometry does not matter.
// Torques are means over the stretches. The same for a seed whatever the number of threads.
GeometrySearch search_geometry(const Arm& forces, const Samples& samples,
                               const std::vector<Stretch>& stretches, std::uint64_t seed,
                               ThreadPool& pool);

// Joints of a description that the torques contradict: with another sign or offset by a multiple of
// 90 degrees of one joint their error is less than half. For a user.
std::vector<std::string> doubtful_joints(const Arm& arm, const Samples& samples,
                                         const std::vector<Stretch>& stretches, std::uint64_t seed,
                                         ThreadPool& pool);

// How sure the search is of the geometry, for a user.
std::vector<std::string> geometry_in_words(const GeometrySearch& search,
                                           const std::vector<std::string>& names);

}  // namespace mechfit
