#include <gtest/gtest.h>

#include "mechfit/base/error.h"
#include "mechfit/files/csv.h"
#include "mechfit/log/prepare.h"

// Each malformed file with the one line a user gets.
namespace mechfit {
namespace {

const std::string kMend =
    " (option 'reclock' mends stamps that jitter, option 'drop_bad_rows' leaves such rows out)";

struct Case {
  const char* name;
  std::string text;
  std::string message;
  ReadOptions options = {};
};

ReadOptions with(void (*set)(ReadOptions&)) {
  ReadOptions options;
  set(options);
  return options;
}

std::vector<Case> cases() {
  const std::string good = "t,q1,q2\n0,1,2\n0.1,1,2\n";
  return {
      {"empty", "", "log.csv: empty file, expected a header line"},
      {"blank", "\n \n\t\n", "log.csv: only comments and blank lines, expected a header line"},
      {"comments", "# a\n% b\n", "log.csv: only comments and blank lines, expected a header line"},
      {"header only", "t,q1\n", "log.csv: no rows below the header"},
      {"header and comments", "t,q1\n# end\n", "log.csv: no rows below the header"},
      {"no header", "0,1\n1,2\n",
       "log.csv:1: numbers in the first line, expected column names (option 'columns' names the "
       "columns of a file without a header)"},
      {"no header, wrong comment", "# one,two,three\n0,1\n1,2\n",
       "log.csv:2: numbers in the first line, expected column names (option 'columns' names the "
       "columns of a file without a header)"},
      {"UTF-16", "\xFF\xFEt", "log.csv: UTF-16 text, expected UTF-8"},
      {"UTF-16 big endian", std::string("\xFE\xFF\0t", 4), "log.csv: UTF-16 text, expected UTF-8"},
      {"UTF-16 without its mark", std::string("t\0,\0q\0\n\0", 8),
       "log.csv: zero bytes in the first line, expected text in UTF-8"},
      {"gzip", "\x1F\x8B\x08", "log.csv: a compressed file, expected CSV text"},
      {"zip", "PK\x03\x04", "log.csv: a compressed file, expected CSV text"},
      {"CR alone", "t,q1\r0,1\r1,2\r", "log.csv: lines end in CR alone, expected LF or CRLF"},
      {"no time", "a,q1\n0,1\n",
       "log.csv:1: no column looks like time, found a, q1; name it with option 'time'"},
      {"no joint", "t,a\n0,1\n",
       "log.csv:1: no column looks like a joint (q1, q2 ... or a name ending in _rad), found t, a; "
       "name them with option 'q'"},
      {"names and a header", good,
       "log.csv:1: names in the first line, option 'columns' is for files without a header",
       with([](ReadOptions& o) {
         o.columns = {"t", "q1", "q2"};
       })},
      {"too few names", "0,1,2\n1,2,3\n", "log.csv:1: 3 fields, option 'columns' names 2",
       with([](ReadOptions& o) {
         o.columns = {"t", "q1"};
       })},
      {"unknown time", good, "log.csv:1: no column 'time', found t, q1, q2",
       with([](ReadOptions& o) { o.time = "time"; })},
      {"unknown joint", good, "log.csv:1: no column 'th1', found t, q1, q2",
       with([](ReadOptions& o) { o.q = {"th1"}; })},
      {"unknown input", good, "log.csv:1: no column 'tau', found t, q1, q2",
       with([](ReadOptions& o) { o.u = {"tau"}; })},
      {"unknown trajectory", good, "log.csv:1: no column 'run', found t, q1, q2",
       with([](ReadOptions& o) { o.trajectory = "run"; })},
      {"column used twice", good, "log.csv:1: column 'q1' is chosen twice",
       with([](ReadOptions& o) {
         o.q = {"q1", "q1"};
       })},
      {"joint as input", good, "log.csv:1: column 'q2' is chosen twice", with([](ReadOptions& o) {
         o.q = {"q1", "q2"};
         o.u = {"q2"};
       })},
      {"two columns of a name", "t,q1,q1\n0,1,2\n",
       "log.csv:1: two columns for 'q1', choose with option 'q'"},
      {"chosen name twice", "t,a,a\n0,1,2\n", "log.csv:1: column 'a' appears twice",
       with([](ReadOptions& o) { o.q = {"a"}; })},
      {"hole in the joints", "t,q1,q3\n0,1,2\n",
       "log.csv:1: columns 'q1', 'q2' ... have a hole before 'q3', choose with option 'q'"},
      {"joints from two", "t,q2,q3\n0,1,2\n",
       "log.csv:1: columns 'q1', 'q2' ... have a hole before 'q2', choose with option 'q'"},
      {"too few velocities", "t,q1,q2,v\n0,1,2,3\n",
       "log.csv:1: option 'qd' names 1 columns, expected one for each of the 2 joints",
       with([](ReadOptions& o) { o.qd = {"v"}; })},
      {"open quote in the header", "t,\"q1\n0,1\n", "log.csv:1: quote is not closed"},
      {"open quote", "t,q1\n0,\"1\n", "log.csv:2: quote is not closed"},
      {"few fields", "t,q1,q2\n0,1\n", "log.csv:2: 2 fields, expected 3 as in the header"},
      {"many fields", "t,q1,q2\n0,1,2,3\n", "log.csv:2: 4 fields, expected 3 as in the header"},
      {"trailing delimiter", "t,q1,q2\n0,1,2,\n",
       "log.csv:2: 4 fields, expected 3 as in the header"},
      {"cut short", "t,q1,q2\n0,1,2\n0.1,1", "log.csv:3: 2 fields, expected 3 as in the header"},
      {"text", "t,q1\n0,abc\n", "log.csv:2: column 'q1': \"abc\" is not a number"},
      {"half a number", "t,q1\n0,1\n1,1.2e\n", "log.csv:3: column 'q1': \"1.2e\" is not a number"},
      {"two numbers", "t,q1\n0,1 2\n", "log.csv:2: column 'q1': \"1 2\" is not a number"},
      {"two signs", "t,q1\n0,+-1\n", "log.csv:2: column 'q1': \"+-1\" is not a number"},
      {"hexadecimal", "t,q1\n0,0x1F\n", "log.csv:2: column 'q1': \"0x1F\" is not a number"},
      {"decimal comma", "t;q1\n0;1,5\n",
       "log.csv:2: column 'q1': \"1,5\" is not a number, expected a decimal point instead of a "
       "comma"},
      {"control characters", std::string("t,q1\n0,a\0\x1B\n", 10),
       "log.csv:2: column 'q1': \"a\\x00\\x1b\" is not a number"},
      {"long text", "t,q1\n0," + std::string(100, 'x') + "\n",
       "log.csv:2: column 'q1': \"" + std::string(40, 'x') + "...\" is not a number"},
      {"empty field", "t,q1\n0,\n", "log.csv:2: column 'q1': empty, expected a number"},
      {"blank field", "t,q1\n0,  \n", "log.csv:2: column 'q1': empty, expected a number"},
      {"NaN", "t,q1\n0,nan\n", "log.csv:2: column 'q1': \"nan\", expected a finite number"},
      {"infinity", "t,q1\n0,-inf\n", "log.csv:2: column 'q1': \"-inf\", expected a finite number"},
      {"NaN in time", "t,q1\nNaN,0\n", "log.csv:2: column 't': \"NaN\", expected a finite number"},
      {"too large", "t,q1\n0,1e999\n",
       "log.csv:2: column 'q1': \"1e999\" is too large, expected at most 1e50"},
      {"much too large", "t,q1\n0,-1e99999999999999999999\n",
       "log.csv:2: column 'q1': \"-1e99999999999999999999\" is too large, expected at most 1e50"},
      {"time repeated", "t,q1\n0,1\n0,2\n", "log.csv:3: time 0 is repeated" + kMend},
      {"time goes back", "t,q1\n1,1\n0.5,2\n", "log.csv:3: time 0.5 goes back from 1" + kMend},
      {"time goes back later in its run", "run,t,q1\na,1,1\nb,0,1\na,0.5,1\n",
       "log.csv:4: time 0.5 goes back from 1" + kMend},
      {"stamps of another clock", "t,q1\n1,1\n1,2\n2,2\n2,3\n",
       "log.csv:3: time 1 is repeated, the first of 2 such rows" + kMend},
      {"time goes far back", "t,q1\n100,1\n101,2\n102,2\n0,3\n",
       "log.csv:5: time goes back from 102 to 0, farther than jitter explains",
       with([](ReadOptions& o) { o.reclock = true; })},
      {"empty run name", "run,t,q1\n,1,1\n",
       "log.csv:2: column 'run': empty, expected the name of a run"},
      {"line numbers count everything", "# a\r\n\r\nt,q1\r\n# b\r\n0,1\r\n\r\n1,x\r\n",
       "log.csv:7: column 'q1': \"x\" is not a number"},
      {"bad input", "t,q1,u1\n0,1,off\n", "log.csv:2: column 'u1': \"off\" is not a number"},
      {"nothing good", "t,q1\n0,x\n1,y\n", "log.csv: no good row among 2",
       with([](ReadOptions& o) { o.drop_bad_rows = true; })},
      {"too many types", "t,q1\n0,1\n1,2\n2,3\n",
       "option 'joint_types' gives 2 types, expected 1 or 1, one for each joint",
       with([](ReadOptions& o) {
         o.joint_types = {JointType::plain, JointType::plain};
       })},
  };
}

TEST(MalformedCsv, EachGivesItsOneLineMessage) {
  EXPECT_GE(cases().size(), 40u);
  for (const auto& c : cases()) {
    std::string message = "no error";
    try {
      std::vector<std::string> notes;
      Log log = parse_csv(c.text, "log.csv", c.options, notes);
      prepare_log(log, c.options, notes);
    } catch (const InputError& e) {
      message = e.what();
    }
    EXPECT_EQ(message, c.message) << c.name;
  }
}

}  // namespace
}  // namespace mechfit
