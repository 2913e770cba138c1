#include "mechfit/estimate/motion/banded_qr.h"

#include <algorithm>
#include <cmath>

#include "mechfit/base/error.h"

namespace mechfit {

void BandedQr::reset(int size, int width) {
  MECHFIT_CHECK(size > 0 && width > 0);
  size_ = size;
  width_ = width;
  r_.assign(static_cast<std::size_t>(size) * width, 0.0);
  d_.assign(size, 0.0);
  reflected_.assign(width + 1, 0.0);
  residual2_ = 0;
  reach_ = 0;
}

// Column by column a reflection of (R's row, the new rows) that leaves zero below R's diagonal:
//   v = (alpha - beta, x),  beta = -sign(alpha) |(alpha, x)|,  row -= v (v'row) 2 / v'v
void BandedQr::add(int begin, int rows, int columns, std::span<double> block) {
  MECHFIT_CHECK(begin >= 0 && begin + columns <= size_ && columns <= width_);
  MECHFIT_CHECK(begin + columns >= reach_, "a block ends before the one before it");
  reach_ = begin + columns;
  const int stride = columns + 1;
  MECHFIT_CHECK(block.size() >= static_cast<std::size_t>(rows) * stride);
  for (int c = 0; c < columns; ++c) {
    double below = 0;
    for (int i = 0; i < rows; ++i) below += block[i * stride + c] * block[i * stride + c];
    if (below == 0) continue;
    double* r = &r_[static_cast<std::size_t>(begin + c) * width_] - c;  // r[j]: column begin + j
    double& d = d_[begin + c];
    const double alpha = r[c];
    const double beta =
        alpha > 0 ? -std::sqrt(alpha * alpha + below) : std::sqrt(alpha * alpha + below);
    const double v0 = alpha - beta, scale = 2 / (v0 * v0 + below);
    double* t = reflected_.data();
    for (int j = c + 1; j < columns; ++j) t[j] = v0 * r[j];
    t[columns] = v0 * d;
    for (int i = 0; i < rows; ++i) {
      const double* row = &block[i * stride];
      const double v = row[c];
      for (int j = c + 1; j <= columns; ++j) t[j] += v * row[j];
    }
    for (int j = c + 1; j <= columns; ++j) t[j] *= scale;
    r[c] = beta;
    for (int j = c + 1; j < columns; ++j) r[j] -= v0 * t[j];
    d -= v0 * t[columns];
    for (int i = 0; i < rows; ++i) {
      double* row = &block[i * stride];
      const double v = row[c];
      for (int j = c + 1; j <= columns; ++j) row[j] -= v * t[j];
    }
  }
  for (int i = 0; i < rows; ++i)
    residual2_ += block[i * stride + columns] * block[i * stride + columns];
}

bool BandedQr::full_rank() const {
  for (int i = 0; i < size_; ++i) {
    const double pivot = std::abs(r_[static_cast<std::size_t>(i) * width_]);
    if (!(pivot > 0) || !std::isfinite(pivot)) return false;
  }
  return true;
}

double BandedQr::log_determinant() const {
  double sum = 0;
  for (int i = 0; i < size_; ++i)
    sum += std::log(std::abs(r_[static_cast<std::size_t>(i) * width_]));
  return 2 * sum;
}

void BandedQr::solve(std::span<double> x) const {
  MECHFIT_CHECK(x.size() == static_cast<std::size_t>(size_));
  for (int i = size_ - 1; i >= 0; --i) {
    const double* r = &r_[static_cast<std::size_t>(i) * width_];
    double sum = x[i];
    const int reach = std::min(width_, size_ - i);
    for (int k = 1; k < reach; ++k) sum -= r[k] * x[i + k];
    x[i] = sum / r[0];
  }
}

}  // namespace mechfit
