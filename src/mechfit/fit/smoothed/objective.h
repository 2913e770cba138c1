#pragma once

#include <memory>
#include <span>
#include <vector>

#include "mechfit/fit/smoothed/chunk_sums.h"
#include "mechfit/fit/smoothed/samples.h"
#include "mechfit/integrate/runge_kutta.h"
#include "mechfit/mechanics/discrete_error.h"

namespace mechfit {

// What a fit minimises: the mean over its items of
//   del            sum_j w_j (r_j / h)^2            items: triples; needs the barrier (barrier.h)
//   gauge_free     mean_j w_j e_j^2, e = Mbar^-1 r/h items: triples
//   acceleration   mean_j w_j (a_j - a_j(data))^2    items: samples
//   next_state     mean of w_j (q_j - q_j(data))^2 and v_w_j (v_j - v_j(data))^2   items: pairs
enum class Method { del, acceleration, next_state, gauge_free };

struct ObjectiveOptions {
  Method method = Method::del;
  RungeKutta integrator = RungeKutta::midpoint;  // of next_state
  std::vector<double> weights;                   // w [n], empty: ones
  std::vector<double> velocity_weights;          // of next_state [n], empty: ones
};

// Evaluates one of them on any subset of its items. Items are cut into chunks, so the result does
// not depend on the number of threads. Allocates nothing after the first call.
class Objective {
 public:
  Objective(const Model& model, const Samples& samples, ObjectiveOptions options, ThreadPool& pool);
  ~Objective();

  int items() const { return static_cast<int>(items_->size()); }
  // Mean over the items (numbers 0 .. items()-1); the gradient to theta is written unless empty.
  // Where M is not positive definite the result is not finite.
  double operator()(const Model& model, std::span<const int> items, std::span<double> gradient);
  // Over all items, without gradient.
  double all(const Model& model);

  // The same in two halves, for several sums at once: prepare, then ChunkSums::run, then finish.
  // Model and items must live so long.
  ChunkSums& prepare(const Model& model, std::span<const int> items, bool gradient);
  double finish(std::span<double> gradient);

 private:
  struct Worker;
  double sum(int begin, int end, int worker, std::span<double> gradient, bool add);
  int items_per_block() const;
  double del_block(const Model& model, const int* items, int count, double scale, bool gradient,
                   Worker& worker) const;
  double point_block(const Model& model, const int* items, int count, double scale, bool gradient,
                     Worker& worker) const;

  const Samples& samples_;
  ObjectiveOptions options_;
  const std::vector<int>* items_;
  std::vector<int> all_;
  std::vector<std::unique_ptr<Worker>> workers_;
  ChunkSums sums_;
  const Model* model_ = nullptr;  // of the sum that is being done, like
  std::span<const int> chosen_;   // its items
};

}  // namespace mechfit
