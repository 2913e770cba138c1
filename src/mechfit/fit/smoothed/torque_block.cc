#include "mechfit/fit/smoothed/torque_block.h"

#include "mechfit/fit/smoothed/objective.h"

namespace mechfit {

TorqueBlock::TorqueBlock(const Model& x, const Samples& samples)
    : e(make_panel(samples.n)),
      model(x.make_workspace()),
      mass_(make_panel(samples.n * samples.n)),
      q_(e),
      v_(e),
      a_(e),
      p_(e),
      f_(e),
      rate_(e),
      minus_lambda_(e),
      u_(make_panel(samples.m)) {}

void TorqueBlock::evaluate(const Model& x, const Samples& s, const int* items, int count) {
  gather(s.q.data(), s.n, items, count, 0, kBlock, q_.data());
  gather(s.v.data(), s.n, items, count, 0, kBlock, v_.data());
  gather(s.a.data(), s.n, items, count, 0, kBlock, a_.data());
  if (s.m > 0) gather(s.u_point.data(), s.m, items, count, 0, kBlock, u_.data());
  x.mass(q_.data(), mass_.data(), model);
  x.forces({q_.data(), v_.data(), s.m > 0 ? u_.data() : nullptr}, p_.data(), f_.data(), model);
  x.mass_rate(rate_.data(), model);
  for (int j = 0; j < s.n; ++j)
    for (int l = 0; l < kBlock; ++l) {
      double sum = rate_[j * kBlock + l] - f_[j * kBlock + l];
      for (int k = 0; k < s.n; ++k)
        sum += mass_[(j >= k ? j * s.n + k : k * s.n + j) * kBlock + l] * a_[k * kBlock + l];
      e[j * kBlock + l] = sum;
    }
}

void TorqueBlock::pullback(const Model& x, const double* lambda, const Adjoints& adjoints) {
  for (std::size_t k = 0; k < minus_lambda_.size(); ++k) minus_lambda_[k] = -lambda[k];
  Covectors covectors;
  covectors.b = minus_lambda_.data();
  covectors.c = lambda;
  covectors.acc = a_.data();
  x.pullback(covectors, adjoints, model);
}

}  // namespace mechfit
