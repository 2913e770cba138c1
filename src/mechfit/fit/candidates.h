#pragma once

#include <vector>

#include "mechfit/fit/fit_data.h"
#include "mechfit/mechanics/families/families.h"

namespace mechfit {

// A model that a fit may start from, and what becomes of it.
struct Candidate {
  Start start;
  bool competes = true;  // false: it only makes the motions with which networks begin
};

// From simple to rich. InputError when options and log do not fit.
std::vector<Candidate> candidates(const FitData& data, const FitOptions& options);

}  // namespace mechfit
