#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cstring>

#include "mechfit/base/error.h"
#include "mechfit/files/npy.h"
#include "mechfit/files/npz.h"
#include "mechfit/files/npz_log.h"
#include "mechfit/log/prepare.h"
#include "tests/support/random_log.h"

namespace mechfit {
namespace {

std::string message_of(const std::string& bytes, const ReadOptions& options = {}) {
  try {
    std::vector<std::string> notes;
    Log log = parse_npz_log(bytes, "log.npz", options, notes);
    prepare_log(log, options, notes);
  } catch (const InputError& e) {
    return e.what();
  }
  return "no error";
}

template <class F>
std::string archive(F fill, bool deflate = false) {
  NpzWriter npz(deflate);
  fill(npz);
  return npz.finish();
}

constexpr double kTimes[] = {0.0, 0.1, 0.2};
constexpr double kJoints[] = {1.0, 2.0, 3.0, 4.0, 5.0, 6.0};

std::string good(bool deflate = false) {
  return archive(
      [](NpzWriter& npz) {
        npz.add("t", {3}, kTimes);
        npz.add("q", {3, 2}, kJoints);
      },
      deflate);
}

std::string replaced(std::string bytes, const std::string& from, const std::string& to,
                     bool last = false) {
  const auto at = last ? bytes.rfind(from) : bytes.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return bytes.replace(at, from.size(), to);
}

TEST(MalformedNpz, EachGivesItsOneLineMessage) {
  const std::string bytes = good();
  const std::string size = std::to_string(bytes.size()) + " bytes";
  const auto end = bytes.size() - 22;  // of the directory
  const auto patched = [&](std::size_t at, const std::string& with) {
    return std::string(bytes).replace(at, with.size(), with);
  };
  const auto central = bytes.find("PK\x01\x02");
  const auto names = [](const char* array, double value) {
    return archive([&](NpzWriter& npz) {
      npz.add("t", {3}, kTimes);
      npz.add("q", {3, 2}, kJoints);
      const double three[] = {0.0, value, 1.0};
      npz.add(array, {3}, three);
    });
  };
  const struct {
    const char* name;
    std::string bytes, message;
    ReadOptions options = {};
  } cases[] = {
      {"empty", "", "log.npz: empty file, expected a .npz archive"},
      {"short", "PK", "log.npz: not a .npz archive"},
      {"not a zip", std::string(100, 'x'),
       "log.npz: not a .npz archive (no zip directory; is the file cut short?)"},
      {"cut short", bytes.substr(0, bytes.size() - 1),
       "log.npz: not a .npz archive (no zip directory; is the file cut short?)"},
      {"directory outside", patched(end + 16, "\xF0\xFF\xFF\x7F"),
       "log.npz: the zip directory lies outside the file of " + size},
      {"directory count", patched(end + 10, std::string("\x07\x00", 2)),
       "log.npz: broken zip directory"},
      {"directory record", patched(central, "XXXX"), "log.npz: broken zip directory"},
      {"encrypted", patched(central + 8, "\x01"), "log.npz: array \"t.npy\" is encrypted"},
      {"method", patched(central + 10, "\x0C"),
       "log.npz: array 't': zip method 12, expected stored or deflated"},
      {"checksum", patched(central + 16, "abcd"),
       "log.npz: array 't': checksum does not match, the file is damaged"},
      {"size", patched(central + 24, "\x01"), "log.npz: array 't': broken zip member"},
      {"packed size", patched(central + 20, std::string("\xFF\xFF\xFF\x7F\xFF\xFF\xFF\x7F", 8)),
       "log.npz: array 't' lies outside the file of " + size},
      {"local offset", patched(central + 42, "\x01"), "log.npz: array 't': broken zip member"},
      {"offset outside", patched(central + 42, "\xFF\xFF\xFF\x7F"),
       "log.npz: array 't' lies outside the file of " + size},
      {"name", replaced(bytes, "t.npy", "t.txt", true),
       "log.npz: member \"t.txt\", expected names ending in .npy"},
      {"name twice", replaced(bytes, "q.npy", "t.npy", true), "log.npz: two arrays named \"t\""},
      {"no time", replaced(bytes, "t.npy", "T.npy", true), "log.npz: no array 't', found T, q"},
      {"no joints", replaced(bytes, "q.npy", "Q.npy", true), "log.npz: no array 'q', found Q, t"},
      {"chosen joints", bytes, "log.npz: no array 'theta', found q, t",
       [] {
         ReadOptions o;
         o.q = {"theta"};
         return o;
       }()},
      {"no arrays", archive([](NpzWriter&) {}), "log.npz: no array 't', found none"},
      {"rows", archive([](NpzWriter& npz) {
         npz.add("t", {3}, kTimes);
         npz.add("q", {2, 3}, kJoints);
       }),
       "log.npz: array 'q' has 2 rows, expected 3 as the time"},
      {"three dimensions", archive([](NpzWriter& npz) {
         npz.add("t", {3}, kTimes);
         npz.add("q", {3, 1, 2}, kJoints);
       }),
       "log.npz: array 'q' is 3 x 1 x 2, expected one or two dimensions"},
      {"a single value", archive([](NpzWriter& npz) { npz.add("t", {}, kTimes); }),
       "log.npz: array 't' is a single value, expected one or two dimensions"},
      {"two columns of time", archive([](NpzWriter& npz) {
         npz.add("t", {3, 2}, kJoints);
         npz.add("q", {3, 2}, kJoints);
       }),
       "log.npz: array 't' has 2 columns, expected one"},
      {"no rows", archive([](NpzWriter& npz) { npz.add("t", {0}, kTimes); }),
       "log.npz: array 't' is empty"},
      {"text", archive([](NpzWriter& npz) {
         npz.add("t", {3}, kTimes);
         npz.add("q", {"a", "b", "c"});
       }),
       "log.npz: array 'q' holds text, expected numbers"},
      {"time repeated", archive([](NpzWriter& npz) {
         const double t[] = {0.0, 0.1, 0.1};
         npz.add("t", {3}, t);
         npz.add("q", {3, 2}, kJoints);
       }),
       "log.npz row 2: time 0.1 is repeated (option 'reclock' mends stamps that jitter, option "
       "'drop_bad_rows' leaves such rows out)"},
      {"time goes back", archive([](NpzWriter& npz) {
         const double t[] = {0.0, 0.5, 0.1};
         npz.add("t", {3}, t);
         npz.add("q", {3, 2}, kJoints);
       }),
       "log.npz row 2: time 0.1 goes back from 0.5 (option 'reclock' mends stamps that jitter, "
       "option "
       "'drop_bad_rows' leaves such rows out)"},
      {"NaN", archive([](NpzWriter& npz) {
         const double q[] = {0.0, NAN, 0.1};
         npz.add("t", {3}, kTimes);
         npz.add("q", {3}, q);
       }),
       "log.npz: array 'q': row 1 is not finite"},
      {"velocities", names("qd", 0.0), "log.npz: array 'qd' has 1 columns, expected 2 as q"},
      {"runs fall", names("run", -1.0), "log.npz: array 'run' falls or is not a number at row 1"},
      {"runs NaN", names("run", NAN), "log.npz: array 'run' falls or is not a number at row 1"},
      {"joint names", names("joints", 0.0), "log.npz: array 'joints' is not 2 strings"},
      {"joint types", archive([](NpzWriter& npz) {
         npz.add("t", {3}, kTimes);
         npz.add("q", {3, 2}, kJoints);
         npz.add("joint_types", {"plain", "round"});
       }),
       "log.npz: array 'joint_types' holds \"round\", expected plain or periodic"},
  };
  for (const auto& c : cases) EXPECT_EQ(message_of(c.bytes, c.options), c.message) << c.name;
}

TEST(MalformedNpz, ADeflatedMemberCannotClaimMoreThanItCanHold) {
  const std::string bytes = good(true);
  const auto central = bytes.find("PK\x01\x02");
  EXPECT_EQ(message_of(std::string(bytes).replace(central + 24, 4, "\xF0\xFF\xFF\x7F")),
            "log.npz: array 't' claims 2147483632 bytes, more than its " +
                std::to_string(static_cast<unsigned char>(bytes[central + 20])) +
                " packed ones can hold");
  EXPECT_EQ(message_of(std::string(bytes).replace(central + 24, 2, std::string("\xFF\x00", 2))),
            "log.npz: array 't': broken compressed data");
}

TEST(MalformedNpz, ArraysSayWhatIsWrongWithTheirHeader) {
  const auto npy = [](const std::string& header, const std::string& data = "") {
    std::string out = "\x93NUMPY";
    out += {'\1', '\0', static_cast<char>(header.size()), '\0'};
    return out + header + data;
  };
  const auto head = [](const std::string& descr, const std::string& shape) {
    return "{'descr': '" + descr + "', 'fortran_order': False, 'shape': " + shape + ", }";
  };
  const struct {
    std::string bytes, message;
  } cases[] = {
      {"", "a: not a .npy array"},
      {std::string("\x93NUMPY\x09\x00\x00\x00\x00\x00", 12), "a: .npy version 9, expected 1 to 3"},
      {std::string("\x93NUMPY\x01\x00\xFF\xFFxx", 12), "a: header of 65535 bytes, found 2"},
      {npy("nothing"), "a: header \"nothing\" is not that of a .npy array"},
      {npy("{'descr': 3}"), "a: header \"{'descr': 3}\" is not that of a .npy array"},
      {npy("{'descr': '<f8'}"), "a: header \"{'descr': '<f8'}\" is not that of a .npy array"},
      {npy("{'other': '<f8'}"), "a: header \"{'other': '<f8'}\" is not that of a .npy array"},
      {npy("{'shape': (-1,)}"), "a: header \"{'shape': (-1,)}\" is not that of a .npy array"},
      {npy("{'descr': [('x', '<f8')]"), "a: records, expected an array of numbers"},
      {npy(head("<f2", "(1,)"), "xx"), "a: type \"<f2\", expected numbers or text"},
      {npy(head("<c8", "(1,)"), "xxxxxxxx"), "a: type \"<c8\", expected numbers or text"},
      {npy(head("|O", "(1,)"), "xxxxxxxx"), "a: type \"|O\", expected numbers or text"},
      {npy(head("<U0", "(1152921504606846976,)")), "a: type \"<U0\", expected numbers or text"},
      {npy(head("<f8", "(2,)"), "xxxxxxxx"),
       "a: shape (2) of \"<f8\" does not fit the 8 bytes of data"},
      {npy(head("<f8", "(1152921504606846976,)"), "xxxxxxxx"),
       "a: shape (1152921504606846976) of \"<f8\" does not fit the 8 bytes of data"},
      {npy(head("<f8", "(2305843009213693952, 4)"), ""),
       "a: shape (2305843009213693952, 4) of \"<f8\" does not fit the 0 bytes of data"},
      {npy(head("|S1", "(1048577,)"), std::string(1048577, 'x')),
       "a: 1048577 strings, expected at most 1048576"},
  };
  for (const auto& [bytes, message] : cases) {
    std::string found = "no error";
    try {
      parse_npy(bytes, "a");
    } catch (const InputError& e) {
      found = e.what();
    }
    EXPECT_EQ(found, message);
  }
}

RC_GTEST_PROP(MalformedNpz, ADamagedFileIsUnderstoodOrRefused,
              (std::uint64_t seed, std::vector<std::pair<std::uint16_t, std::uint8_t>> damage)) {
  Random random(seed);
  std::string bytes = format_npz_log(random_log(random, false));
  for (const auto& [at, value] : damage) bytes[at % bytes.size()] = static_cast<char>(value);
  message_of(bytes);
}

}  // namespace
}  // namespace mechfit
