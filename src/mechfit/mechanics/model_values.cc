#include "mechfit/mechanics/model_values.h"

#include <cmath>

#include "mechfit/base/constants.h"

namespace mechfit {
namespace {

// A constant whose standard deviation is larger than itself is not determined, by convention: a fit
// says the same of it. Coefficients may well be smaller than their error.
constexpr double kVague = 1.0;

// Standard deviation of one value over the members; one that does not name it has it at zero.
double scatter(const std::vector<Model>& members, const std::string& name) {
  std::vector<double> values(members.size(), 0.0);
  double mean = 0, squares = 0;
  const auto count = static_cast<double>(members.size());
  for (std::size_t k = 0; k < members.size(); ++k) {
    for (const Description::Value& value : members[k].describe().values)
      if (value.name == name) values[k] = value.value;
    mean += values[k] / count;
  }
  for (const double x : values) squares += (x - mean) * (x - mean);
  return std::sqrt(squares / (count - 1));
}

ModelValue known_value(const ModelRecord& record, const Description::Value& value) {
  ModelValue out{value.name, value.value, value.unit, 0.0, value.parameter < 0};
  if (out.given) return out;
  if (record.members.size() > 1) {
    out.error = scatter(record.members, value.name);
  } else if (record.covariance.empty()) {
    out.error = kNan;
  } else {
    const std::size_t p = record.model.parameter_count(), k = value.parameter;
    out.error = std::abs(value.slope) * std::sqrt(record.covariance[k * p + k]);
    out.given = out.error == 0;
    const bool constant = record.model.kind() == ParameterKind::constants;
    if (constant && value.value != 0 && out.error > kVague * std::abs(value.value))
      out.error = kInfinity;
  }
  return out;
}

}  // namespace

std::vector<ModelValue> model_values(const ModelRecord& record) {
  std::vector<ModelValue> out;
  for (const Description::Value& value : record.model.describe().values)
    out.push_back(known_value(record, value));
  return out;
}

}  // namespace mechfit
