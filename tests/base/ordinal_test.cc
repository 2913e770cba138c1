#include "mechfit/base/ordinal.h"

#include <gtest/gtest.h>

#include "mechfit/base/error.h"

namespace mechfit {
namespace {

TEST(Ordinal, CountsAsEnglishDoes) {
  const char* expected[] = {"0th", "1st", "2nd", "3rd", "4th", "5th", "6th", "7th", "8th", "9th"};
  for (int i = 0; i < 10; ++i) EXPECT_EQ(ordinal(i), expected[i]);
  for (const char* text : {"10th", "11th", "12th", "13th", "14th", "21st", "22nd", "23rd", "24th",
                           "100th", "101st", "111th", "112th", "113th", "122nd", "1013th"})
    EXPECT_EQ(ordinal(std::stoi(text)), text);
  EXPECT_THROW(ordinal(-1), CheckError);
}

}  // namespace
}  // namespace mechfit
