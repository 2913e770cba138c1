#pragma once

#include <initializer_list>
#include <span>
#include <vector>

#include "mechfit/base/thread_pool.h"

namespace mechfit {

// What is added up, block by block.
class Summands {
 public:
  // The sum over blocks begin .. end - 1; its gradient is added unless that is empty.
  virtual double sum(int begin, int end, int worker, std::span<double> gradient) = 0;

 protected:
  ~Summands() = default;
};

// A sum over blocks and its gradient. The blocks are cut into chunks of nearly equal size, which
// threads take as they come; chunks are added in their order, and how they are cut depends on
// nothing but the number of blocks: so the result does not depend on the number of threads.
class ChunkSums {
 public:
  ChunkSums(ThreadPool& pool, int size);  // size of a gradient

  // Says what the next sum is, in chunks of at least so many blocks; summands must live until it is
  // done.
  void prepare(Summands& summands, int blocks, int least, bool gradient);
  // Does all of them that are not null at once, so that threads wait for each other once. One
  // thread leaves out the rest of a sum that is not finite.
  static void run(ThreadPool& pool, std::initializer_list<ChunkSums*> sums);

  double value() const;
  std::span<const double> gradient() const { return gradient_; }

 private:
  void evaluate(int chunk, int worker);
  void fold(int part, int parts);

  static constexpr int kMostChunks = 16;

  bool alone_;  // one thread adds to the gradient itself
  Summands* summands_ = nullptr;
  int blocks_ = 0, chunks_ = 0;
  bool wants_gradient_ = false;
  double values_[kMostChunks] = {};
  std::vector<std::vector<double>> gradients_;  // of the chunks, unless alone
  std::vector<double> gradient_;
};

}  // namespace mechfit
