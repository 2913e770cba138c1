#pragma once

#include <span>
#include <vector>

namespace mechfit {

struct Scores;

// How good a model is on one part of the data, as mean squares that can be added up over parts.
// Joints count in units of the accelerations and velocities that the model was fitted to, so that
// one that happens to rest in a part says little there, instead of everything.
struct Quality {
  double error2 = 0, size2 = 0;  // of accelerations: the model's error, and they themselves
  double samples = 0;            // how much the part counts

  struct Horizon {
    double seconds = 0;
    double error2 = 0;      // of rollouts, by the model: what the uncertainty of their start leaves
    double observed2 = 0;   // of rollouts as they are, noise of the observations taken off
    double baseline2 = 0;   // of the better prediction without a model
    bool judgeable = true;  // false: noise or the start's uncertainty hide every difference
    double relative() const;
    double observed() const;
  };
  std::vector<Horizon> horizons;

  // Root mean square error of accelerations in units of their own. Below 1: better than nothing.
  double relative() const;
};

// Of one part, by the observations where accelerations were not logged.
Quality quality_of(const Scores& scores);

// All parts together.
Quality pooled(std::span<const Quality> parts);

}  // namespace mechfit
