#pragma once

namespace mechfit {

// Calls of malloc and its relatives, of every thread, since the program started. operator new and
// Eigen both end there.
long allocations();

}  // namespace mechfit
