#include "mechfit/log/fingerprint.h"

#include <gtest/gtest.h>

#include "tests/files/logs.h"

namespace mechfit {
namespace {

TEST(Fingerprint, ChangesWithAnyNumberAndWithTheSplitIntoRuns) {
  Random random(1);
  Log log = random_log(random, false);
  while (log.runs.size() < 2) log = random_log(random, false);
  const std::string whole = fingerprint(log);
  EXPECT_EQ(whole.size(), 16u);
  EXPECT_EQ(whole, fingerprint(log));
  Log other = log;
  other.runs[1].q.back() = std::nextafter(other.runs[1].q.back(), 0.0);
  EXPECT_NE(fingerprint(other), whole);
  other = log;
  std::swap(other.runs[0].t, other.runs[1].t);
  EXPECT_NE(fingerprint(other), whole);
  other.runs.pop_back();
  EXPECT_NE(fingerprint(other), whole);
  EXPECT_EQ(fingerprint(Log{}), "a8c7f832281a39c5");  // FNV-1a of eight zero bytes
}

}  // namespace
}  // namespace mechfit
