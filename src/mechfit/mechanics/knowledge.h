#pragma once

#include <span>
#include <string>
#include <vector>

#include "mechfit/log/log.h"

// What is known of a model besides its equations: where its data were, and how wrong it was there.
namespace mechfit {

// Share of its width by which a region reaches beyond its samples: the next run of the same kind
// goes a little farther than the ones before.
inline constexpr double kRegionMargin = 0.15;

// The box of states and inputs that a log covered.
struct Region {
  std::vector<double> q_low, q_high;  // [n]; of a periodic joint the arc that its angles fill
  std::vector<double> v_low, v_high;  // [n]
  std::vector<double> u_low, u_high;  // [m]

  // How far a state lies outside, in widths of the region along the worst coordinate; 0 inside.
  // Without u inputs are not looked at.
  double outside(std::span<const JointType> types, std::span<const double> q,
                 std::span<const double> v, std::span<const double> u = {}) const;
};

struct Knowledge {
  Region region;
  std::vector<double> velocity, acceleration;  // root mean squares of the data's motion      [n]
  // Acceleration error on held-out runs beyond what the spread of the parameters tells, root mean
  // square, and the time over which it changes [s]; empty where it was not found.
  std::vector<double> error, error_time;  // [n]
  // How unsure the accelerations were that the model was fitted to, root mean square; empty where
  // it was not fitted to any (joint estimation).
  std::vector<double> labels;  // [n]
  // Step of the motions that the model was fitted to, where it is finer than that of the samples
  // [s]; 0: theirs. What uses the model on coarser steps divides them.
  double grid = 0;
};

// Of an array [T][n] of all runs, per joint.
std::vector<double> root_mean_squares(const Log& log, std::vector<double> Trajectory::*values);

// Of a log with velocities: states, inputs, and accelerations where it has them.
Knowledge knowledge_of(const Log& motion);

// One line of JSON; and back. InputError, beginning with `name`, when it does not fit n joints and
// m inputs.
std::string format_knowledge(const Knowledge& knowledge);
Knowledge parse_knowledge(const std::string& text, int n, int m, const std::string& name);

}  // namespace mechfit
