#include "mechfit/log/fingerprint.h"

#include <gtest/gtest.h>

#include "tests/support/random_log.h"

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

TEST(Fingerprint, OfTwoLogsTellsWhichRunsValidate) {
  Random random(2);
  Log log = random_log(random, false);
  while (log.runs.size() < 2) log = random_log(random, false);
  Log first = log, second = log;
  first.runs.pop_back();
  second.runs.assign({log.runs.back()});
  EXPECT_EQ(fingerprint(first, second), fingerprint(first, second));
  EXPECT_EQ(fingerprint(first, std::nullopt), fingerprint(first));
  EXPECT_NE(fingerprint(first, second), fingerprint(first));
  EXPECT_NE(fingerprint(first, second), fingerprint(log));
  EXPECT_NE(fingerprint(first, second), fingerprint(second, first));
}

}  // namespace
}  // namespace mechfit
