#include "mechfit/log/origin.h"

#include <fmt/format.h>

#include <algorithm>

namespace mechfit {
namespace {

// The first stretch that begins behind a sample.
auto stretch_behind(const Origin& origin, int sample) {
  return std::upper_bound(
      origin.stretches.begin(), origin.stretches.end(), sample,
      [](int value, const Origin::Stretch& stretch) { return value < stretch.sample; });
}

}  // namespace

void add_line(Origin& origin, int sample, long line) {
  auto& all = origin.stretches;
  if (all.empty() || all.back().line + (sample - all.back().sample) != line)
    all.push_back({sample, line});
}

long line_of(const Origin& origin, int sample) {
  const auto behind = stretch_behind(origin, sample);
  if (behind == origin.stretches.begin()) return -1;
  return (behind - 1)->line + (sample - (behind - 1)->sample);
}

std::string place_of(const Trajectory& run, int sample) {
  const long line = line_of(run.origin, sample);
  if (line < 0) return fmt::format("run {} at {:.6g} s", run.name, run.t[sample]);
  const char* between = run.origin.place == Origin::Place::line  ? ":"
                        : run.origin.place == Origin::Place::row ? " row "
                                                                 : " message ";
  return fmt::format("{}{}{}", run.origin.file, between, line);
}

Origin origin_of(const Origin& origin, int begin, int end) {
  Origin out{origin.file, origin.place, {}};
  const long first = line_of(origin, begin);
  if (first < 0 || begin >= end) return out;
  out.stretches.push_back({0, first});
  for (auto next = stretch_behind(origin, begin);
       next != origin.stretches.end() && next->sample < end; ++next)
    out.stretches.push_back({next->sample - begin, next->line});
  return out;
}

Origin origin_of(const Origin& origin, const std::vector<int>& samples) {
  Origin out{origin.file, origin.place, {}};
  if (origin.stretches.empty()) return out;
  for (std::size_t k = 0; k < samples.size(); ++k)
    add_line(out, static_cast<int>(k), line_of(origin, samples[k]));
  return out;
}

Trajectory take_samples(const Trajectory& run, const std::vector<int>& samples) {
  Trajectory out;
  out.name = run.name;
  out.sample_step = run.sample_step;
  for (const auto values :
       {&Trajectory::t, &Trajectory::q, &Trajectory::u, &Trajectory::qd, &Trajectory::qdd,
        &Trajectory::q_sd, &Trajectory::qd_sd, &Trajectory::qdd_sd}) {
    const auto width = static_cast<std::ptrdiff_t>((run.*values).size() / run.t.size());
    (out.*values).reserve(samples.size() * static_cast<std::size_t>(width));
    for (const int k : samples) {
      const auto from = (run.*values).begin() + k * width;
      (out.*values).insert((out.*values).end(), from, from + width);
    }
  }
  out.origin = origin_of(run.origin, samples);
  return out;
}

}  // namespace mechfit
