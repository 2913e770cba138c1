#pragma once

#include <string>
#include <string_view>

#include "mechfit/fit/fit.h"
#include "mechfit/fit/state.h"

namespace mechfit {

// Everything of the options that decides the result, one line: two fits of the same log with equal
// texts give the same model.
std::string settings_text(const FitOptions& options);

// The state of a fit as a file, complete to the last bit, with a version and a checksum. `owner`
// says what it belongs to (data and settings_text); reading one of another owner is an InputError.
std::string format_checkpoint(const FitState& state, const std::string& owner);
FitState parse_checkpoint(std::string_view bytes, const std::string& owner,
                          const std::string& name);
void save_checkpoint(const std::string& path, const FitState& state, const std::string& owner);
FitState load_checkpoint(const std::string& path, const std::string& owner);

}  // namespace mechfit
