#pragma once

#include <string>
#include <vector>

#include "mechfit/files/read_log.h"
#include "mechfit/mechanics/model_file.h"

namespace mechfit {

// Reads a log for use with a model: joint types are the model's unless the options give some, and
// so is how inputs act. InputError when joints, inputs or units do not fit the model.
ReadResult read_log_for(const ModelRecord& record, const std::vector<std::string>& files,
                        ReadOptions options = {});

// Reads a file with time and the model's inputs, by their names or as options.u names them. The
// inputs stand where a log has its joints: q [T][m].
Log read_inputs_for(const ModelRecord& record, const std::string& file,
                    const ReadOptions& options = {});

}  // namespace mechfit
