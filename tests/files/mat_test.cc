#include "mechfit/files/mat.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "mechfit/base/error.h"
#include "mechfit/files/files.h"
#include "mechfit/files/npz_log.h"
#include "mechfit/files/read_log.h"

// Files that scipy wrote: tests/data/mat/make.
namespace mechfit {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string path(const std::string& name) {
  return std::string(MECHFIT_TEST_DATA) + "/mat/" + name + ".mat";
}

void expect_the_motion(const Log& log, double input_tolerance = 0) {
  ASSERT_EQ(log.runs.size(), 1u);
  const Trajectory& run = log.runs[0];
  ASSERT_EQ(run.size(), 12);
  for (int k = 0; k < 12; ++k) {
    const double t = 0.25 * k;
    EXPECT_DOUBLE_EQ(run.t[k], t);
    EXPECT_NEAR(run.q[2 * k], std::cos(t), 1e-15);
    EXPECT_EQ(run.q[2 * k + 1], 0.5 * t);
    EXPECT_NEAR(run.u[k], std::sin(3 * t), 1e-15 + input_tolerance);
  }
}

TEST(MatFile, IsReadPackedOrNot) {
  for (const char* name : {"plain", "packed"}) {
    const Log log = read_log({path(name)}).log;
    expect_the_motion(log);
    EXPECT_THAT(log.channels.joints, ElementsAre("q1", "q2"));
  }
}

TEST(MatFile, HasFieldsOfStructuresNumbersOfEveryKindAndText) {
  ReadOptions options;
  options.time = "log.time_ms";
  options.q = {"log.q"};
  options.u = {"log.torque"};
  expect_the_motion(read_log({path("structure")}, options).log, 1e-7);
  const MatReader file(read_file(path("structure")), "structure.mat");
  EXPECT_THAT(file.names(), ElementsAre("joints", "log.names", "log.q", "log.time_ms", "log.torque",
                                        "note"));  // complex numbers are no motion
  EXPECT_THAT(file.read("joints").text, ElementsAre("arm", "cart"));
  EXPECT_THAT(file.read("note").text, ElementsAre("made by scipy"));
}

TEST(MatFile, PutsVariablesSideBySide) {
  ReadOptions options;
  options.q = {"alpha", "beta"};
  const Log log = read_log({path("columns")}, options).log;
  EXPECT_THAT(log.channels.joints, ElementsAre("alpha", "beta"));
  EXPECT_EQ(log.runs[0].q[3], 0.125);
}

std::string message_of(const std::string& bytes, const ReadOptions& options = {}) {
  try {
    std::vector<std::string> notes;
    parse_mat_log(bytes, "log.mat", options, notes);
  } catch (const InputError& e) {
    return e.what();
  }
  return "no error";
}

TEST(MatFile, SaysWhatIsWrong) {
  const std::string bytes = read_file(path("plain"));
  EXPECT_EQ(message_of("short"), "log.mat: found 5 bytes, expected a MAT-file of version 5 to 7");
  EXPECT_EQ(message_of("MATLAB 7.3 MAT-file, Platform"),
            "log.mat: a file of version 7.3 (HDF5), expected version 5 to 7: save it with -v7");
  EXPECT_EQ(message_of(std::string(200, 'x')),
            "log.mat: no header of a MAT-file of version 5 to 7");
  EXPECT_EQ(message_of(read_file(path("columns"))), "log.mat: no array 'q', found alpha, beta, t");
  EXPECT_THAT(message_of(bytes.substr(0, bytes.size() - 40)), HasSubstr("log.mat: an element has"));
  std::string packed = read_file(path("packed"));
  packed[160] ^= 0x55;
  EXPECT_EQ(message_of(packed), "log.mat: a packed variable is damaged or ends early");
  EXPECT_THAT([] { write_log("out.mat", Log()); },
              ::testing::ThrowsMessage<InputError>(HasSubstr("expected a name ending in .csv or")));
}

TEST(MatFile, CutOrChangedAnywhereIsReadOrRefused) {
  for (const char* name : {"plain", "structure"}) {
    const std::string bytes = read_file(path(name));
    for (std::size_t size = 0; size < bytes.size(); ++size) (void)message_of(bytes.substr(0, size));
    for (std::size_t at = 0; at < bytes.size(); ++at) {
      std::string changed = bytes;
      changed[at] = static_cast<char>(changed[at] ^ 0x81);
      (void)message_of(changed);
    }
  }
}

}  // namespace
}  // namespace mechfit
