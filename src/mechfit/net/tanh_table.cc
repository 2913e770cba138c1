#include "mechfit/net/tanh_table.h"

#include <array>
#include <cmath>

namespace mechfit {
namespace {

const auto table = [] {
  std::array<double, 2 * kTanhMiddle> values;
  for (int k = -kTanhMiddle; k < kTanhMiddle; ++k)
    values[k + kTanhMiddle] =
        static_cast<double>(std::tanh(static_cast<long double>(k) / kTanhSteps));
  values[kTanhMiddle] = -0.0;
  return values;
}();

}  // namespace

const double* const kTanhTable = table.data();

}  // namespace mechfit
