#pragma once

#include <string>
#include <string_view>

namespace mechfit {

// Larger numbers are refused where logs and flags are read: no machine has them, and powers of them
// overflow.
inline constexpr double kLargestNumber = 1e50;

enum class NumberStatus { ok, empty, not_a_number, not_finite, too_large };

// A whole field as a double: spaces around it and a leading '+' are allowed, what is too small for
// a double is zero.
NumberStatus parse_number(std::string_view text, double& value);

// The number at the start of [p, end), which may go on behind it: the place behind the number, or
// null when there is none or it needs parse_number. Not all finite.
const char* parse_number_prefix(const char* p, const char* end, double& value);

// The text in quotes for an error message: unprintable bytes escaped, long text cut.
std::string in_quotes(std::string_view text);

// Appends the shortest text that reads back as the same double.
void append_number(std::string& out, double value);

}  // namespace mechfit
