#include "mechfit/log/split.h"

#include <algorithm>
#include <numeric>

#include "mechfit/base/error.h"
#include "mechfit/base/random.h"

namespace mechfit {
namespace {

// A quarter of the log is held out. A single run gives two blocks of its eight, so that not only
// the end of a motion that dies down is held out.
constexpr int kBlocks = 8, kHeldOutOf = 4;
// Samples that a held-out block must have: the five that smoothing needs, and some to be scored by.
constexpr int kShortestBlock = 8;
// Any stream that nothing else draws from with the same seed.
constexpr std::uint64_t kSplitStream = 77;

}  // namespace

Trajectory slice(const Trajectory& run, int n, int m, int begin, int end) {
  Trajectory part;
  part.name = run.name;
  part.t.assign(run.t.begin() + begin, run.t.begin() + end);
  auto cut = [&](const std::vector<double>& from, int width, std::vector<double>& to) {
    if (!from.empty()) to.assign(from.begin() + begin * width, from.begin() + end * width);
  };
  cut(run.q, n, part.q);
  cut(run.u, m, part.u);
  cut(run.qd, n, part.qd);
  cut(run.qdd, n, part.qdd);
  cut(run.q_sd, n, part.q_sd);
  cut(run.qd_sd, n, part.qd_sd);
  cut(run.qdd_sd, n, part.qdd_sd);
  return part;
}

Split split_runs(const Log& log, std::uint64_t seed) {
  Split split;
  split.train.channels = split.validation.channels = log.channels;
  const int runs = static_cast<int>(log.runs.size());
  if (runs == 0) throw InputError("the log has no run");
  if (runs == 1) {
    const Trajectory& run = log.runs[0];
    if (run.size() < kBlocks * kShortestBlock)
      throw InputError("run '" + run.name + "' has " + std::to_string(run.size()) +
                       " samples; a single run needs at least " +
                       std::to_string(kBlocks * kShortestBlock) + " to hold a part of it out");
    for (int block = 0; block < kBlocks; ++block) {
      const auto edge = [&](int b) {
        return static_cast<int>(static_cast<long long>(run.size()) * b / kBlocks);
      };
      Log& side = block % kHeldOutOf == kHeldOutOf - 2 ? split.validation : split.train;
      // Neighbouring training blocks stay one run.
      const bool joined =
          &side == &split.train && block > 0 && (block - 1) % kHeldOutOf != kHeldOutOf - 2;
      if (joined) {
        const int begin = edge(block) - split.train.runs.back().size();
        split.train.runs.back() = slice(run, log.n(), log.m(), begin, edge(block + 1));
      } else {
        side.runs.push_back(slice(run, log.n(), log.m(), edge(block), edge(block + 1)));
      }
    }
    split.note = "one run: held out blocks 3 and 7 of 8";
    return split;
  }
  std::vector<int> order(runs);
  std::iota(order.begin(), order.end(), 0);
  Random(seed, kSplitStream).shuffle(order);
  const int held_out = std::max(1, runs / kHeldOutOf);
  std::vector<char> held(runs, 0);
  for (int i = 0; i < held_out; ++i) held[order[i]] = 1;
  for (int i = 0; i < runs; ++i)
    (held[i] ? split.validation : split.train).runs.push_back(log.runs[i]);
  split.note = std::to_string(held_out) + " of " + std::to_string(runs) + " runs held out";
  return split;
}

}  // namespace mechfit
