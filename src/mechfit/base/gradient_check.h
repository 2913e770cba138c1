#pragma once

#include <functional>
#include <span>
#include <string>

namespace mechfit {

// How a derivative compares with finite differences. The error of an entry is
//   |given - numeric| / max(|given|, |numeric|, 1e-3 of the largest numeric entry)
struct DerivativeReport {
  double worst_error = 0;  // NaN when a value was not finite
  int worst_index = -1;
  double given = 0, numeric = 0;  // the worst entry
  double worst_noise = 0;  // estimated error of the finite differences, relative like worst_error
  bool nonzero = false;    // some numeric entry is not zero

  // Right to `tolerance`, and a test that could have failed: not all zero, noise below tolerance.
  bool agrees(double tolerance) const;
  std::string text() const;
};

struct DerivativeCheckOptions {
  double step = 1e-2;  // largest, times max(1, |x|); halved and extrapolated (Ridders)
  int halvings = 7;
};

// gradient[i] against df/dx_i.
DerivativeReport check_gradient(const std::function<double(std::span<const double> x)>& f,
                                std::span<const double> x, std::span<const double> gradient,
                                const DerivativeCheckOptions& options = {});

// jvp = (df/dx) direction for a vector function, which writes y [jvp.size()].
DerivativeReport check_jvp(
    const std::function<void(std::span<const double> x, std::span<double> y)>& f,
    std::span<const double> x, std::span<const double> direction, std::span<const double> jvp,
    const DerivativeCheckOptions& options = {});

}  // namespace mechfit
