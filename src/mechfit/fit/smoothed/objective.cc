#include "mechfit/fit/smoothed/objective.h"

#include <algorithm>
#include <numeric>

#include "mechfit/base/error.h"

namespace mechfit {

void gather(const double* array, int width, const int* index, int count, int shift, int lanes,
            double* panel) {
  for (int lane = 0; lane < lanes; ++lane) {
    const double* row = array + (index[lane < count ? lane : 0] + shift) * width;
    for (int i = 0; i < width; ++i) panel[i * lanes + lane] = row[i];
  }
}

double add_squares(double weight, int count, const double* target, double* predicted,
                   double total) {
  for (int lane = 0; lane < kBlock; ++lane) {
    const double e = lane < count ? predicted[lane] - target[lane] : 0.0;
    total += weight * e * e;
    predicted[lane] = 2.0 * weight * e;
  }
  return total;
}

Objective::Objective(const Model& model, const Samples& samples, std::vector<int> items, int lanes,
                     ThreadPool& pool)
    : samples_(samples), items_(std::move(items)), lanes_(lanes), sums_(pool, model.merged_size()) {
  MECHFIT_CHECK(model.joints() == samples.n && model.inputs() == samples.m);
  MECHFIT_CHECK(!items_.empty(), "no items to fit");
  MECHFIT_CHECK(lanes_ <= kBlock);
}

Objective::~Objective() = default;

double Objective::operator()(const Model& model, std::span<const int> items,
                             std::span<double> gradient) {
  ChunkSums::run({&prepare(model, items, !gradient.empty())});
  return finish(gradient);
}

ChunkSums& Objective::prepare(const Model& model, std::span<const int> items, bool gradient) {
  MECHFIT_CHECK(!items.empty());
  model_ = &model;
  chosen_ = items;
  const int blocks = (static_cast<int>(items.size()) + lanes_ - 1) / lanes_;
  sums_.prepare([this](auto... x) { return sum(x...); }, blocks, kBlocksPerChunk, gradient);
  return sums_;
}

double Objective::finish(std::span<double> gradient) {
  if (!gradient.empty()) model_->expand_gradient(sums_.gradient(), gradient);
  return sums_.value();
}

double Objective::all(const Model& model) {
  if (all_.empty()) {
    all_.resize(items_.size());
    std::iota(all_.begin(), all_.end(), 0);
  }
  return (*this)(model, all_, {});
}

double Objective::sum(int begin, int end, int worker, std::span<double> gradient, bool add) {
  const Model& model = *model_;
  const bool wants_gradient = !gradient.empty();
  if (wants_gradient) clear_gradient(model, worker);
  const int size = static_cast<int>(chosen_.size());
  const double scale = 1.0 / size;
  double loss = 0.0;
  int index[kBlock];
  for (int first = begin * lanes_; first < std::min(end * lanes_, size); first += lanes_) {
    const int count = std::min(lanes_, size - first);
    for (int lane = 0; lane < count; ++lane) index[lane] = items_[chosen_[first + lane]];
    loss += block(model, index, count, scale, wants_gradient, worker);
  }
  if (wants_gradient) add_gradient(model, worker, gradient, add);
  return loss;
}

}  // namespace mechfit
