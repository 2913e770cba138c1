#include "mechfit/mechanics/model_values.h"

#include <cmath>

#include "mechfit/base/constants.h"

namespace mechfit {
namespace {

// A constant whose standard deviation is larger than itself is not determined, by convention: a fit
// says the same of it. Coefficients may well be smaller than their error.
constexpr double kVague = 1.0;

// Standard deviation of one value over the members, which may lack it where it is zero.
double scatter(const std::vector<Model>& members, const std::string& name) {
  double sum = 0, squares = 0;
  const auto count = static_cast<double>(members.size());
  for (const Model& member : members)
    for (const Description::Value& value : member.describe().values)
      if (value.name == name) {
        sum += value.value;
        squares += value.value * value.value;
      }
  return std::sqrt(std::max(0.0, squares - sum * sum / count) / (count - 1));
}

double error_of(const ModelRecord& record, const Description::Value& value) {
  if (value.parameter < 0) return 0;
  if (record.members.size() > 1) return scatter(record.members, value.name);
  if (record.covariance.empty()) return kNan;
  const std::size_t p = record.model.parameter_count(), k = value.parameter;
  const double error = std::abs(value.slope) * std::sqrt(record.covariance[k * p + k]);
  const bool constant = record.model.kind() == ParameterKind::constants;
  return constant && error > kVague * std::abs(value.value) && value.value != 0 ? kInfinity : error;
}

}  // namespace

std::vector<ModelValue> model_values(const ModelRecord& record) {
  std::vector<ModelValue> out;
  for (const Description::Value& value : record.model.describe().values)
    out.push_back({value.name, value.value, value.unit, error_of(record, value)});
  return out;
}

}  // namespace mechfit
