#pragma once

#include <string>
#include <vector>

#include "mechfit/smooth/smoother.h"

namespace mechfit {

void print_smoothing(const Log& observed, const SmoothResult& result, const std::string& output);
void print_smoothing_json(const Log& observed, const SmoothResult& result,
                          const std::string& output, const std::vector<std::string>& notes);

}  // namespace mechfit
