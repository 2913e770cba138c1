#include "mechfit/fit/smoothed/barrier.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <limits>

#include "mechfit/base/error.h"
#include "mechfit/mechanics/lanes.h"

namespace mechfit {
namespace {

// Points in panels [n][kBlock], one after the other; unused lanes repeat the first point.
std::size_t panels_size(int count, int n) {
  return static_cast<std::size_t>((count + kBlock - 1) / kBlock) * n * kBlock;
}
std::size_t in_panels(std::size_t point, int i, int n) {
  return (point / kBlock * n + i) * kBlock + point % kBlock;
}

}  // namespace

struct Barrier::Worker {
  explicit Worker(const Model& m)
      : model(m.make_workspace()),
        mass(make_panel(m.joints() * m.joints())),
        log_det(make_panel(1)) {}
  Model::Workspace model;
  AlignedVector mass, log_det;
};

Barrier::Barrier(const Model& model, std::span<const double> q, int n, ThreadPool& pool,
                 std::vector<double> scales)
    : n_(n),
      count_(static_cast<int>(q.size()) / n),
      chosen_count_(count_),
      scales_(std::move(scales)),
      sums_(pool, model.merged_size()) {
  MECHFIT_CHECK(model.joints() == n && count_ > 0);
  if (scales_.empty()) scales_.assign(n, 1.0);
  MECHFIT_CHECK(static_cast<int>(scales_.size()) == n);
  q_.resize(panels_size(count_, n));
  for (std::size_t k = 0; k < q_.size() / static_cast<std::size_t>(n); ++k)
    for (int i = 0; i < n; ++i)
      q_[in_panels(k, i, n)] = q[(k < static_cast<std::size_t>(count_) ? k : 0) * n + i];
  for (int i = 0; i < pool.size(); ++i) workers_.push_back(std::make_unique<Worker>(model));
}

Barrier::~Barrier() = default;

void Barrier::choose(std::span<const int> index) {
  chosen_count_ = index.empty() ? count_ : static_cast<int>(index.size());
  chosen_.resize(panels_size(index.empty() ? 0 : chosen_count_, n_));
  for (std::size_t k = 0; k < chosen_.size() / static_cast<std::size_t>(n_); ++k)
    for (int i = 0; i < n_; ++i)
      chosen_[in_panels(k, i, n_)] = q_[in_panels(index[k < index.size() ? k : 0], i, n_)];
}

// The sum of log det of one block, NaN when a point is not feasible; with `gradient` <W, M> is
// pulled back for W = -weight / points S (S M S - alpha I)^-1 S.
double Barrier::block(const double* q, int count, bool gradient, Worker& w) const {
  model_->mass(q, w.mass.data(), w.model);
  shifted_inverse(n_, w.mass.data(), scales_.data(), alpha_, -weight_ / chosen_count_,
                  w.mass.data(), w.log_det.data());
  double sum = 0.0;
  for (int lane = 0; lane < count; ++lane) sum += w.log_det[lane];
  if (!gradient || std::isnan(sum)) return sum;
  if (count < kBlock)
    for (int i = 0; i < n_ * n_; ++i)
      std::fill(&w.mass[i * kBlock + count], &w.mass[i * kBlock] + kBlock, 0.0);
  Adjoints adjoints;
  adjoints.theta = true;
  model_->mass_pullback(w.mass.data(), adjoints, w.model);
  return sum;
}

double Barrier::sum(int begin, int end, int worker, std::span<double> gradient, bool add) {
  Worker& w = *workers_[worker];
  const AlignedVector& points = chosen_.empty() ? q_ : chosen_;
  const bool wants_gradient = !gradient.empty();
  if (wants_gradient) model_->clear_gradient(w.model);
  double log_det = 0.0;
  for (int i = begin; i < end && !std::isnan(log_det); ++i)
    log_det += block(&points[static_cast<std::ptrdiff_t>(i) * n_ * kBlock],
                     std::min(kBlock, chosen_count_ - i * kBlock), wants_gradient, w);
  if (wants_gradient && !std::isnan(log_det)) model_->add_gradient(w.model, gradient, add);
  return log_det;
}

double Barrier::operator()(const Model& model, double weight, std::span<double> gradient) {
  ChunkSums::run({&prepare(model, weight, !gradient.empty())});
  return finish(gradient);
}

ChunkSums& Barrier::prepare(const Model& model, double weight, bool gradient) {
  model_ = &model;
  weight_ = weight;
  // a block takes less than half the time of one of an objective
  sums_.prepare([this](auto... x) { return sum(x...); }, (chosen_count_ + kBlock - 1) / kBlock,
                2 * kBlocksPerChunk, gradient);
  return sums_;
}

double Barrier::finish(std::span<double> gradient) {
  const double sum = sums_.value();
  if (!std::isfinite(sum)) return std::numeric_limits<double>::infinity();
  if (!gradient.empty()) model_->expand_gradient(sums_.gradient(), gradient);
  return -sum / chosen_count_;
}

double Barrier::smallest_eigenvalue(const Model& model) const {
  Worker& w = *workers_[0];
  double smallest = std::numeric_limits<double>::infinity();
  Eigen::MatrixXd m(n_, n_);
  for (int begin = 0; begin < count_; begin += kBlock) {
    const int count = std::min(kBlock, count_ - begin);
    model.mass(&q_[static_cast<std::ptrdiff_t>(begin) * n_], w.mass.data(), w.model);
    for (int lane = 0; lane < count; ++lane) {
      for (int i = 0; i < n_; ++i)
        for (int j = 0; j <= i; ++j)
          m(i, j) = m(j, i) = scales_[i] * scales_[j] * w.mass[(i * n_ + j) * kBlock + lane];
      const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(m, Eigen::EigenvaluesOnly);
      smallest = std::fmin(smallest, solver.eigenvalues()[0]);
    }
  }
  return smallest;
}

}  // namespace mechfit
