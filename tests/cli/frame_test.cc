#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "mechfit/version.h"
#include "tests/cli/program.h"

namespace mechfit {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

// The names listed under "Subcommands:".
std::vector<std::string> subcommands() {
  std::istringstream help(run_mechfit("--help").out);
  std::vector<std::string> names;
  bool inside = false;
  for (std::string line; std::getline(help, line);) {
    if (inside && (line.empty() || line[0] != ' ')) break;
    if (inside && line[2] != ' ') names.push_back(line.substr(2, line.find(' ', 2) - 2));
    if (line == "Subcommands:") inside = true;
  }
  return names;
}

TEST(CommandLine, SaysItsVersion) {
  const auto finished = run_mechfit("--version");
  EXPECT_EQ(finished.code, 0);
  EXPECT_EQ(finished.out, std::string("mechfit ") + kVersion + "\n");
}

TEST(CommandLine, EverySubcommandHasHelpWithAnExampleAndJson) {
  const auto names = subcommands();
  ASSERT_FALSE(names.empty());
  for (auto name : names) {
    if (name == "study") name = "study paper";
    const auto finished = run_mechfit(name + " --help");
    EXPECT_EQ(finished.code, 0) << name;
    EXPECT_THAT(finished.out, HasSubstr("Example")) << name;
    EXPECT_THAT(finished.out, HasSubstr("mechfit " + name + " ")) << name;
    EXPECT_THAT(finished.out, HasSubstr("--json")) << name;
    EXPECT_EQ(finished.err, "") << name;
  }
}

TEST(CommandLine, WrongUsageIsOneLineAndExitCodeTwo) {
  const struct {
    const char *arguments, *message;
  } cases[] = {
      {"", "mechfit: A subcommand is required (see mechfit --help)\n"},
      {"dance", "mechfit: unknown subcommand 'dance' (see mechfit --help)\n"},
      {"--dance", "mechfit: unknown argument '--dance' (see mechfit --help)\n"},
      {"inspect", "mechfit: files is required (see mechfit inspect --help)\n"},
      {"inspect --dance log.csv",
       "mechfit: unknown argument '--dance' (see mechfit inspect --help)\n"},
      {"inspect --gap 0.5 log.csv",
       "mechfit: --gap: expected a number above 1, or 0, not '0.5' (see mechfit inspect --help)\n"},
      {"inspect --joints round log.csv",
       "mechfit: --joints: 'round', expected one of plain, periodic (see mechfit inspect "
       "--help)\n"},
      {"fit --input-hold cubic log.csv",
       "mechfit: --input-hold: 'cubic', expected one of auto, held, linear (see mechfit fit "
       "--help)\n"},
      {"evaluate model log.csv --input-delay -1",
       "mechfit: --input-delay: expected seconds from 0 to 100, not '-1' (see mechfit evaluate "
       "--help)\n"},
      {"fit log.csv --input-lag nan",
       "mechfit: --input-lag: expected seconds from 0 to 100 or auto, not 'nan' (see mechfit fit "
       "--help)\n"},
  };
  for (const auto& c : cases) {
    const auto finished = run_mechfit(c.arguments);
    EXPECT_EQ(finished.code, 2) << c.arguments;
    EXPECT_EQ(finished.err, c.message);
    EXPECT_EQ(finished.out, "");
  }
}

TEST(CommandLine, WhatCannotBeDoneIsOneLineAndExitCodeOne) {
  const ScratchFolder scratch("frame");
  const std::string log = scratch.file("log.csv");
  write_file_atomically(log, "t,q1\n0,1\n1,x\n");
  const auto bad = run_mechfit("inspect '" + log + "'");
  EXPECT_EQ(bad.code, 1);
  EXPECT_EQ(bad.err, "mechfit: " + log + ":3: column 'q1': \"x\" is not a number\n");
  const auto missing = run_mechfit("inspect /nowhere/log.csv");
  EXPECT_EQ(missing.code, 1);
  EXPECT_EQ(missing.err, "mechfit: /nowhere/log.csv: cannot open: No such file or directory\n");
  const auto broken = run_mechfit("inspect --json /dev/null");
  EXPECT_EQ(broken.code, 1);
  EXPECT_EQ(broken.err, "mechfit: /dev/null: empty file, expected a header line\n");
}

TEST(CommandLine, AnOutputThatCannotBeWrittenIsAnError) {
  ASSERT_TRUE(std::filesystem::exists("/dev/full"));
  const int status = std::system(
      ("sh -c '\"" + std::string(MECHFIT_PROGRAM) + "\" --help >/dev/full 2>/dev/null'").c_str());
  EXPECT_EQ(WEXITSTATUS(status), 1);
}

}  // namespace
}  // namespace mechfit
