#pragma once

#include <functional>
#include <span>
#include <vector>

#include "mechfit/base/thread_pool.h"

namespace mechfit {

// A sum over chunks and its gradient. Threads evaluate a wave of chunks, then their sums are folded
// in the order of chunks, so the result does not depend on the number of threads.
class ChunkSums {
 public:
  ChunkSums(ThreadPool& pool, int size);  // size of a gradient

  // The sum of evaluate(chunk, worker, gradient), which adds to the gradient unless that is empty.
  // Ends early where the sum is not finite.
  template <class Evaluate>
  double operator()(int chunks, bool gradient, Evaluate&& evaluate) {
    return sum(chunks, gradient, std::ref(evaluate));
  }
  std::span<const double> gradient() const { return gradient_; }  // of the last call

 private:
  double sum(int chunks, bool gradient,
             const std::function<double(int chunk, int worker, std::span<double> gradient)>& f);
  void fold(int wave);

  ThreadPool& pool_;
  int wave_;                                  // chunks whose gradients are kept until folded
  std::vector<std::vector<double>> waiting_;  // their gradients; one thread adds to the sum itself
  std::vector<double> values_, gradient_;
};

}  // namespace mechfit
