#include "mechfit/files/csv.h"

#include <gtest/gtest.h>

#include <cmath>

#include "mechfit/base/error.h"

namespace mechfit {
namespace {

using Values = std::vector<double>;

struct Parsed {
  Log log;
  std::vector<std::string> notes;
};

Parsed parse(const std::string& text, const ReadOptions& options = {}) {
  Parsed out;
  out.log = parse_csv(text, "log.csv", options, out.notes);
  return out;
}

TEST(Csv, TheSameTableInEveryDress) {
  const std::string dresses[] = {
      "t,q1,q2\n0,1,2\n1,3,4\n",                              // plain
      "t,q1,q2\n0,1,2\n1,3,4",                                // no last newline
      "t,q1,q2\r\n0,1,2\r\n1,3,4\r\n",                        // CRLF
      "\xEF\xBB\xBFt,q1,q2\n0,1,2\n1,3,4\n",                  // BOM
      "t;q1;q2\n0;1;2\n1;3;4\n",                              // semicolons
      "t\tq1\tq2\n0\t1\t2\n1\t3\t4\n",                        // tabs
      "\"t\",\"q1\",\"q2\"\n\"0\",1,2\n1,\"3\",\"4\"\n",      // quotes
      "# made by hand\nt,q1,q2\n\n0,1,2\n# middle\n1,3,4\n",  // comments, blank lines
      " t , q1 , q2 \n 0 , 1 , 2 \n +1 , +3.0 , 4e0\n",       // spaces, plus signs
      "q2,t,q1\n2,0,1\n4,1,3\n",                              // another order
      "t,q1,q2,name\n0,1,2,\"a,b\"\n1,3,4,c\n",               // text nobody uses
      "# t,q1,q2\n0,1,2\n1,3,4\n",                            // numpy.savetxt
      "time,q1_rad,q2 [rad]\n0,1,2\n1,3,4\n",                 // units
      "t_ms,q1,q2\n0,1,2\n1000,3,4\n",                        // milliseconds
      "t,q0,q1\n0,1,2\n1,3,4\n",                              // counted from 0
      "t_s,th1_rad,th2_rad,dth1_rad_s\n0,1,2,5\n1,3,4,5\n",   // by unit
  };
  for (const auto& text : dresses) {
    const Log log = parse(text).log;
    ASSERT_EQ(log.runs.size(), 1u) << text;
    EXPECT_EQ(log.runs[0].t, (Values{0, 1})) << text;
    EXPECT_EQ(log.runs[0].q, (Values{1, 2, 3, 4})) << text;
    EXPECT_TRUE(log.runs[0].u.empty());
  }
}

TEST(Csv, FlagsChooseTheColumns) {
  ReadOptions options;
  options.time = "clock";
  options.q = {"b", "a"};
  options.u = {"force"};
  options.trajectory = "who";
  options.qd = {"vb", "va"};
  const Log log =
      parse("who,clock,a,b,va,vb,force\nx,0,1,2,3,4,5\ny,0,6,7,8,9,10\nx,1,11,12,13,14,15\n",
            options)
          .log;
  ASSERT_EQ(log.runs.size(), 2u);
  EXPECT_EQ(log.runs[0].name, "x");
  EXPECT_EQ(log.runs[0].t, (Values{0, 1}));
  EXPECT_EQ(log.runs[0].q, (Values{2, 1, 12, 11}));
  EXPECT_EQ(log.runs[0].qd, (Values{4, 3, 14, 13}));
  EXPECT_EQ(log.runs[1].u, (Values{10}));
  EXPECT_EQ(log.channels.joints, (std::vector<std::string>{"b", "a"}));
  EXPECT_EQ(log.channels.inputs, (std::vector<std::string>{"force"}));
}

TEST(Csv, FindsInputsVelocitiesAndUnitsByName) {
  const Log log = parse("t,q_m,u_V,qd,qdd\n0,1,2,3,4\n").log;
  EXPECT_EQ(log.channels.joints, (std::vector<std::string>{"q"}));
  EXPECT_EQ(log.channels.units, (std::vector<std::string>{"m"}));
  EXPECT_EQ(log.channels.inputs, (std::vector<std::string>{"u_V"}));
  EXPECT_EQ(log.runs[0].qd, (Values{3}));
  EXPECT_EQ(log.runs[0].qdd, (Values{4}));
}

TEST(Csv, SaysWhatItGuessed) {
  const auto parsed = parse("t_s,th1_rad,th2_rad,dth1,u1\n0,1,2,3,4\n");
  ASSERT_EQ(parsed.notes.size(), 1u);
  EXPECT_EQ(parsed.notes[0],
            "columns: time t_s; joints th1_rad, th2_rad; inputs u1; not used dth1");
}

TEST(Csv, DropsBadRowsAndCountsThemByKind) {
  ReadOptions options;
  options.drop_bad_rows = true;
  const auto parsed =
      parse("t,q1\n0,1\n1,x\n2,nan\n3\n3,1e999\n0,5\n4,\"\n5,y\n6,\n6,2\n", options);
  EXPECT_EQ(parsed.log.runs[0].t, (Values{0, 6}));
  EXPECT_EQ(parsed.log.runs[0].q, (Values{1, 2}));
  EXPECT_EQ(
      parsed.notes.back(),
      "log.csv: dropped 8 of 10 rows: 1 with a wrong number of fields (first on line 5), "
      "1 with an open quote (first on line 8), 1 with an empty field (first on line 10), "
      "2 with text in a number (first on line 3), 1 with a NaN or infinity (first on line 4), "
      "1 with a number too large (first on line 6), "
      "1 with time not increasing (first on line 7)");
}

TEST(Csv, NumbersTooSmallForADoubleAreZero) {
  const auto q = parse("t,q1\n0,1e-999\n1,-0." + std::string(400, '0') + "1\n").log.runs[0].q;
  EXPECT_EQ(q, (Values{0.0, 0.0}));
  EXPECT_TRUE(std::signbit(q[1]));
}

TEST(Csv, ControlCharactersAreNoPartOfARunsName) {
  const std::string rows = std::string("run\tt\tq1\na\t0\t1\na") + '\0' + "\t1\t2\na b\t2\t3\n";
  const Log log = parse(rows).log;
  ASSERT_EQ(log.runs.size(), 2u);
  EXPECT_EQ(log.runs[0].name, "a");
  EXPECT_EQ(log.runs[0].t, (Values{0, 1}));
}

TEST(Csv, UnevenStepsStayAsTheyAre) {
  EXPECT_EQ(parse("t,q1\n0,1\n0.1,1\n0.35,1\n0.36,1\n").log.runs[0].t,
            (Values{0, 0.1, 0.35, 0.36}));
}

TEST(Csv, WritesQuotesAroundNamesThatNeedThem) {
  Log log;
  log.channels.joints = {"q"};
  log.channels.units = {"mm"};
  log.runs.resize(1);
  log.runs[0] = {"a \"b\", c\n", {0.5}, {0.1}, {}, {}, {}, {}, {}, {}};
  EXPECT_EQ(format_csv(log), "trajectory,t,q1_mm\n\"a \"\"b\"\", c \",0.5,0.1\n");
}

}  // namespace
}  // namespace mechfit
