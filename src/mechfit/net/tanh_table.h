#pragma once

namespace mechfit {

// tanh(k / 32) at kTanhTable[k + 1024]: a multiple of 1/32 near any x whose tanh is not 1. The zero
// in the middle is -0.
inline constexpr int kTanhSteps = 32, kTanhMiddle = 1024;
extern const double* const kTanhTable;  // [2 kTanhMiddle]

}  // namespace mechfit
