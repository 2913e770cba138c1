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
  double error;  // standard error; infinite: the data do not tell, NaN: not known
  bool given;    // to the fit, which did not change it; its error is 0
};

// Errors come from the covariance of the parameters, or from the scatter of an ensemble's members.
std::vector<ModelValue> model_values(const ModelRecord& record);

}  // namespace mechfit
