#pragma once

#include <string>
#include <vector>

#include "mechfit/estimate/kalman/smoother.h"
#include "mechfit/estimate/motion/model_smoother.h"

namespace mechfit {

// What was written, and where to.
struct SmoothedLog {
  const Log& observed;
  const Log& log;
  std::string output;
};

void print_smoothing(const SmoothedLog& smoothed, const SmoothResult& result);
void print_smoothing(const SmoothedLog& smoothed, const ModelSmoothResult& result);
void print_smoothing_json(const SmoothedLog& smoothed, const SmoothResult& result,
                          const std::vector<std::string>& notes);
void print_smoothing_json(const SmoothedLog& smoothed, const ModelSmoothResult& result,
                          const std::vector<std::string>& notes);

}  // namespace mechfit
