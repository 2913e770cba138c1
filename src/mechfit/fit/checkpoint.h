#pragma once

#include <string>

#include "mechfit/fit/smoothed/trainer.h"

namespace mechfit {

// A training state as a file, complete to the last bit. `owner` says what it belongs to (data and
// options); reading one of another owner is an InputError.
void save_checkpoint(const std::string& path, const TrainState& state, const std::string& owner);
TrainState load_checkpoint(const std::string& path, const std::string& owner);

}  // namespace mechfit
