#pragma once

#include <string>

namespace mechfit {

// Writes a description with the values that the model, an arm, identified.
void export_robot(const std::string& model, const std::string& robot, const std::string& output,
                  bool json);

}  // namespace mechfit
