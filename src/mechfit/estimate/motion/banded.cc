#include "mechfit/estimate/motion/banded.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "mechfit/base/error.h"

namespace mechfit {

void Banded::reset(int size, int half) {
  MECHFIT_CHECK(size > 0 && half >= 0);
  size_ = size;
  half_ = half;
  data_.assign(static_cast<std::size_t>(size) * stride(), 0.0);
}

// Column by column, each taken out of the triangle of rows that it reaches: only a root and a
// division stand between one column and the next.
bool Banded::factor() {
  std::vector<double> column(half_ + 1);
  for (int j = 0; j < size_; ++j) {
    double* pivot = &at(j, j);
    if (!(*pivot > 0)) return false;
    *pivot = std::sqrt(*pivot);
    const double inverse = 1 / *pivot;
    const int reach = std::min(half_, size_ - 1 - j);
    for (int i = 1; i <= reach; ++i) {
      double* row = &at(j + i, j);
      *row *= inverse;
      column[i] = *row;
      for (int k = 1; k <= i; ++k) row[k] -= column[i] * column[k];
    }
  }
  return true;
}

double Banded::log_determinant() const {
  double sum = 0;
  for (int i = 0; i < size_; ++i) sum += std::log(at(i, i));
  return 2 * sum;
}

void Banded::solve_lower(std::span<double> x) const {
  MECHFIT_CHECK(x.size() == static_cast<std::size_t>(size_));
  for (int i = 0; i < size_; ++i) {
    double sum = x[i];
    const double inverse = 1 / at(i, i);  // the division overlaps with the sum
    for (int k = std::max(0, i - half_); k < i; ++k) sum -= at(i, k) * x[k];
    x[i] = sum * inverse;
  }
}

void Banded::solve_upper(std::span<double> x) const {
  MECHFIT_CHECK(x.size() == static_cast<std::size_t>(size_));
  for (int i = size_ - 1; i >= 0; --i) {
    x[i] /= at(i, i);
    for (int k = std::max(0, i - half_); k < i; ++k) x[k] -= at(i, k) * x[i];
  }
}

void Banded::solve(std::span<double> x) const {
  solve_lower(x);
  solve_upper(x);
}

void Banded::solve_lower(int columns, int first, int count, double* rows) const {
  for (int i = first; i < first + count; ++i) {
    double* x = rows + static_cast<std::ptrdiff_t>(i - first) * columns;
    for (int k = std::max(0, i - half_); k < i; ++k) {
      const double* other = rows + static_cast<std::ptrdiff_t>(k - first) * columns;
      const double l = at(i, k);
      for (int c = 0; c < columns; ++c) x[c] -= l * other[c];
    }
    const double inverse = 1 / at(i, i);
    for (int c = 0; c < columns; ++c) x[c] *= inverse;
  }
}

// From L' Z = L^-1, whose upper triangle is that of 1 / L_ii, backwards:
//   Z_ij = (delta_ij / L_ii - sum_k>i L_ki Z_kj) / L_ii   for j >= i
Banded Banded::inverse() const {
  Banded z(size_, half_);
  const auto symmetric = [&z](int i, int j) { return i >= j ? z.at(i, j) : z.at(j, i); };
  for (int i = size_ - 1; i >= 0; --i) {
    const int last = std::min(size_ - 1, i + half_);
    for (int j = last; j >= i; --j) {
      double sum = i == j ? 1 / at(i, i) : 0;
      for (int k = i + 1; k <= last; ++k) sum -= at(k, i) * symmetric(k, j);
      z.at(j, i) = sum / at(i, i);
    }
  }
  return z;
}

}  // namespace mechfit
