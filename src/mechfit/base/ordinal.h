#pragma once

#include <string>

namespace mechfit {

// The number as English counts: 1st, 2nd, 3rd, 4th, 11th, 22nd, 113th. `number` is at least 0.
std::string ordinal(int number);

}  // namespace mechfit
