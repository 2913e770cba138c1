#include "mechfit/fit/chunk_sums.h"

#include <algorithm>
#include <cmath>

#include "mechfit/net/kernels.h"

namespace mechfit {
namespace {

constexpr int kWave = 16;
constexpr std::size_t kWorthThreads = 1 << 14;  // additions

}  // namespace

ChunkSums::ChunkSums(ThreadPool& pool, int size)
    : pool_(pool),
      wave_(pool.size() == 1 ? 1 : kWave),
      waiting_(pool.size() == 1 ? 0 : kWave, std::vector<double>(static_cast<std::size_t>(size))),
      values_(static_cast<std::size_t>(wave_)),
      gradient_(static_cast<std::size_t>(size)) {}

double ChunkSums::sum(int chunks, bool gradient,
                      const std::function<double(int, int, std::span<double>)>& f) {
  if (gradient) std::fill(gradient_.begin(), gradient_.end(), 0.0);
  double total = 0.0;
  for (int first = 0; first < chunks && std::isfinite(total); first += wave_) {
    const int wave = std::min(wave_, chunks - first);
    pool_.run(wave, [&](int task, int worker) {
      std::span<double> out;
      if (gradient && wave_ == 1) {
        out = gradient_;
      } else if (gradient) {
        out = waiting_[static_cast<std::size_t>(task)];
        std::fill(out.begin(), out.end(), 0.0);
      }
      values_[static_cast<std::size_t>(task)] = f(first + task, worker, out);
    });
    for (int task = 0; task < wave; ++task) total += values_[static_cast<std::size_t>(task)];
    if (gradient && wave_ > 1) fold(wave);
  }
  return total;
}

void ChunkSums::fold(int wave) {
  const std::size_t size = gradient_.size(), count = static_cast<std::size_t>(wave);
  const int parts = count * size < kWorthThreads ? 1 : pool_.size();
  pool_.run(parts, [&](int part, int) {
    const auto all = static_cast<std::size_t>(parts), at = static_cast<std::size_t>(part);
    const std::size_t begin = size * at / all, end = size * (at + 1) / all;
    for (std::size_t k = 0; k < count; ++k)
      simd_kernels().add(static_cast<int>(end - begin), &waiting_[k][begin], &gradient_[begin]);
  });
}

}  // namespace mechfit
