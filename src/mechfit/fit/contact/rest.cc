#include "mechfit/fit/contact/rest.h"

#include <algorithm>
#include <cmath>

#include "mechfit/fit/contact/contact_reach.h"

namespace mechfit {
namespace {

// Samples at rest: as many as the widest window that looks for jumps has on a side, more than a
// turning point near the contact has.
constexpr int kFewest = 40;
// Mean square of phi over them, in units of the noise's variance: 1 at rest, with a standard
// deviation of 0.22; of a bounce as high as three deviations it is about 5.
constexpr double kMost = 2;

// (phi / sd)^2 of every sample; an unobserved one says nothing against rest.
std::vector<double> squares_of(const Trajectory& run, std::size_t n, const Contact& contact,
                               double sd) {
  std::vector<double> out(run.size());
  for (int k = 0; k < run.size(); ++k) {
    const double z = contact.gap(std::span(run.q).subspan(k * n, n)) / sd;
    out[k] = std::isfinite(z) ? z * z : 1;
  }
  return out;
}

// Stretches [begin, end) whose windows all lie on the contact.
std::vector<std::pair<int, int>> stretches(const std::vector<double>& squares) {
  std::vector<std::pair<int, int>> out;
  double sum = 0;
  for (int k = 0; k < static_cast<int>(squares.size()); ++k) {
    sum += squares[k];
    if (k >= kFewest) sum -= squares[k - kFewest];
    if (k + 1 < kFewest || sum > kMost * kFewest) continue;
    const int begin = k + 1 - kFewest;
    if (!out.empty() && begin <= out.back().second)
      out.back().second = k + 1;
    else
      out.push_back({begin, k + 1});
  }
  return out;
}

}  // namespace

void leave_out_rest(const Log& log, const MotionNoise& noise, const Contacts& contacts,
                    std::vector<Impact>& impacts) {
  for (int c = 0; c < static_cast<int>(contacts.size()); ++c) {
    if (contacts[c].shape != ContactShape::half_plane) continue;
    const double sd = gap_noise(log, noise, contacts[c]);
    if (!(sd > 0)) continue;
    for (int r = 0; r < static_cast<int>(log.runs.size()); ++r) {
      const Trajectory& run = log.runs[r];
      for (auto [begin, end] : stretches(squares_of(run, log.n(), contacts[c], sd))) {
        int before = std::max(0, begin - 1), after = std::min(end, run.size() - 1);
        std::erase_if(impacts, [&](const Impact& impact) {
          const bool within = impact.run == r && impact.before < after && before < impact.after;
          if (within) before = std::min(before, impact.before);
          if (within) after = std::max(after, impact.after);
          return within;
        });
        impacts.push_back({r, c, before, after, run.t[before]});
      }
    }
  }
  put_in_order(impacts);
}

}  // namespace mechfit
