#include "mechfit/files/utf.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "mechfit/base/random.h"

namespace mechfit {
namespace {

TEST(Utf, WholeTextStaysAsItIs) {
  const std::string text = "q1 [rad] \u00e9 \u20ac \U0001F600 \U0010FFFF";
  EXPECT_EQ(replace_invalid_utf8(text), text);
  EXPECT_EQ(replace_invalid_utf8(std::string("a\0b", 3)), std::string("a\0b", 3));
}

TEST(Utf, EachBrokenPieceBecomesOneReplacement) {
  EXPECT_EQ(replace_invalid_utf8("a\xFFz"), "a\uFFFDz");
  EXPECT_EQ(replace_invalid_utf8("\xE2\x82z"), "\uFFFDz");                  // cut short
  EXPECT_EQ(replace_invalid_utf8("\xE2\x82"), "\uFFFD");                    // at the end
  EXPECT_EQ(replace_invalid_utf8("\xC0\x80"), "\uFFFD\uFFFD");              // overlong
  EXPECT_EQ(replace_invalid_utf8("\xED\xA0\x80"), "\uFFFD\uFFFD\uFFFD");    // a surrogate
  EXPECT_EQ(replace_invalid_utf8("\xF4\x90\x80\x80").size(), 4 * 3u);       // too large
  EXPECT_EQ(replace_invalid_utf8("\xF0\x9F\xE2\x82\xAC"), "\uFFFD\u20ac");  // begins anew
}

// What is replaced before a file is written is what the JSON writer would replace.
TEST(Utf, ReplacesWhatTheJsonWriterReplaces) {
  const std::uint64_t seed = 20;
  SCOPED_TRACE(seed);
  Random random(seed);
  // Bytes at the borders of the rules, so that most random texts come near them.
  const unsigned char borders[] = {0x00, 0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0,
                                   0xBF, 0xC0, 0xC1, 0xC2, 0xDF, 0xE0, 0xE1, 0xEC,
                                   0xED, 0xEF, 0xF0, 0xF3, 0xF4, 0xF5, 0xFF};
  for (int round = 0; round < 20000; ++round) {
    std::string text;
    for (auto length = random.below(8); length > 0; --length)
      text += static_cast<char>(random.below(4) == 0 ? random.below(256)
                                                     : borders[random.below(sizeof borders)]);
    const auto dump = [](const std::string& t) {
      return nlohmann::json(t).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    };
    ASSERT_EQ(dump(replace_invalid_utf8(text)), dump(text)) << ::testing::PrintToString(text);
    ASSERT_NO_THROW((void)nlohmann::json(replace_invalid_utf8(text)).dump());
  }
}

}  // namespace
}  // namespace mechfit
