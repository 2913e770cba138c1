#pragma once

#include <span>
#include <vector>

namespace mechfit {

// Least squares |B x + w|^2 whose rows reach over few neighbouring unknowns, by orthogonal
// transformations: R x + d and what is left. It keeps twice the digits of B'B, which a Cholesky
// factor of normal equations loses.
class BandedQr {
 public:
  // Unknowns, and columns that a row of R may reach over.
  void reset(int size, int width);

  // Rows of (B, w) [rows][columns + 1] over unknowns begin .. begin + columns - 1; they are used
  // up. Blocks come in the order of their first unknown, and each reaches as far as those before it
  // or farther, with zeros if need be.
  void add(int begin, int rows, int columns, std::span<double> block);

  bool full_rank() const;
  double log_determinant() const;                  // of B'B
  double residual2() const { return residual2_; }  // the minimum of |B x + w|^2
  std::span<const double> d() const { return d_; }
  void solve(std::span<double> x) const;  // R x = b, in place of b

 private:
  int size_ = 0, width_ = 0, reach_ = 0;
  std::vector<double> r_;  // [size][width], from the diagonal on
  std::vector<double> d_;  // [size]
  std::vector<double> reflected_;
  double residual2_ = 0;
};

}  // namespace mechfit
