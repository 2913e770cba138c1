#pragma once

#include <string>

#include "log_options.h"
#include "mechfit/mechanics/model_file.h"

namespace mechfit {

// Reads a log for use with a model: joint types and the hold of inputs are the model's unless the
// flags say otherwise. InputError when joints, inputs or units do not fit the model.
ReadResult read_log_for(const ModelRecord& record, LogOptions options);

// "structured mechanical model, 2 joints, 1 input, 4482 parameters"
// and how many such models the file holds.
std::string describe_model(const ModelRecord& record);

}  // namespace mechfit
