#include "mechfit/files/number.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <bit>
#include <cstdint>
#include <cstdlib>

#include "tests/support/random_log.h"

namespace mechfit {
namespace {

RC_GTEST_PROP(Number, TheShortWayRoundsAsTheStandardLibrary, (std::uint64_t seed)) {
  Random random(seed);
  for (int i = 0; i < 100; ++i) {
    std::string text = random.below(2) == 0 ? "-" : "";
    const auto digits = [&](std::uint64_t most) {
      for (auto n = random.below(most); n > 0; --n)
        text += static_cast<char>('0' + random.below(10));
    };
    digits(12);
    if (random.below(4) != 0) text += '.';
    digits(14);
    if (random.below(8) == 0) text += "e-" + std::to_string(random.below(30));
    double fast = 0.0, slow = 0.0;
    const char* end = text.data() + text.size();
    const char* stop = parse_number_prefix(text.data(), end, fast);
    const bool good = parse_number(text, slow) == NumberStatus::ok;
    RC_ASSERT((stop == end) == good);
    if (!good) continue;
    RC_ASSERT(std::bit_cast<std::uint64_t>(fast) == std::bit_cast<std::uint64_t>(slow));
    RC_ASSERT(std::bit_cast<std::uint64_t>(fast) ==
              std::bit_cast<std::uint64_t>(std::strtod(text.c_str(), nullptr)));
  }
}

RC_GTEST_PROP(Number, TheShortestTextReadsBackAsTheSameDouble, (std::uint64_t seed)) {
  Random random(seed);
  const double x = any_finite(random);
  std::string text;
  append_number(text, x);
  double back = 1.0;
  RC_ASSERT(parse_number(text, back) == NumberStatus::ok);
  RC_ASSERT(std::bit_cast<std::uint64_t>(back) == std::bit_cast<std::uint64_t>(x));
}

TEST(Number, QuotesAreSafeToPrint) {
  EXPECT_EQ(in_quotes("a\x01\x7F"), "\"a\\x01\\x7f\"");
  EXPECT_EQ(in_quotes(std::string(50, 'a')), "\"" + std::string(40, 'a') + "...\"");
}

}  // namespace
}  // namespace mechfit
