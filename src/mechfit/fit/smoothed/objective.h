#pragma once

#include <memory>
#include <span>
#include <vector>

#include "mechfit/fit/smoothed/chunk_sums.h"
#include "mechfit/fit/smoothed/samples.h"
#include "mechfit/mechanics/model.h"

namespace mechfit {

// What a fit on smoothed data minimises: the mean of some error over its items (samples, pairs or
// triples of them). The kinds are in objectives.h. Evaluates any subset of the items, cut into
// chunks so that the result does not depend on the number of threads. Allocates nothing after the
// first call.
class Objective {
 public:
  virtual ~Objective();

  int items() const { return static_cast<int>(items_.size()); }
  // Mean over the items (numbers 0 .. items()-1); the gradient to theta is written unless empty.
  // Where M is not positive definite the result is not finite.
  double operator()(const Model& model, std::span<const int> items, std::span<double> gradient);
  // Over all items, without gradient.
  double all(const Model& model);

  // The same in two halves, for several sums at once: prepare, then ChunkSums::run, then finish.
  // Model and items must live so long.
  ChunkSums& prepare(const Model& model, std::span<const int> items, bool gradient);
  double finish(std::span<double> gradient);

 protected:
  // items: the sample with which each begins; lanes: items in a block. The samples must outlive it.
  Objective(const Model& model, const Samples& samples, std::vector<int> items, int lanes,
            ThreadPool& pool);

  // scale times the sum over the `count` items of a block; with `gradient`, that of it is gathered
  // in the worker's accumulator.
  virtual double block(const Model& model, const int* items, int count, double scale, bool gradient,
                       int worker) = 0;
  virtual void clear_gradient(const Model& model, int worker) = 0;
  virtual void add_gradient(const Model& model, int worker, std::span<double> gradient,
                            bool add) = 0;

  const Samples& samples() const { return samples_; }

 private:
  double sum(int begin, int end, int worker, std::span<double> gradient, bool add);

  const Samples& samples_;
  std::vector<int> items_, all_;
  int lanes_;
  ChunkSums sums_;
  const Model* model_ = nullptr;  // of the sum that is being done, like
  std::span<const int> chosen_;   // its items
};

// panel [width][lanes] from rows index + shift of an array [.][width]; lanes from `count` on repeat
// the first.
void gather(const double* array, int width, const int* index, int count, int shift, int lanes,
            double* panel);

// total + sum over the first `count` lanes of weight (predicted - target)^2; turns the prediction
// into the gradient of that, zero in the other lanes.
double add_squares(double weight, int count, const double* target, double* predicted, double total);

}  // namespace mechfit
