#pragma once

#include <span>

namespace mechfit {

// Noise of observations that is normal but for a small share of it, which is much wider. With z the
// residuals of a joint,
//
//   p(z) = (1 - share) N(z; 0, scale^2) + share N(z; 0, (width scale)^2)
//
// is made most likely by expectation and maximisation. An observation that belongs to the wide part
// with a probability above a half has no weight.
struct NoiseMixture {
  double share = 0;  // 0: the normal distribution alone explains the residuals
  double scale = 1, width = 1;

  // Whether a residual belongs to the wide part.
  bool wide(double z) const;
};
// The share is 0 unless the evidence for it is clear, so that good logs lose nothing.
NoiseMixture fit_noise_mixture(std::span<const double> z);

}  // namespace mechfit
