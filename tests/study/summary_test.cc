#include "mechfit/study/summary.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace mechfit {
namespace {

const std::vector<std::string> kMethods = {"del", "acceleration", "next-state"};
constexpr double kInfinity = std::numeric_limits<double>::infinity();

CellRecord record(const std::string& method, double rate, int seed, double error) {
  return {{"undamped", 0.1, method, rate, seed}, CellResult{error, 0, 1, {}}, ""};
}

std::vector<CellRecord> some_records() {
  return {record("acceleration", 1e-3, 0, 12),
          record("acceleration", 1e-3, 1, 11),
          record("acceleration", 1e-3, 2, 16),
          record("del", 1e-3, 0, 10),
          record("del", 1e-3, 1, 12),
          record("del", 1e-3, 2, 5000),
          record("del", 1e-2, 0, 8),
          record("del", 1e-2, 1, kInfinity),
          {{"undamped", 0.1, "del", 1e-2, 2}, {}, "no"}};
}

const StudyBar& bar(const StudySummary& s, const std::string& method, double rate) {
  for (const StudyBar& b : s.bars)
    if (b.method == method && b.rate == rate) return b;
  throw std::runtime_error("no such bar");
}

TEST(Summary, GivesMeanAndStandardErrorOfTheRunsThatCount) {
  const StudySummary s = summarise(some_records(), kMethods, true);
  const StudyBar& acceleration = bar(s, "acceleration", 1e-3);
  EXPECT_DOUBLE_EQ(acceleration.mean, 13);
  EXPECT_DOUBLE_EQ(acceleration.error, std::sqrt((1 + 4 + 9) / 2.0 / 3.0));
  EXPECT_EQ(acceleration.counted, 3);
  EXPECT_EQ(acceleration.published, 80);
  const StudyBar& del = bar(s, "del", 1e-3);
  EXPECT_DOUBLE_EQ(del.mean, 11);
  EXPECT_EQ(del.counted, 2);
  EXPECT_EQ(del.left_out, 1);
  const StudyBar& fast = bar(s, "del", 1e-2);
  EXPECT_DOUBLE_EQ(fast.mean, 8);
  EXPECT_TRUE(std::isnan(fast.error));
  EXPECT_EQ(fast.left_out, 1);
  EXPECT_EQ(fast.failed, 1);
  EXPECT_EQ(s.finished, 8);
  EXPECT_EQ(s.failed, 1);
  EXPECT_EQ(s.left_out, 2);
}

TEST(Summary, OrdersBarsByRateThenMethod) {
  const StudySummary s = summarise(some_records(), kMethods, false);
  ASSERT_EQ(s.bars.size(), 3u);
  EXPECT_EQ(s.bars[0].method, "del");
  EXPECT_EQ(s.bars[1].method, "acceleration");
  EXPECT_EQ(s.bars[2].rate, 1e-2);
  EXPECT_FALSE(s.bars[0].published);
}

TEST(Summary, PairsMethodsSeedBySeedWhereBothCount) {
  const StudySummary s = summarise(some_records(), kMethods, false);
  ASSERT_EQ(s.pairs.size(), 2u);
  const StudyPair& same = s.pairs[0];  // seeds 0 and 1: 10 - 12, 12 - 11
  EXPECT_EQ(same.first, "del");
  EXPECT_EQ(same.second, "acceleration");
  EXPECT_EQ(same.rate, 1e-3);
  EXPECT_EQ(same.pairs, 2);
  EXPECT_DOUBLE_EQ(same.difference, -0.5);
  EXPECT_DOUBLE_EQ(same.error, 1.5);
  const StudyPair& best = s.pairs[1];  // DEL does best at 1e-2: 8 - 12
  EXPECT_EQ(best.rate, StudyPair::kBest);
  EXPECT_EQ(best.pairs, 1);
  EXPECT_DOUBLE_EQ(best.difference, -4);
}

TEST(Summary, TablesAreTidy) {
  const auto records = some_records();
  const StudySummary s = summarise(records, kMethods, true);
  const std::string results = results_csv(records);
  EXPECT_NE(results.find("undamped,0.1,del,1e-3,2,5000,0,1,left out\n"), std::string::npos);
  EXPECT_NE(results.find("undamped,0.1,del,1e-2,1,inf,0,1,left out\n"), std::string::npos);
  EXPECT_NE(results.find("undamped,0.1,del,1e-2,2,,,,failed\n"), std::string::npos);
  EXPECT_EQ(std::count(results.begin(), results.end(), '\n'), 10);
  EXPECT_NE(summary_csv(s).find("undamped,0.1,del,1e-2,8,,1,1,1,58\n"), std::string::npos);
  EXPECT_NE(paired_csv(s).find("undamped,0.1,best,del,acceleration,-4,,1\n"), std::string::npos);
}

}  // namespace
}  // namespace mechfit
