#pragma once

#include <CLI/App.hpp>
#include <string>

// Checks of numbers that flags take. What is not a number, not finite or out of range is refused in
// one line: "--step: 'nan', expected a number from 1e-09 to 1e+09".
namespace mechfit {

CLI::Validator number_between(double low, double high);
// A time, from a nanosecond to thirty years.
CLI::Validator seconds();
// Of which only the sign matters: from 1e-30 to 1e30.
CLI::Validator positive();
CLI::Validator learning_rate();
// 0, 1 .. 2^64 - 1.
CLI::Validator seed();

}  // namespace mechfit
