#pragma once

#include <bit>
#include <cstdint>

namespace mechfit {

// Powers 2^(j / 8) as numbers T_j of 25 bits, so that 1 - T_j and 1 + T_j are exact:
//   power   bits of T_j less those of 2^(j / 8) that k / 8 adds to the exponent, k mod 8 = j
//   shift   ln(T_j) / 2 - j ln(2) / 16, half of what T_j has too much in its logarithm
struct TanhTable {
  alignas(64) std::int64_t power[8];
  alignas(64) double shift[8];
};

inline constexpr TanhTable kTanhTable = [] {
  constexpr double powers[] = {1.0,          0x1.172b84p0, 0x1.306fe1p0, 0x1.4bfdadp0,
                               0x1.6a09e6p0, 0x1.8ace54p0, 0x1.ae89fap0, 0x1.d5818ep0};
  TanhTable table{{},
                  {0.0, 0x1.9c0c2141fef92p-28, 0x1.3873f0dfe3a37p-27, -0x1.013205b36cb76p-27,
                   -0x1.26055c546c140p-27, -0x1.67a1ca1d9d84ap-29, 0x1.f9c305081c25ep-28,
                   0x1.a5217cbeba37ep-29}};
  for (std::int64_t j = 0; j < 8; ++j)
    table.power[j] = std::bit_cast<std::int64_t>(powers[j]) - (j << 49);
  return table;
}();

}  // namespace mechfit
