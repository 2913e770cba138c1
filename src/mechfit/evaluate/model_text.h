#pragma once

#include <string>

#include "mechfit/mechanics/model_file.h"

namespace mechfit {

// What a model is, as a page for a reader: its joints and inputs, where the data were and how wrong
// it was there, and its constants with their standard errors.
std::string model_text(const ModelRecord& record);

}  // namespace mechfit
