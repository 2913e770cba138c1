#include "mechfit/files/csv.h"

#include <gtest/gtest.h>

#include <cmath>

#include "mechfit/base/error.h"
#include "mechfit/log/origin.h"

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
      "t,x_m,theta_rad\n0,1,2\n1,3,4\n",                      // a cart and a pole
      "t q1  q2\n0 1 2 \n 1  3 4\n",                          // spaces
      "# t q1 q2\n0 1 2\n1 3 4\n",                            // numpy.savetxt as it is
  };
  for (const auto& text : dresses) {
    const Log log = parse(text).log;
    ASSERT_EQ(log.runs.size(), 1u) << text;
    EXPECT_EQ(log.runs[0].t, (Values{0, 1})) << text;
    EXPECT_EQ(log.runs[0].q, (Values{1, 2, 3, 4})) << text;
    EXPECT_TRUE(log.runs[0].u.empty());
  }
}

TEST(Csv, ReadsWhatPlotJugglerExports) {
  const auto parsed = parse(
      "__time,/joint_states/arm10/effort,/joint_states/arm10/position,/joint_states/arm2/effort,"
      "/joint_states/arm2/position,/desired/arm2/position\n"
      "1700000000.25,1,2,3,4,0\n1700000000.5,,,,,7\n1700000000.75,5,6,7,8,0\n");
  const Log& log = parsed.log;
  EXPECT_EQ(log.channels.joints, (std::vector<std::string>{"arm2", "arm10"}));
  EXPECT_EQ(log.channels.inputs,
            (std::vector<std::string>{"/joint_states/arm2/effort", "/joint_states/arm10/effort"}));
  EXPECT_EQ(log.runs[0].t, (Values{1700000000.25, 1700000000.75}));
  EXPECT_EQ(log.runs[0].q, (Values{4, 2, 8, 6}));
  EXPECT_EQ(log.runs[0].u, (Values{3, 1, 7, 5}));
  EXPECT_EQ(parsed.notes.back(),
            "log.csv: left out 1 of 3 rows, which have none of these columns (first on line 3)");
}

TEST(Csv, ReadsWhatRostopicEchoesAndWhatBagpyWrites) {
  const Log echoed =
      parse(
          "%time,field.header.seq,field.header.stamp,field.header.frame_id,field.name0,field.name1,"
          "field.position0,field.position1,field.velocity0,field.velocity1,field.effort0,"
          "field.effort1\n"
          "1700000000000000512,1,1700000000000000256,base,a,b,1,2,3,4,5,6\n"
          "1700000001000000512,2,1700000001000000256,base,a,b,7,8,9,10,11,12\n")
          .log;
  const Log bag = parse(
                      "Time,header.seq,header.stamp.secs,header.stamp.nsecs,header.frame_id,name_0,"
                      "name_1,position_0,position_1,velocity_0,velocity_1,effort_0,effort_1\n"
                      "1700000000.1,1,1700000000,250000000,base,a,b,1,2,3,4,5,6\n"
                      "1700000001.1,2,1700000001,250000000,base,a,b,7,8,9,10,11,12\n")
                      .log;
  for (const Log* log : {&echoed, &bag}) {
    EXPECT_EQ(log->channels.joints, (std::vector<std::string>{"joint0", "joint1"}));
    EXPECT_EQ(log->runs[0].q, (Values{1, 2, 7, 8}));
    EXPECT_EQ(log->runs[0].qd, (Values{3, 4, 9, 10}));
    EXPECT_EQ(log->runs[0].u, (Values{5, 6, 11, 12}));
  }
  EXPECT_NEAR(echoed.runs[0].t[1] - echoed.runs[0].t[0], 1, 1e-6);
  EXPECT_EQ(bag.runs[0].t, (Values{1700000000.25, 1700000001.25}));
}

TEST(Csv, NamesOfTheOptionsAreThoseOfAFileWithoutAHeader) {
  ReadOptions options;
  options.columns = {"t", "q1", "spare", "u1"};
  const Log log = parse("0,1,x,3\n1,4,y,6\n", options).log;
  EXPECT_EQ(log.runs[0].q, (Values{1, 4}));
  EXPECT_EQ(log.runs[0].u, (Values{3, 6}));
  EXPECT_EQ(log.runs[0].origin.stretches[0].line, 1);
}

TEST(Csv, NoInputsWhereNoneIsAskedFor) {
  ReadOptions options;
  options.u = {"none"};
  EXPECT_EQ(parse("t,q1,u1\n0,1,nan\n1,4,nan\n", options).log.m(), 0);
}

TEST(Csv, ColumnsThatAreNotUsedAreKnown) {
  const Log log = parse("t,q1,x_m,tau1\n0,1,2,3\n").log;
  EXPECT_EQ(log.channels.unused, (std::vector<std::string>{"x_m", "tau1"}));
}

TEST(Csv, EverySampleKnowsItsLine) {
  const Log log = parse("# made\nrun,t,q1\na,0,1\nb,0,2\n\na,1,3\na,2,4\nb,1,5\n").log;
  const auto lines = [](const Trajectory& run) {
    std::vector<std::string> out;
    for (int k = 0; k < run.size(); ++k) out.push_back(place_of(run, k));
    return out;
  };
  EXPECT_EQ(lines(log.runs[0]), (std::vector<std::string>{"log.csv:3", "log.csv:6", "log.csv:7"}));
  EXPECT_EQ(lines(log.runs[1]), (std::vector<std::string>{"log.csv:4", "log.csv:8"}));
  EXPECT_EQ(log.runs[0].origin.stretches.size(), 2u);
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
      parse("t,q1,q2\n0,1,0\n1,x,0\n2,nan,0\n3\n3,1e999,0\n4,\"\n5,y,0\n6,,0\n6,2,0\n", options);
  EXPECT_EQ(parsed.log.runs[0].t, (Values{0, 6}));
  EXPECT_EQ(parsed.log.runs[0].q, (Values{1, 0, 2, 0}));
  EXPECT_EQ(
      parsed.notes.back(),
      "log.csv: dropped 7 of 9 rows: 1 with a wrong number of fields (first on line 5), "
      "1 with an open quote (first on line 7), 1 with an empty field (first on line 9), "
      "2 with text in a number (first on line 3), 1 with a NaN or infinity (first on line 4), "
      "1 with a number too large (first on line 6)");
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
