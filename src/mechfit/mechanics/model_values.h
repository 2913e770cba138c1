#pragma once

#include <string>
#include <vector>

#include "mechfit/mechanics/model_file.h"

namespace mechfit {

// What a model says of itself in numbers (Description::values), and how well each is known.
struct ModelValue {
  std::string name;
  double value;
  std::string unit;
  double error;  // standard error; 0: given or held, infinite: the data do not tell, NaN: not known
};

// Errors come from the covariance of the parameters, or from the scatter of an ensemble's members.
std::vector<ModelValue> model_values(const ModelRecord& record);

}  // namespace mechfit
