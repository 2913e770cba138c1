#include "mechfit/mechanics/knowledge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "mechfit/base/error.h"
#include "tests/support/logs.h"

namespace mechfit {
namespace {

using namespace mechfit::testing;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

// One joint that swings by +-`swing` around `middle`, at speeds up to `swing`.
Log swinging(JointType type, double middle, double swing) {
  Log log = empty_log(1, type, 1);
  Trajectory run;
  for (int k = 0; k < 1000; ++k) {
    const double t = 0.01 * k;
    run.t.push_back(t);
    run.q.push_back(middle + swing * std::sin(t));
    run.qd.push_back(swing * std::cos(t));
    run.qdd.push_back(-swing * std::sin(t));
    run.u.push_back(0.5 * std::sin(3 * t));
  }
  log.runs.push_back(run);
  return log;
}

double outside(const Knowledge& known, JointType type, double q, double v, double u = 0) {
  return known.region.outside(std::span(&type, 1), std::span(&q, 1), std::span(&v, 1),
                              std::span(&u, 1));
}

TEST(Region, IsWhatTheLogCoveredAndALittleMore) {
  const Knowledge known = knowledge_of(swinging(JointType::plain, 1, 2));
  EXPECT_NEAR(known.region.q_low[0], -1, 1e-3);
  EXPECT_NEAR(known.region.q_high[0], 3, 1e-3);
  EXPECT_NEAR(known.velocity[0], std::sqrt(2.0), 0.1);
  EXPECT_EQ(outside(known, JointType::plain, 3.3, 2.3), 0);
  EXPECT_NEAR(outside(known, JointType::plain, 3 + 4, 0), 1 - 0.15, 1e-3);
  EXPECT_GT(outside(known, JointType::plain, 0, 4), 0);
  EXPECT_GT(outside(known, JointType::plain, 0, 0, 2), 0);
}

TEST(Region, OfAnAngleIsAnArcWhereverItsTurnIsCut) {
  for (const double middle : {0.0, 3.0, 30.0}) {
    const Knowledge known = knowledge_of(swinging(JointType::periodic, middle, 1));
    EXPECT_NEAR(known.region.q_high[0] - known.region.q_low[0], 2, 0.15) << middle;
    for (const double turns : {0.0, -1.0, 5.0}) {
      EXPECT_EQ(outside(known, JointType::periodic, middle + turns * 2 * M_PI + 0.9, 0), 0);
      EXPECT_GT(outside(known, JointType::periodic, middle + turns * 2 * M_PI + M_PI, 0), 0.4);
    }
  }
  const Knowledge all = knowledge_of(swinging(JointType::periodic, 0, 4));
  for (double q = -10; q < 10; q += 0.1) EXPECT_EQ(outside(all, JointType::periodic, q, 0), 0);
}

TEST(Knowledge, SurvivesItsText) {
  Knowledge known = knowledge_of(swinging(JointType::plain, 1, 2));
  known.error = {0.25};
  known.error_time = {0.1};
  const std::string text = format_knowledge(known);
  EXPECT_EQ(format_knowledge(parse_knowledge(text, 1, 1, "file")), text);
  EXPECT_THAT(
      [&] { parse_knowledge(text, 2, 1, "file: knowledge"); },
      ThrowsMessage<InputError>(HasSubstr("file: knowledge: 'q_low' has 1 numbers, expected 2")));
  EXPECT_THAT([&] { parse_knowledge("{\"q_low\": [null]}", 1, 1, "file"); },
              ThrowsMessage<InputError>(HasSubstr("'q_low': expected a list of finite numbers")));
}

}  // namespace
}  // namespace mechfit
