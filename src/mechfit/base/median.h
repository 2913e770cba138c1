#pragma once

#include <algorithm>
#include <vector>

#include "mechfit/base/error.h"

namespace mechfit {

// The middle one, of an even number the upper of the two.
inline double median(std::vector<double> values) {
  MECHFIT_CHECK(!values.empty());
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace mechfit
