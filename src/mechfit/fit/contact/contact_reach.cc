#include "mechfit/fit/contact/contact_reach.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mechfit/base/constants.h"
#include "mechfit/evaluate/model_text.h"

namespace mechfit {

double gap_range(const Log& log, const Contact& contact) {
  const std::size_t n = log.n();
  double low = kInfinity, high = -kInfinity;
  for (const Trajectory& run : log.runs)
    for (int k = 0; k < run.size(); ++k) {
      const double gap = contact.gap(std::span(run.q).subspan(k * n, n));
      if (!std::isfinite(gap)) continue;
      low = std::min(low, gap);
      high = std::max(high, gap);
    }
  return high - low;
}

double gap_noise(const Log& log, const MotionNoise& noise, const Contact& contact) {
  const std::size_t n = log.n();
  std::vector<double> J(n);
  double largest = 0;
  for (const Trajectory& run : log.runs)
    for (int k = 0; k < run.size(); ++k) {
      contact.gradient(std::span(run.q).subspan(k * n, n), J);
      double variance = 0;
      for (std::size_t j = 0; j < n; ++j) variance += J[j] * J[j] * noise.sigma[j] * noise.sigma[j];
      if (std::isfinite(variance)) largest = std::max(largest, variance);
    }
  return std::sqrt(largest);
}

std::string in_words(const Contact& contact, const Channels& channels, int impacts) {
  const bool plane = contact.shape == ContactShape::half_plane;
  const std::string unit = plane ? "m" : channels.units[contact.joint];
  std::string friction;
  if (contact.friction > 0)
    friction = fmt::format(", friction {:.3g} +- {:.2g}", contact.friction, contact.friction_error);
  return fmt::format("{} at {:.4g} +- {:.2g}{}, restitution {:.3g} +- {:.2g}{} ({} impacts)",
                     contact.name, surface_position(contact), contact.position_error,
                     unit.empty() ? "" : " " + unit, contact.restitution, contact.restitution_error,
                     friction, impacts);
}

}  // namespace mechfit
