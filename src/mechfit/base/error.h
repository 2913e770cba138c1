#pragma once

#include <stdexcept>
#include <string>

namespace mechfit {

// The outside world is not as it should be: says where, what was found and what was expected.
class InputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Our caller broke a promise of the interface (shapes, ranges).
class CheckError : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

[[noreturn]] void check_failed(const char* condition, const char* file, int line,
                               const std::string& detail);

}  // namespace mechfit

// Tested in every build type. The optional second argument says what was found.
#define MECHFIT_CHECK(condition, ...)                                     \
  do {                                                                    \
    if (!(condition))                                                     \
      ::mechfit::check_failed(#condition, __FILE__, __LINE__,             \
                              std::string("") __VA_OPT__(+) __VA_ARGS__); \
  } while (false)
