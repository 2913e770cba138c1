#include "mechfit/base/gradient_check.h"

#include <algorithm>
#include <cmath>
#include <sstream>
#include <vector>

#include "mechfit/base/constants.h"
#include "mechfit/base/error.h"

namespace mechfit {

namespace {

struct Derivative {
  double value = 0;
  double noise = kInfinity;
};

// Ridders: central differences at steps h, h/2, h/4, ... extrapolated to h = 0 in a Neville tableau
//   T[k][0] = (f(h/2^k) - f(-h/2^k)) / (2 h/2^k)
//   T[k][j] = (4^j T[k][j-1] - T[k-1][j-1]) / (4^j - 1)
// The entry that differs least from its two parents is taken, the difference is its noise.
std::vector<Derivative> differentiate(const std::function<void(double, std::span<double>)>& f,
                                      std::size_t size, double h, int halvings) {
  std::vector<double> plus(size), minus(size);
  std::vector<std::vector<double>> last(size), row(size);
  std::vector<Derivative> best(size);
  for (int k = 0; k <= halvings; ++k, h /= 2) {
    f(h, plus);
    f(-h, minus);
    for (std::size_t i = 0; i < size; ++i) {
      row[i].assign(1, (plus[i] - minus[i]) / (2 * h));
      if (!std::isfinite(row[i][0])) best[i] = {kNan, 0};
      double factor = 4;
      for (int j = 1; j <= k; ++j, factor *= 4) {
        row[i].push_back((factor * row[i][j - 1] - last[i][j - 1]) / (factor - 1));
        const double noise =
            std::max(std::abs(row[i][j] - row[i][j - 1]), std::abs(row[i][j] - last[i][j - 1]));
        if (noise < best[i].noise) best[i] = {row[i][j], noise};
      }
      std::swap(row[i], last[i]);
    }
  }
  return best;
}

DerivativeReport compare(std::span<const Derivative> numeric, std::span<const double> given) {
  DerivativeReport report;
  double largest = 0;
  for (const auto& d : numeric) largest = std::max(largest, std::abs(d.value));
  report.nonzero = largest > 0;
  for (std::size_t i = 0; i < given.size(); ++i) {
    const double scale = std::max({std::abs(given[i]), std::abs(numeric[i].value), 1e-3 * largest});
    const double divisor = scale > 0 ? scale : 1;
    const double error = std::abs(given[i] - numeric[i].value) / divisor;
    report.worst_noise = std::max(report.worst_noise, numeric[i].noise / divisor);
    const bool worse = !(error <= report.worst_error) || report.worst_index < 0;
    if (worse && !std::isnan(report.worst_error)) {
      report.worst_error = error;
      report.worst_index = static_cast<int>(i);
      report.given = given[i];
      report.numeric = numeric[i].value;
    }
  }
  return report;
}

double largest_entry(std::span<const double> x) {
  double largest = 0;
  for (double value : x) largest = std::max(largest, std::abs(value));
  return largest;
}

}  // namespace

bool DerivativeReport::agrees(double tolerance) const {
  return nonzero && worst_error <= tolerance && worst_noise <= tolerance;
}

std::string DerivativeReport::text() const {
  std::ostringstream out;
  out.precision(17);
  out << "entry " << worst_index << ": given " << given << ", finite differences " << numeric
      << ", relative error " << worst_error << " (noise up to " << worst_noise << ")"
      << (nonzero ? "" : ", all derivatives are zero");
  return out.str();
}

DerivativeReport check_gradient(const std::function<double(std::span<const double> x)>& f,
                                std::span<const double> x, std::span<const double> gradient,
                                const DerivativeCheckOptions& options) {
  MECHFIT_CHECK(gradient.size() == x.size());
  std::vector<double> point(x.begin(), x.end());
  std::vector<Derivative> numeric;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const auto along = [&](double h, std::span<double> y) {
      point[i] = x[i] + h;
      y[0] = f(point);
      point[i] = x[i];
    };
    const double h = options.step * std::max(1.0, std::abs(x[i]));
    numeric.push_back(differentiate(along, 1, h, options.halvings)[0]);
  }
  return compare(numeric, gradient);
}

DerivativeReport check_jvp(
    const std::function<void(std::span<const double> x, std::span<double> y)>& f,
    std::span<const double> x, std::span<const double> direction, std::span<const double> jvp,
    const DerivativeCheckOptions& options) {
  MECHFIT_CHECK(direction.size() == x.size());
  std::vector<double> point(x.size());
  const auto along = [&](double h, std::span<double> y) {
    for (std::size_t i = 0; i < x.size(); ++i) point[i] = x[i] + h * direction[i];
    f(point, y);
  };
  const double length = largest_entry(direction);
  const double h = options.step * std::max(1.0, largest_entry(x)) / (length > 0 ? length : 1);
  return compare(differentiate(along, jvp.size(), h, options.halvings), jvp);
}

}  // namespace mechfit
