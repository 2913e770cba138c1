#include "mechfit/files/files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "mechfit/base/error.h"
#include "mechfit/files/outputs.h"
#include "mechfit/files/read_log.h"
#include "tests/support/scratch_folder.h"

namespace mechfit {
namespace {

namespace fs = std::filesystem;

template <class F>
std::string message_of(F f) {
  try {
    f();
  } catch (const InputError& e) {
    return e.what();
  }
  return "no error";
}

long files_in(const fs::path& folder) {
  return std::distance(fs::directory_iterator(folder), fs::directory_iterator());
}

TEST(Files, ComeBackAsTheyWereWritten) {
  const ScratchFolder scratch("files");
  const std::string bytes("a\0b\r\n\xFF", 6);
  write_file_atomically(scratch.file("x"), "old");
  write_file_atomically(scratch.file("x"), bytes);
  EXPECT_EQ(read_file(scratch.file("x")), bytes);
  EXPECT_EQ(files_in(scratch.path()), 1);
}

TEST(Files, AFailedWriteLeavesNothingBehind) {
  const ScratchFolder scratch("files");
  fs::create_directories(scratch.path() / "folder" / "full");
  const std::string target = scratch.file("folder");
  EXPECT_EQ(message_of([&] { write_file_atomically(target, "x"); }),
            target + ": cannot write: Is a directory");
  EXPECT_EQ(files_in(scratch.path()), 1);
  const std::string nowhere = scratch.file("none/x.csv");
  EXPECT_EQ(message_of([&] { write_file_atomically(nowhere, "x"); }),
            nowhere + ": cannot write: No such file or directory");
}

TEST(Files, AFullDeviceIsAnError) {
  ASSERT_TRUE(fs::exists("/dev/full"));
  EXPECT_EQ(message_of([] { write_file_atomically("/dev/full", "x"); }),
            "/dev/full: cannot write: No space left on device");
}

TEST(Files, AreOverwrittenOnlyByForce) {
  const ScratchFolder scratch("files");
  const std::string path = scratch.file("x");
  refuse_overwrite(path, false);
  write_file_atomically(path, "x");
  refuse_overwrite(path, true);
  EXPECT_EQ(message_of([&] { refuse_overwrite(path, false); }),
            path + ": exists already (option 'overwrite' replaces it)");
}

TEST(Files, MissingOnesAndFoldersSaySo) {
  EXPECT_EQ(message_of([] { read_file("/nowhere/log.csv"); }),
            "/nowhere/log.csv: cannot open: No such file or directory");
  EXPECT_EQ(message_of([] { read_file("/"); }), "/: is a folder, expected a file");
}

TEST(Files, PatternsAreExpandedInOrder) {
  const ScratchFolder scratch("files");
  for (const char* name : {"b.csv", "a.csv", "c.txt", "[x].csv"})
    write_file_atomically(scratch.file(name), "x");
  EXPECT_EQ(expand_globs({scratch.file("[ab].csv"), scratch.file("[x].csv")}),
            (std::vector<std::string>{scratch.file("a.csv"), scratch.file("b.csv"),
                                      scratch.file("[x].csv")}));
  const std::string none = scratch.file("*.npz");
  EXPECT_EQ(message_of([&] { expand_globs({none}); }), none + ": no file matches this pattern");
  EXPECT_EQ(message_of([] { expand_globs({}); }), "no file was named, expected at least one");
}

TEST(ReadLog, EachFileIsARunAndNotesAreToldOnce) {
  const ScratchFolder scratch("logs");
  const std::string text = "t,th_rad\n0,1\n1,2\n2,3\n";
  write_file_atomically(scratch.file("a.csv"), text);
  write_file_atomically(scratch.file("b.csv"), text);
  const auto result = read_log({scratch.file("*.csv")});
  ASSERT_EQ(result.log.runs.size(), 2u);
  EXPECT_EQ(result.log.runs[0].name, "a");
  EXPECT_EQ(result.log.runs[1].name, "b");
  EXPECT_EQ(result.notes,
            (std::vector<std::string>{
                "columns: time t; joints th_rad",
                "joints taken as th periodic (option 'joint_types' says otherwise)"}));
}

TEST(ReadLog, FilesMustAgree) {
  const ScratchFolder scratch("logs");
  write_file_atomically(scratch.file("a.csv"), "t,q1\n0,1\n1,2\n2,3\n");
  write_file_atomically(scratch.file("b.csv"), "t,q1,q2\n0,1,1\n1,2,1\n2,3,1\n");
  write_file_atomically(scratch.file("c.csv"), "t,q1,u1\n0,1,1\n1,2,1\n2,3,1\n");
  const std::string a = scratch.file("a.csv"), b = scratch.file("b.csv"), c = scratch.file("c.csv");
  EXPECT_EQ(message_of([&] { read_log({a, b}); }), b + ": joints q1, q2, expected q1 as in " + a);
  EXPECT_EQ(message_of([&] { read_log({a, c}); }), c + ": inputs u1, expected none as in " + a);
}

TEST(ReadLog, AFileOfAnyOtherNameIsRecognisedByItsContent) {
  const ScratchFolder scratch("logs");
  write_file_atomically(scratch.file("a.csv"), "t,q1\n0,1\n1,2\n2,4\n");
  const Log log = read_log({scratch.file("a.csv")}).log;
  write_log(scratch.file("a.npz"), log);
  for (const char* from : {"a.csv", "a.npz"}) {
    write_file_atomically(scratch.file("record"), read_file(scratch.file(from)));
    EXPECT_EQ(read_log({scratch.file("record")}).log.runs[0].q, log.runs[0].q) << from;
  }
}

TEST(ReadLog, ALogWithoutThreeSamplesIsAnError) {
  const ScratchFolder scratch("logs");
  const std::string path = scratch.file("a.csv");
  write_file_atomically(path, "t,q1\n0,1\n1,2\n");
  EXPECT_EQ(message_of([&] { read_log({path}); }), path + ": no run of three samples or more");
  EXPECT_EQ(message_of([&] { write_log("out.txt", Log()); }),
            "out.txt: cannot tell the format, expected a name ending in .csv or .npz");
}

TEST(ReadLog, StepsAndNumbersOfNoMachineAreRefused) {
  const ScratchFolder scratch("logs");
  const std::string path = scratch.file("a.csv");
  write_file_atomically(path, "t,q1\n0,1\n1e-308,2\n2e-308,3\n3e-308,4\n");
  EXPECT_EQ(message_of([&] { read_log({path}); }),
            path + ": run 'a', sample 2: time is less than 1e-12 s after the sample before");
  write_file_atomically(path, "t,q1\n0,1\n1,1e308\n2,4\n");
  EXPECT_EQ(message_of([&] { read_log({path}); }),
            path + ":3: column 'q1': \"1e308\" is too large, expected at most 1e50");
}

TEST(Outputs, AFullDiskIsSaidBeforeTheWork) {
  const ScratchFolder scratch("outputs");
  expect_space(scratch.file("not/there/yet"), 1);
  EXPECT_THAT(message_of([&] { expect_space(scratch.file("x"), 1e19); }),
              ::testing::HasSubstr("the disk is nearly full: "));
}

}  // namespace
}  // namespace mechfit
