#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace mechfit {

// A symmetric matrix whose entries (i, j) vanish for |i - j| > half, by rows of its lower triangle;
// factored in place, and everything below in time linear in its size.
class Banded {
 public:
  Banded() = default;
  Banded(int size, int half) { reset(size, half); }
  void reset(int size, int half);  // all zero

  int size() const { return size_; }
  int half() const { return half_; }
  double& at(int i, int j) { return data_[place(i, j)]; }  // i - half <= j <= i
  double at(int i, int j) const { return data_[place(i, j)]; }
  std::span<double> data() { return data_; }
  std::span<const double> data() const { return data_; }

  // Cholesky factor A = L L' in place; false when A is not positive definite.
  [[nodiscard]] bool factor();

  // With the factor in place:
  double log_determinant() const;               // of A
  void solve_lower(std::span<double> x) const;  // L x = b, in place of b
  void solve_upper(std::span<double> x) const;  // L' x = b
  void solve(std::span<double> x) const;        // A x = b
  // L X = B for `count` rows of X, B [size][columns] from row `first` on; X's rows before, as far
  // as the band reaches back, stand before `rows`.
  void solve_lower(int columns, int first, int count, double* rows) const;
  Banded inverse() const;  // the entries of A^-1 within the band (Takahashi)

 private:
  int stride() const { return half_ + 1; }
  std::size_t place(int i, int j) const {
    return static_cast<std::size_t>(i) * stride() + (j - i + half_);
  }

  int size_ = 0, half_ = 0;
  std::vector<double> data_;  // [size][half + 1]
};

}  // namespace mechfit
