#include "mechfit/base/memory.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>

#include "mechfit/base/error.h"

namespace mechfit {

double memory_limit() {
  double bytes =
      static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
  struct rlimit limit {};
  if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
    bytes = std::min(bytes, static_cast<double>(limit.rlim_cur));
  return bytes;
}

void require_memory(double bytes, const std::string& what) {
  const double limit = memory_limit();
  if (bytes <= limit) return;
  throw InputError(fmt::format("{} need at least {:.2g} GB of memory, there are {:.2g} GB", what,
                               bytes / 1e9, limit / 1e9));
}

}  // namespace mechfit
