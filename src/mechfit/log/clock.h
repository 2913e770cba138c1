#pragma once

#include <string>
#include <vector>

#include "mechfit/log/log.h"
#include "mechfit/log/read_options.h"

namespace mechfit {

double seconds_per(TimeUnit unit);

// The unit of a clock whose column does not tell, where the stamps leave no doubt: seconds (ms, us,
// ns) since 1970 are of this century in one unit only, and whole numbers at least two apart are no
// seconds of a machine's log. None: cannot be told, which is taken for seconds.
std::optional<TimeUnit> guess_time_unit(const Log& log);

// Whether a log in seconds would be taken for one in another unit unless its file tells.
bool looks_like_another_unit(const Log& log);

// From the stamps of a file to times that increase: seconds, stamps since 1970 counted from the
// log's first second, rows that repeat the one before left out; where the options ask for it, an
// even clock (reclock.h), or samples whose time does not increase left out. InputError names the
// first of these otherwise. `notes` tell what was changed.
void settle_clock(Log& log, const ReadOptions& options, std::vector<std::string>& notes);

}  // namespace mechfit
