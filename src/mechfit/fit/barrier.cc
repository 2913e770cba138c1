#include "mechfit/fit/barrier.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "mechfit/base/error.h"
#include "mechfit/mechanics/lanes.h"

namespace mechfit {
namespace {

// log of a product of many numbers with few logarithms.
class LogProduct {
 public:
  void multiply(double x) {
    product_ *= x;
    if (!(product_ > 1e-100 && product_ < 1e100)) fold();
  }
  double log() {
    fold();
    return sum_;
  }

 private:
  void fold() {
    sum_ += std::log(product_);
    product_ = 1.0;
  }
  double product_ = 1.0, sum_ = 0.0;
};

}  // namespace

struct Barrier::Worker {
  explicit Worker(const Model& m)
      : model(m.make_workspace()),
        q(make_panel(m.joints())),
        mass(make_panel(m.joints() * m.joints())),
        det(make_panel(1)) {}
  Model::Workspace model;
  AlignedVector q, mass, det;
  LogProduct product;
};

Barrier::Barrier(const Model& model, std::span<const double> q, int n, ThreadPool& pool,
                 std::vector<double> scales)
    : q_(q),
      n_(n),
      count_(static_cast<int>(q.size()) / n),
      scales_(std::move(scales)),
      sums_(pool, model.merged_size()) {
  MECHFIT_CHECK(model.joints() == n && count_ > 0);
  if (scales_.empty()) scales_.assign(n, 1.0);
  MECHFIT_CHECK(static_cast<int>(scales_.size()) == n);
  all_.resize(count_);
  std::iota(all_.begin(), all_.end(), 0);
  for (int i = 0; i < pool.size(); ++i) workers_.push_back(std::make_unique<Worker>(model));
}

Barrier::~Barrier() = default;

// w.mass = S M S - shift I at the points named by index
void Barrier::load_mass(const Model& model, const int* index, int count, double shift,
                        Worker& w) const {
  for (int lane = 0; lane < kBlock; ++lane) {
    const double* row =
        q_.data() + static_cast<std::ptrdiff_t>(index[lane < count ? lane : 0]) * n_;
    for (int i = 0; i < n_; ++i) w.q[i * kBlock + lane] = row[i];
  }
  model.mass(w.q.data(), w.mass.data(), w.model);
  for (int i = 0; i < n_; ++i)
    for (int j = 0; j <= i; ++j) {
      const double factor = scales_[i] * scales_[j], less = i == j ? shift : 0.0;
      double* entry = &w.mass[(i * n_ + j) * kBlock];
      for_lanes([&](int lane) { entry[lane] = factor * entry[lane] - less; });
    }
}

// Multiplies the determinants of one block into the worker's product; with `gradient` <W, M> is
// pulled back for W = scale S (S M S - alpha I)^-1 S. Infinite when a point is not feasible.
double Barrier::block(const Model& model, const int* index, int count, double scale, bool gradient,
                      Worker& w) const {
  load_mass(model, index, count, alpha_, w);
  invert(n_, w.mass.data(), w.mass.data(), w.det.data());
  for (int lane = 0; lane < count; ++lane) {
    if (!(w.det[lane] > 0)) return std::numeric_limits<double>::infinity();
    w.product.multiply(w.det[lane]);
  }
  if (!gradient) return 0.0;
  for (int i = 0; i < n_; ++i)
    for (int j = 0; j <= i; ++j) {
      const double factor = scale * scales_[i] * scales_[j];
      double* entry = &w.mass[(i * n_ + j) * kBlock];
      for_lanes([&](int lane) { entry[lane] *= factor; });
      std::fill(entry + count, entry + kBlock, 0.0);
    }
  Adjoints adjoints;
  adjoints.theta = true;
  model.mass_pullback(w.mass.data(), adjoints, w.model);
  return 0.0;
}

double Barrier::operator()(const Model& model, std::span<const int> subset, double weight,
                           std::span<double> gradient) {
  if (subset.empty()) subset = all_;
  const bool wants_gradient = !gradient.empty();
  const int size = static_cast<int>(subset.size());
  const int chunks = (size + kChunk - 1) / kChunk;
  const double sum = sums_(chunks, wants_gradient, [&](int chunk, int worker, auto out) {
    Worker& scratch = *workers_[worker];
    const int begin = chunk * kChunk, end = std::min(begin + kChunk, size);
    if (wants_gradient) model.clear_gradient(scratch.model);
    scratch.product = {};
    double bad = 0.0;
    for (int at = begin; at < end && bad == 0.0; at += kBlock)
      bad = block(model, &subset[at], std::min(kBlock, end - at), -weight / size, wants_gradient,
                  scratch);
    if (bad != 0.0) return -bad;
    if (wants_gradient) model.add_gradient(scratch.model, out);
    return scratch.product.log();
  });
  if (!std::isfinite(sum)) return std::numeric_limits<double>::infinity();
  if (wants_gradient) {
    std::fill(gradient.begin(), gradient.end(), 0.0);
    model.expand_gradient(sums_.gradient(), gradient);
  }
  return -sum / size;
}

double Barrier::smallest_eigenvalue(const Model& model) const {
  Worker& w = *workers_[0];
  double smallest = std::numeric_limits<double>::infinity();
  Eigen::MatrixXd m(n_, n_);
  for (int begin = 0; begin < count_; begin += kBlock) {
    const int count = std::min(kBlock, count_ - begin);
    load_mass(model, &all_[begin], count, 0.0, w);
    for (int lane = 0; lane < count; ++lane) {
      for (int i = 0; i < n_; ++i)
        for (int j = 0; j <= i; ++j) m(i, j) = m(j, i) = w.mass[(i * n_ + j) * kBlock + lane];
      const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(m, Eigen::EigenvaluesOnly);
      smallest = std::fmin(smallest, solver.eigenvalues()[0]);
    }
  }
  return smallest;
}

}  // namespace mechfit
