#pragma once

#include <span>
#include <vector>

#include "mechfit/base/thread_pool.h"
#include "mechfit/mechanics/euler_lagrange.h"

namespace mechfit {

// What PointDynamics (point.h) says of one point, for N points at once: arrays are sample-major, N
// is what q has. Checks shapes and that every number is finite; allocates nothing after
// construction; the bits do not depend on the number of threads. Model and pool must outlive it.
class BatchDynamics {
 public:
  BatchDynamics(const Model& model, ThreadPool& pool);

  using In = std::span<const double>;
  using Out = std::span<double>;

  void mass(In q, Out m);                            // [N][n] -> [N][n][n]
  void potential(In q, Out potential);               // [N]
  void force(In q, In v, In u, Out f);               // [N][n]; u [N][m] or empty for no input
  void momentum(In q, In v, Out p);                  // [N][n]
  void energy(In q, In v, Out energy);               // [N]
  void inverse_dynamics(In q, In v, In a, Out tau);  // [N][n]

  // a [N][n]; A [N][2n][2n], B [N][2n][m]. Both return the first point where M(q) is not positive
  // definite, -1 where there is none; a, A and B are NaN at such points.
  [[nodiscard]] long acceleration(In q, In v, In u, Out a);
  [[nodiscard]] long linearize(In q, In v, In u, Out a, Out b);

 private:
  struct Worker;  // the scratch memory of one thread
  struct Block {
    long first;  // of its points
    int size;    // kBlock, less in the last block; lanes beyond repeat the last point
  };

  long count(In q) const;
  long count(In q, In v, In u) const;
  void load(In x, int rows, const Block& block, AlignedVector& panel) const;
  Points load(In q, In v, In u, const Block& block, Worker& w) const;
  template <class Function>
  void for_blocks(long points, const Function& f);
  void energies(long points, In q, In v, Out out);
  void linearize_row(int row, const Block& block, Worker& w, Out a, Out b) const;
  long first_bad() const;

  const Model& model_;
  ThreadPool& pool_;
  int n_, m_;
  std::vector<Worker> workers_;
};

struct BatchDynamics::Worker {
  explicit Worker(const Model& model);
  void note_bad(LaneMask good, long first, int size);

  AccelerationWorkspace model;
  AlignedVector q, v, u, a, out;                  // [n], [n], [m], [n], [n*n]  x [kBlock]
  AlignedVector unit, slope_q, slope_v, slope_u;  // of linearize
  long bad = -1;                                  // first point that is not positive definite
};

}  // namespace mechfit
