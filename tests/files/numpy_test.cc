#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>

#include "mechfit/files/files.h"
#include "mechfit/files/npz_log.h"
#include "tests/support/random_log.h"
#include "tests/support/scratch_folder.h"

namespace mechfit {
namespace {

Log read(const std::string& path) {
  std::vector<std::string> notes;
  return parse_npz_log(read_file(path), path, {}, notes);
}

bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0);
}

TEST(Numpy, ReadsWhatWeWriteAndWeReadWhatItWrites) {
  const std::string python = "/usr/bin/python3";
  ASSERT_EQ(std::system((python + " -c 'import numpy'").c_str()), 0)
      << "Debian's python3-numpy is not installed: scripts/setup --test";
  const ScratchFolder scratch("numpy");
  Random random(5);
  Log log = random_log(random, true);
  log.runs.push_back(log.runs[0]);
  log.runs.back().name = "L\xC3\xA4ufer \xF0\x9D\x84\x9E";
  write_file_atomically(scratch.file("ours.npz"), format_npz_log(log));
  const std::string command = python + " " MECHFIT_SOURCE_DIR "/tests/files/numpy_again.py " +
                              scratch.file("ours.npz") + " " + scratch.path().string();
  ASSERT_EQ(std::system(command.c_str()), 0);

  for (const char* name :
       {"stored.npz", "deflated.npz", "fortran.npz", "big_endian.npz", "small.npz"}) {
    const Log back = read(scratch.file(name));
    EXPECT_EQ(back.channels.joints, log.channels.joints) << name;
    EXPECT_EQ(back.channels.units, log.channels.units) << name;
    EXPECT_EQ(back.channels.joint_types, log.channels.joint_types) << name;
    ASSERT_EQ(back.runs.size(), log.runs.size()) << name;
    for (std::size_t r = 0; r < log.runs.size(); ++r) {
      EXPECT_EQ(back.runs[r].name, log.runs[r].name) << name;
      for (const auto array :
           {&Trajectory::t, &Trajectory::q, &Trajectory::u, &Trajectory::qd, &Trajectory::qdd_sd})
        EXPECT_TRUE(same_bits(back.runs[r].*array, log.runs[r].*array)) << name;
    }
  }
  const Log plain = read(scratch.file("plain.npz"));
  EXPECT_EQ(plain.n(), 1);
  EXPECT_EQ(plain.runs[0].q, (std::vector<double>{1.5, -2.0, 3.25}));
}

}  // namespace
}  // namespace mechfit
