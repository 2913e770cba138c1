#include "mechfit/log/acting_input.h"

#include <algorithm>
#include <cmath>

#include "mechfit/base/error.h"
#include "mechfit/log/refine.h"
#include "mechfit/log/split.h"

namespace mechfit {
namespace {

// Share of a step by which a time may miss a sample's and still be taken for it: a delay of a whole
// number of samples comes from decimal numbers.
constexpr double kRounding = 1e-9;

}  // namespace

ActingInput::ActingInput(std::vector<double> t, std::vector<double> u, int m,
                         const InputTiming& timing)
    : t_(std::move(t)), u_(std::move(u)), m_(m), timing_(timing) {
  MECHFIT_CHECK(!t_.empty() && u_.size() == t_.size() * m_);
  MECHFIT_CHECK(timing.delay >= 0 && timing.lag >= 0);
  if (timing.lag == 0) return;
  x_.assign(u_.begin(), u_.begin() + m_);
  for (std::size_t k = 0; k + 1 < t_.size(); ++k)
    for (int i = 0; i < m_; ++i) x_.push_back(filtered(static_cast<int>(k), t_[k + 1], i));
}

ActingInput ActingInput::with_cubics(int parts) const {
  std::vector<double> t;
  for (std::size_t k = 0; k + 1 < t_.size(); ++k)
    for (int part = 0; part < parts; ++part)
      t.push_back(t_[k] + (t_[k + 1] - t_[k]) * part / parts);
  t.push_back(t_.back());
  std::vector<double> u = interpolate(t_, u_, m_, t);
  return {std::move(t), std::move(u), m_, timing_};
}

int ActingInput::segment(double t, int from) const {
  const int last = static_cast<int>(t_.size()) - 1;
  if (from < 0 || t < t_[from])
    return static_cast<int>(std::upper_bound(t_.begin(), t_.end(), t) - t_.begin()) - 1;
  int k = from;
  while (k < last && t_[k + 1] <= t) ++k;
  return k;
}

double ActingInput::slope(int k, int i) const {
  if (timing_.hold == InputHold::held || k < 0 || k + 1 == static_cast<int>(t_.size())) return 0;
  return (u_[(k + 1) * m_ + i] - u_[k * m_ + i]) / (t_[k + 1] - t_[k]);
}

double ActingInput::signal(int k, double t, int i) const {
  return k < 0 ? u_[i] : u_[k * m_ + i] + slope(k, i) * (t - t_[k]);
}

// With u = a + b (t - t_k): x = u - b lag + (x_k - a + b lag) exp(-(t - t_k) / lag)
double ActingInput::filtered(int k, double t, int i) const {
  if (timing_.lag == 0 || k < 0) return signal(k, t, i);
  const double behind = slope(k, i) * timing_.lag;
  return signal(k, t, i) - behind +
         (x_[k * m_ + i] - u_[k * m_ + i] + behind) * std::exp(-(t - t_[k]) / timing_.lag);
}

double ActingInput::integral(int k, double from, double to, int i) const {
  return (to - from) * signal(k, 0.5 * (from + to), i);
}

// The lag takes nothing away: int x dt = int u dt - lag (x(to) - x(from)).
void ActingInput::mean(double from, double to, int& k, double* out) const {
  const int last = static_cast<int>(t_.size()) - 1;
  k = segment(from, k);
  const int first = k;
  double time = 0;
  std::fill_n(out, m_, 0.0);
  for (double at = from;;) {
    const double end = k < last ? std::min(to, t_[k + 1]) : to;
    for (int i = 0; i < m_; ++i) out[i] += integral(k, at, end, i);
    time += end - at;
    if (end >= to) break;
    at = end;
    ++k;
  }
  for (int i = 0; i < m_; ++i) {
    if (timing_.lag > 0) {
      out[i] = (out[i] - timing_.lag * (filtered(k, to, i) - filtered(first, from, i))) / time;
    } else {  // one value that stands for the whole step is not rounded
      out[i] = k == first && slope(k, i) == 0 ? signal(k, from, i) : out[i] / time;
    }
  }
}

std::vector<double> ActingInput::means(std::span<const double> times) const {
  std::vector<double> out(times.size() * m_);
  int k = -1;
  for (std::size_t s = 0; s + 1 < times.size(); ++s)
    mean(times[s] - timing_.delay, times[s + 1] - timing_.delay, k, &out[s * m_]);
  if (times.empty()) return out;
  const double end = times.back() - timing_.delay;
  k = segment(end, k);
  for (int i = 0; i < m_; ++i) out[out.size() - m_ + i] = filtered(k, end, i);
  return out;
}

std::vector<double> ActingInput::at(std::span<const double> times, InputAtSample side) const {
  std::vector<double> out;
  int k = -1;
  for (const double time : times) {
    const double t = time - timing_.delay;
    k = segment(t, k);
    const int last = static_cast<int>(t_.size()) - 1;
    int before = k, after = k;  // the segments on either side of a sample
    if (k >= 1 && t - t_[k] <= kRounding * (t_[k] - t_[k - 1])) before = k - 1;
    if (k < last && k >= 0 && t_[k + 1] - t <= kRounding * (t_[k + 1] - t_[k])) after = k + 1;
    if (side == InputAtSample::next) before = after;
    for (int i = 0; i < m_; ++i)
      out.push_back(0.5 * (filtered(before, t, i) + filtered(after, t, i)));
  }
  return out;
}

std::vector<double> ActingInput::logged(std::span<const double> times) const {
  std::vector<double> out;
  int k = 0;
  for (const double t : times) {
    k = std::max(0, segment(t, k));
    out.insert(out.end(), &u_[k * m_], &u_[k * m_] + m_);
  }
  return out;
}

void set_input_timing(Log& log, const InputTiming& timing) {
  for (Trajectory& run : log.runs) {
    if (run.u.empty() || (run.input && run.input->timing() == timing)) continue;
    run.input = run.input ? std::make_shared<const ActingInput>(*run.input, timing)
                          : std::make_shared<const ActingInput>(run.t, run.u, log.m(), timing);
    run.u = run.input->means(run.t);
  }
}

Log with_known_inputs(const Log& log) {
  Log out;
  out.channels = log.channels;
  for (const Trajectory& run : log.runs) {
    const double from = run.input ? run.input->known_from() : run.t.front();
    const auto first = std::lower_bound(run.t.begin(), run.t.end(), from) - run.t.begin();
    if (run.size() - first < kShortestRun) continue;
    out.runs.push_back(
        first == 0 ? run : slice(run, log.n(), log.m(), static_cast<int>(first), run.size()));
  }
  return out;
}

void restore_logged_inputs(Log& log) {
  for (Trajectory& run : log.runs)
    if (run.input) run.u = run.input->logged(run.t);
}

std::vector<double> step_inputs(const Trajectory& run, int m, std::span<const double> times) {
  if (run.u.empty()) return {};
  return run.input ? run.input->means(times) : ActingInput(run.t, run.u, m, {}).means(times);
}

std::vector<double> inner_inputs(const Trajectory& run, int m, int from, int steps, int parts) {
  std::vector<double> out;
  if (!run.input || (parts == 1 && !run.u.empty())) {
    for (int k = from; k < from + steps; ++k)
      for (int part = 0; part < parts; ++part)
        out.insert(out.end(), &run.u[k * m], &run.u[k * m] + m);
    return out;
  }
  std::vector<double> times;
  for (int k = from; k < from + steps; ++k)
    for (int part = 0; part < parts; ++part)
      times.push_back(run.t[k] + (run.t[k + 1] - run.t[k]) * part / parts);
  times.push_back(run.t[from + steps]);
  out = run.input->means(times);
  out.resize(out.size() - m);
  return out;
}

std::vector<double> sample_inputs(const Trajectory& run, int m, InputAtSample side) {
  if (run.u.empty()) return {};
  return run.input ? run.input->at(run.t, side) : ActingInput(run.t, run.u, m, {}).at(run.t, side);
}

}  // namespace mechfit
