#pragma once

#include <functional>
#include <initializer_list>
#include <span>
#include <vector>

#include "mechfit/base/batch.h"
#include "mechfit/base/thread_pool.h"

namespace mechfit {

// A sum over blocks and its gradient. The blocks are cut into chunks of nearly equal size, which
// threads take as they come; chunks are added in their order, and how they are cut depends on
// nothing but the number of blocks: so the result does not depend on the number of threads.
class ChunkSums {
 public:
  // The sum over blocks begin .. end - 1; unless that is empty or the sum is not finite its
  // gradient is written or, where `add`, added, one addition for each number.
  using Summands =
      std::function<double(int begin, int end, int worker, std::span<double> gradient, bool add)>;

  ChunkSums(ThreadPool& pool, int size);  // size of a gradient

  // Says what the next sum is, in chunks of at least so many blocks if there are so many. Does not
  // allocate where summands capture no more than a pointer.
  void prepare(Summands summands, int blocks, int least, bool gradient);
  // Does all of them that are not null, made for the same pool, at once, so that threads wait for
  // each other less often.
  static void run(std::initializer_list<ChunkSums*> sums);

  // Up to the first chunk whose sum is not finite.
  double value() const;
  std::span<const double> gradient() const { return gradient_; }

 private:
  bool alone() const { return pool_.size() == 1; }
  void evaluate(int chunk, int worker);
  void fold(int chunk, std::size_t begin, std::size_t end);

  // Bounds the memory, a gradient for each. Sums are rounded differently with another value.
  static constexpr int kMostChunks = 16;

  ThreadPool& pool_;
  Summands summands_;
  int blocks_ = 0, chunks_ = 0;
  bool wants_gradient_ = false;
  double values_[kMostChunks] = {};
  AlignedVector gradient_;                // the first chunk writes it
  std::vector<AlignedVector> gradients_;  // of the others; one thread adds to the first
};

}  // namespace mechfit
