#pragma once

#include <span>
#include <vector>

#include "mechfit/log/log.h"

// A log on steps of about a wanted length.
namespace mechfit {

struct TimeGrid {
  Log log;         // missing observations are NaN
  int pooled = 1;  // samples that one observation is the mean of: its variance is that much less
};

// Where samples are closer together than `step`, an odd number of them is replaced by their mean at
// the time of the middle one (missing when one of them is), inputs by their mean. Where they are
// farther apart, unobserved samples are put between, at most `most_parts` - 1 each time; inputs are
// held.
TimeGrid time_grid(const Log& log, double step, int most_parts);

}  // namespace mechfit
