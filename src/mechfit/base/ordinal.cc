#include "mechfit/base/ordinal.h"

#include "mechfit/base/error.h"

namespace mechfit {

std::string ordinal(int number) {
  MECHFIT_CHECK(number >= 0);
  const bool teen = number / 10 % 10 == 1;  // 11th, 12th, 13th
  const int last = teen ? 0 : number % 10;
  return std::to_string(number) + (last == 1 ? "st" : last == 2 ? "nd" : last == 3 ? "rd" : "th");
}

}  // namespace mechfit
