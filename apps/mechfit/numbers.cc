#include "numbers.h"

#include <fmt/format.h>

#include <charconv>
#include <cstdint>

#include "mechfit/files/number.h"

namespace mechfit {

CLI::Validator number_between(double low, double high) {
  return CLI::Validator(
      [low, high](std::string& text) {
        double value = 0;
        if (parse_number(text, value) == NumberStatus::ok && value >= low && value <= high)
          return std::string();
        return fmt::format("'{}', expected a number from {:g} to {:g}", text, low, high);
      },
      "");
}

CLI::Validator seconds() { return number_between(1e-9, 1e9); }
CLI::Validator positive() { return number_between(1e-30, 1e30); }
CLI::Validator learning_rate() { return number_between(1e-12, 1e3); }

CLI::Validator seed() {
  return CLI::Validator(
      [](std::string& text) {
        std::uint64_t value = 0;
        const char* end = text.data() + text.size();
        const auto [stop, error] = std::from_chars(text.data(), end, value);
        if (error == std::errc() && stop == end) return std::string();
        return fmt::format("'{}', expected a whole number from 0 to {}", text, UINT64_MAX);
      },
      "");
}

}  // namespace mechfit
