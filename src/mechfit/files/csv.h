#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "mechfit/log/log.h"
#include "mechfit/log/read_options.h"

namespace mechfit {

// The runs of a CSV file as they are written there (no conversion of degrees, no splitting, times
// in the order of the rows), with time in seconds where its unit is known and channels.joint_types
// empty. `name` is the file's name in messages; notes tell
// what was guessed and dropped. Runs are called after the trajectory column, or "".
Log parse_csv(std::string_view text, const std::string& name, const ReadOptions& options,
              std::vector<std::string>& notes);

// Columns with their first values, one in a line.
std::string csv_contents(std::string_view text, const std::string& name);

// Columns trajectory, t, q1.., qd1.., qdd1.., q1_sd.., qd1_sd.., qdd1_sd.., u1.. as far as all
// runs have them, numbers as short as they can be without losing a bit. A joint that is not in
// radians has its unit behind its name (q2_m).
std::string format_csv(const Log& log);

// Delimiter-separated fields of one line: spaces around them and quotes removed, "" in quotes is ".
// Several spaces are one delimiter. False when a quote is not closed.
bool split_fields(std::string_view line, char delimiter, std::vector<std::string>& fields);

// What stands between the fields of a line: the most frequent of comma, semicolon and tab, else
// spaces.
char guess_delimiter(std::string_view line);

}  // namespace mechfit
