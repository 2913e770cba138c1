#include "mechfit/fit/smoothed/chunk_sums.h"

#include <algorithm>
#include <cmath>

#include "mechfit/net/kernels.h"

namespace mechfit {
namespace {

// Fewer additions than this are left to one thread. No result depends on it.
constexpr std::size_t kWorthThreads = 1 << 14;

}  // namespace

ChunkSums::ChunkSums(ThreadPool& pool, int size)
    : pool_(pool), gradient_(static_cast<std::size_t>(size)) {
  if (!alone()) gradients_.assign(kMostChunks - 1, gradient_);
}

void ChunkSums::prepare(Summands summands, int blocks, int least, bool gradient) {
  summands_ = std::move(summands);
  blocks_ = blocks;
  wants_gradient_ = gradient;
  chunks_ = std::clamp(blocks / least, 1, kMostChunks);
  if (chunks_ > 1) chunks_ -= chunks_ % 2;  // two threads have the same to do
  std::fill(values_, values_ + chunks_, 0.0);
}

void ChunkSums::evaluate(int chunk, int worker) {
  if (alone() && !std::isfinite(value())) return;
  const int begin = blocks_ * chunk / chunks_, end = blocks_ * (chunk + 1) / chunks_;
  std::span<double> out;
  if (wants_gradient_)
    out = alone() || chunk == 0 ? gradient_ : gradients_[static_cast<std::size_t>(chunk - 1)];
  values_[chunk] = summands_(begin, end, worker, out, alone() && chunk > 0);
}

void ChunkSums::fold(int chunk, std::size_t begin, std::size_t end) {
  if (!wants_gradient_) return;
  const auto& from = gradients_[static_cast<std::size_t>(chunk - 1)];
  simd_kernels().add(static_cast<int>(end - begin), &from[begin], &gradient_[begin]);
}

double ChunkSums::value() const {
  double sum = 0.0;
  for (int chunk = 0; chunk < chunks_ && std::isfinite(sum); ++chunk) sum += values_[chunk];
  return sum;
}

void ChunkSums::run(std::initializer_list<ChunkSums*> sums) {
  ThreadPool* pool = nullptr;
  int chunks = 0;
  std::size_t additions = 0;
  for (ChunkSums* sum : sums) {
    if (!sum) continue;
    pool = &sum->pool_;
    chunks += sum->chunks_;
    if (sum->wants_gradient_) additions += sum->chunks_ * sum->gradient_.size();
  }
  if (!pool) return;
  pool->run(chunks, [&](int task, int worker) {
    for (ChunkSums* sum : sums) {
      if (!sum) continue;
      if (task < sum->chunks_) return sum->evaluate(task, worker);
      task -= sum->chunks_;
    }
  });
  if (pool->size() == 1) return;
  const int parts = additions < kWorthThreads ? 1 : pool->size();
  pool->run(parts, [&](int part, int) {
    for (ChunkSums* sum : sums) {
      if (!sum) continue;
      const std::size_t size = sum->gradient_.size();
      for (int chunk = 1; chunk < sum->chunks_; ++chunk)
        sum->fold(chunk, size * part / parts, size * (part + 1) / parts);
    }
  });
}

}  // namespace mechfit
