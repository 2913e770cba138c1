// Every fuzz target, compiled like the tests, on its corpus and on inputs made from it: what the
// fuzzer does with clang (docs/fuzzing.md), without its search, by every compiler and under every
// sanitizer of ours. A target that sees a mistake aborts.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "mechfit/base/random.h"

// fuzz_targets.inc is TARGET(name) for each of them; name_one_input is its entry.
#define TARGET(name) extern "C" int name##_one_input(const std::uint8_t* data, std::size_t size);
#include "fuzz_targets.inc"
#undef TARGET

namespace mechfit {
namespace {

using Bytes = std::string;

struct Target {
  const char* name;
  int (*one_input)(const std::uint8_t*, std::size_t);
};
const Target kTargets[] = {
#define TARGET(name) {#name, &name##_one_input},
#include "fuzz_targets.inc"
#undef TARGET
};

constexpr int kInputs = 300;  // a second or two for all targets; the fuzzer itself takes millions
constexpr std::size_t kLongest = 4096;  // as in tests/fuzz/fuzz

std::vector<Bytes> corpus_of(const std::string& name) {
  std::vector<Bytes> corpus;
  for (const auto& entry :
       std::filesystem::directory_iterator(MECHFIT_SOURCE_DIR "/tests/fuzz/corpus/" + name)) {
    std::ifstream file(entry.path(), std::ios::binary);
    corpus.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  std::sort(corpus.begin(), corpus.end());  // the folder's order is the machine's
  return corpus;
}

// One change of some bytes: another value, fewer, more, or a word that readers stumble over.
void change(Bytes& input, const std::vector<Bytes>& corpus, Random& random) {
  static const Bytes kWords[] = {"nan",  "-inf",  "1e308", "-1", "0", "18446744073709551616",
                                 "\"",   ",",     "\n",    "{",  "]", "\xff",
                                 "\x1b", "1e-320"};
  const auto below = [&](std::size_t n) {
    return n == 0 ? std::size_t{0} : static_cast<std::size_t>(random.below(n));
  };
  const std::size_t at = below(input.size());
  switch (random.below(5)) {
    case 0:
      if (!input.empty()) input[at] = static_cast<char>(random.below(256));
      break;
    case 1:
      if (!input.empty()) input[at] = static_cast<char>(input[at] ^ (1 << random.below(8)));
      break;
    case 2:
      if (!input.empty()) input.erase(at, 1 + below(std::min<std::size_t>(64, input.size() - at)));
      break;
    case 3:
      input.insert(at, kWords[random.below(std::size(kWords))]);
      break;
    default: {
      const Bytes& other = corpus[random.below(corpus.size())];
      const std::size_t from = below(other.size());
      input.insert(at, other.substr(from, 1 + below(64)));
    }
  }
  input.resize(std::min(input.size(), kLongest));
}

class FuzzTarget : public ::testing::TestWithParam<Target> {};
INSTANTIATE_TEST_SUITE_P(Targets, FuzzTarget, ::testing::ValuesIn(kTargets),
                         [](const auto& target) { return std::string(target.param.name); });

TEST_P(FuzzTarget, TakesOrRefusesItsCorpusAndChangesOfIt) {
  const std::vector<Bytes> corpus = corpus_of(GetParam().name);
  ASSERT_FALSE(corpus.empty());
  const auto give = [](const Bytes& input) {
    return GetParam().one_input(reinterpret_cast<const std::uint8_t*>(input.data()), input.size());
  };
  EXPECT_EQ(give(""), 0);
  for (const Bytes& input : corpus) EXPECT_EQ(give(input), 0);
  for (int k = 0; k < kInputs; ++k) {
    Random random(1, static_cast<std::uint64_t>(k));
    Bytes input = corpus[random.below(corpus.size())];
    const auto changes = 1 + random.below(4);
    for (std::uint64_t i = 0; i < changes; ++i) change(input, corpus, random);
    EXPECT_EQ(give(input), 0);
  }
}

}  // namespace
}  // namespace mechfit
