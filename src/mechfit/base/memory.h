#pragma once

#include <string>

namespace mechfit {

// Bytes that this process may use at most: the machine's memory, or less where a limit is set
// (ulimit -v).
double memory_limit();

// InputError when `what` needs at least so many bytes and there are fewer: "networks of 4.3e+09
// parameters need at least 690 GB of memory, there are 23 GB".
void require_memory(double bytes, const std::string& what);

}  // namespace mechfit
