#pragma once

namespace mechfit {

// tanh(k / 128) at kTanhTable[k + 4096]: a multiple of 1/128 near any x whose tanh is not 1. The
// zero in the middle is -0.
inline constexpr int kTanhSteps = 128, kTanhMiddle = 4096;
extern const double* const kTanhTable;  // [2 kTanhMiddle]

}  // namespace mechfit
