#pragma once

#include <span>

namespace mechfit {

// Processes that share the work of one fit. All of them make the same calls with the same data and
// come to the same results, but for the costliest sums: each makes its part of these, and what it
// has made goes to all. Machines must be alike, so that all of them round alike.
class Team {
 public:
  virtual ~Team() = default;
  virtual int rank() const = 0;
  virtual int size() const = 0;

  // begins [size + 1]: values from begins[r] to begins[r + 1] - 1 are those of rank r; afterwards
  // all have all of them. Called by every process, by the thread that called the fit.
  virtual void exchange(std::span<double> values, std::span<const long> begins) = 0;
};

}  // namespace mechfit
