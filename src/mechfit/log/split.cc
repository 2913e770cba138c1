#include "mechfit/log/split.h"

#include <algorithm>
#include <numeric>

#include "mechfit/base/error.h"
#include "mechfit/base/random.h"
#include "mechfit/log/origin.h"

namespace mechfit {
namespace {

// A quarter of the log is held out. A single run gives two blocks of its eight, so that not only
// the end of a motion that dies down is held out.
constexpr int kBlocks = 8, kHeldOutOf = 4;
constexpr int kFirstHeldOut = 2;  // of the first kHeldOutOf blocks
// Samples that a held-out block must have: the five that smoothing needs, and some to be scored by.
constexpr int kShortestBlock = 8;
// Any stream that nothing else draws from with the same seed.
constexpr std::uint64_t kSplitStream = 77;

// The part that holds out every kHeldOutOf-th of a single run's blocks, from `first` on.
// Neighbouring blocks of one run of the split stay together.
SplitPart hold_out_blocks(const std::vector<Piece>& blocks, int first) {
  SplitPart part;
  for (int k = 0; k < kBlocks; ++k) {
    std::vector<Piece>& side = k % kHeldOutOf == first ? part.validation : part.train;
    const bool joined = !side.empty() && side.back().held_out == blocks[k].held_out &&
                        side.back().run == blocks[k].run && side.back().end == blocks[k].begin;
    if (joined)
      side.back().end = blocks[k].end;
    else
      side.push_back(blocks[k]);
  }
  return part;
}

Split split_blocks(const Log& log) {
  const Trajectory& run = log.runs[0];
  if (run.size() < kBlocks * kShortestBlock)
    throw InputError("run '" + run.name + "' has " + std::to_string(run.size()) +
                     " samples; a single run needs at least " +
                     std::to_string(kBlocks * kShortestBlock) + " to hold a part of it out");
  Split split;
  split.train.channels = split.validation.channels = log.channels;
  std::vector<Piece> blocks;
  for (int block = 0; block < kBlocks; ++block) {
    const auto edge = [&](int b) {
      return static_cast<int>(static_cast<long long>(run.size()) * b / kBlocks);
    };
    const bool held_out = block % kHeldOutOf == kFirstHeldOut;
    Log& side = held_out ? split.validation : split.train;
    // Neighbouring training blocks stay one run.
    const bool joined = !held_out && block > 0 && (block - 1) % kHeldOutOf != kFirstHeldOut;
    if (joined) {
      const int begin = edge(block) - split.train.runs.back().size();
      split.train.runs.back() = slice(run, log.n(), log.m(), begin, edge(block + 1));
    } else {
      side.runs.push_back(slice(run, log.n(), log.m(), edge(block), edge(block + 1)));
    }
    blocks.push_back({held_out, static_cast<int>(side.runs.size()) - 1, run.t[edge(block)],
                      block + 1 < kBlocks ? run.t[edge(block + 1)] : kInfinity});
  }
  for (int first = 0; first < kHeldOutOf; ++first)
    if (first != kFirstHeldOut) split.others.push_back(hold_out_blocks(blocks, first));
  split.note = "one run: held out blocks 3 and 7 of 8";
  return split;
}

Split split_whole_runs(const Log& log, std::uint64_t seed) {
  Split split;
  split.train.channels = split.validation.channels = log.channels;
  const int runs = static_cast<int>(log.runs.size());
  std::vector<int> order(runs);
  std::iota(order.begin(), order.end(), 0);
  Random(seed, kSplitStream).shuffle(order);
  const int held_out = std::max(1, runs / kHeldOutOf);
  std::vector<char> held(runs, 0);
  for (int i = 0; i < held_out; ++i) held[order[i]] = 1;
  for (int i = 0; i < runs; ++i)
    (held[i] ? split.validation : split.train).runs.push_back(log.runs[i]);
  split.note = std::to_string(held_out) + " of " + std::to_string(runs) + " runs held out";
  // Dealt like cards, because runs that follow each other are often alike.
  const int others = std::min(kHeldOutOf, runs) - 1;
  split.others.resize(others);
  for (int part = 0; part < others; ++part) {
    for (int i = 0; i < runs - held_out; ++i)
      (i % others == part ? split.others[part].validation : split.others[part].train)
          .push_back({false, i});
    for (int i = 0; i < held_out; ++i) split.others[part].train.push_back({true, i});
  }
  return split;
}

}  // namespace

Trajectory slice(const Trajectory& run, int n, int m, int begin, int end) {
  Trajectory part;
  part.name = run.name;
  part.sample_step = run.sample_step;
  part.input = run.input;
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
  part.origin = origin_of(run.origin, begin, end);
  return part;
}

Log gather(const std::vector<Piece>& pieces, const Log& train, const Log& validation) {
  Log log;
  log.channels = train.channels;
  for (const Piece& piece : pieces) {
    const Trajectory& run = (piece.held_out ? validation : train).runs[piece.run];
    const auto at = [&](double time) {
      return static_cast<int>(std::lower_bound(run.t.begin(), run.t.end(), time) - run.t.begin());
    };
    log.runs.push_back(slice(run, log.n(), log.m(), at(piece.begin), at(piece.end)));
  }
  return log;
}

Split split_runs(const Log& log, std::uint64_t seed) {
  const int runs = static_cast<int>(log.runs.size());
  if (runs == 0) throw InputError("the log has no run");
  return runs == 1 ? split_blocks(log) : split_whole_runs(log, seed);
}

}  // namespace mechfit
