#include "mechfit/fit/chunk_sums.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "mechfit/net/kernels.h"

namespace mechfit {
namespace {

constexpr std::size_t kWorthThreads = 1 << 14;  // additions

}  // namespace

ChunkSums::ChunkSums(ThreadPool& pool, int size)
    : alone_(pool.size() == 1), gradient_(static_cast<std::size_t>(size)) {
  if (!alone_) gradients_.assign(kMostChunks, gradient_);
}

void ChunkSums::prepare(Summands& summands, int blocks, int least, bool gradient) {
  summands_ = &summands;
  blocks_ = blocks;
  wants_gradient_ = gradient;
  chunks_ = std::clamp(blocks / least, 1, kMostChunks);
  if (chunks_ > 1) chunks_ -= chunks_ % 2;  // two threads have the same to do
  std::fill(values_, values_ + chunks_, 0.0);
  if (gradient) std::fill(gradient_.begin(), gradient_.end(), 0.0);
}

void ChunkSums::evaluate(int chunk, int worker) {
  const int begin = blocks_ * chunk / chunks_, end = blocks_ * (chunk + 1) / chunks_;
  std::span<double> out;
  if (wants_gradient_ && alone_) {
    out = gradient_;
  } else if (wants_gradient_) {
    out = gradients_[static_cast<std::size_t>(chunk)];
    std::fill(out.begin(), out.end(), 0.0);
  }
  if (!alone_ || std::isfinite(value())) values_[chunk] = summands_->sum(begin, end, worker, out);
}

void ChunkSums::fold(int part, int parts) {
  const std::size_t size = gradient_.size();
  const std::size_t begin = size * part / parts, end = size * (part + 1) / parts;
  for (int chunk = 0; wants_gradient_ && chunk < chunks_; ++chunk)
    simd_kernels().add(static_cast<int>(end - begin),
                       &gradients_[static_cast<std::size_t>(chunk)][begin], &gradient_[begin]);
}

double ChunkSums::value() const { return std::accumulate(values_, values_ + chunks_, 0.0); }

void ChunkSums::run(ThreadPool& pool, std::initializer_list<ChunkSums*> sums) {
  int chunks = 0;
  std::size_t additions = 0;
  for (const ChunkSums* sum : sums) {
    if (!sum) continue;
    chunks += sum->chunks_;
    if (sum->wants_gradient_) additions += sum->chunks_ * sum->gradient_.size();
  }
  pool.run(chunks, [&](int task, int worker) {
    for (ChunkSums* sum : sums) {
      if (!sum) continue;
      if (task < sum->chunks_) return sum->evaluate(task, worker);
      task -= sum->chunks_;
    }
  });
  if (pool.size() == 1) return;
  const int parts = additions < kWorthThreads ? 1 : pool.size();
  pool.run(parts, [&](int part, int) {
    for (ChunkSums* sum : sums)
      if (sum) sum->fold(part, parts);
  });
}

}  // namespace mechfit
