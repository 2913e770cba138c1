#pragma once

#include "mechfit/fit/smoothed/samples.h"
#include "mechfit/mechanics/magnitudes.h"

namespace mechfit {

// InputError when a joint does not move.
Magnitudes magnitudes(const Samples& samples);

}  // namespace mechfit
