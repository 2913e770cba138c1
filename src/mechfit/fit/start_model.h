#pragma once

#include "mechfit/fit/data_scales.h"
#include "mechfit/fit/fit.h"

namespace mechfit {

// The model a fit starts from: networks drawn by the seed in scales of the data, or an analytic
// system with its default constants and the known ones set.
Model start_model(const Channels& channels, const Magnitudes& size, const FitOptions& options);

// How the parameters of an analytic system move: in units of their start values, fixed ones not at
// all. Empty for other families.
std::vector<double> parameter_scales(const Model& model, const FitOptions& options);

// B0 [n][m]: one where an input pushes a joint.
std::vector<double> input_matrix(const Channels& channels, const std::vector<std::string>& joints);

// Inputs through a fixed B make the scale of M physical, but the DEL objective with its barrier
// cannot shrink M: there B = gamma B0 with gamma learned, and the result divided by it. Throws
// InputError when gamma is not positive.
Model with_fixed_inputs(const Model& model);

}  // namespace mechfit
