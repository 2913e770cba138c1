#include "mechfit/log/clock.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>

#include "mechfit/base/constants.h"
#include "mechfit/base/error.h"
#include "mechfit/base/text.h"
#include "mechfit/log/origin.h"
#include "mechfit/log/reclock.h"
#include "mechfit/log/steps.h"

namespace mechfit {
namespace {

// The years 2000 and 2100 [s since 1970]: stamps between are those of a wall clock.
constexpr double kCentury[] = {946684800.0, 4102444800.0};
// Steps of machines' logs [s]. Those at the ends are rare, and between kShortest and kLongest a
// step of whole ms, us or ns is one of one unit only.
constexpr double kShortestStep = 5e-4, kLongestStep = 0.5;
// The same for stamps that tell their unit by the century.
constexpr double kAnyStep[] = {1e-6, 100.0};
// Whole numbers that are closer together may be seconds, or count samples.
constexpr double kFewestUnits = 2.0;
// Of the median step, what a stamp may be rounded by: finer grids divide steps by up to 64
// (refine.h).
constexpr double kCoarsest = 1e-3;

double first_stamp(const Log& log) {
  double first = kInfinity;
  for (const Trajectory& run : log.runs)
    if (!run.t.empty()) first = std::min(first, run.t.front());
  return first;
}

bool whole_numbers(const Log& log) {
  for (const Trajectory& run : log.runs)
    for (const double t : run.t)
      if (t != std::round(t)) return false;
  return true;
}

void convert_to_seconds(Log& log, const ReadOptions& options, std::vector<std::string>& notes) {
  if (!log.channels.time_unit.empty()) return;  // the reader has done it
  const auto unit = options.time_unit ? options.time_unit : guess_time_unit(log);
  if (!unit) return;
  log.channels.time_unit = name_of(*unit);
  if (*unit == TimeUnit::s) return;
  if (!options.time_unit)
    notes.push_back(
        fmt::format("the clock counts {}, by its steps of {:.6g}: converted to seconds (option "
                    "'time_unit' says "
                    "otherwise)",
                    name_of(*unit), median_step(log)));
  for (Trajectory& run : log.runs)
    for (double& t : run.t) t *= seconds_per(*unit);
}

// A wall clock's numbers are large and tell little.
void start_near_zero(Log& log, std::vector<std::string>& notes) {
  const double first = std::floor(first_stamp(log));
  if (first < kCentury[0] || first > kCentury[1]) return;
  const auto seconds = static_cast<std::time_t>(first);
  std::tm date{};
  gmtime_r(&seconds, &date);
  char text[40];
  std::strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", &date);
  notes.push_back(fmt::format("time counts from {} UTC, {:.0f} s since 1970", text, first));
  for (Trajectory& run : log.runs)
    for (double& t : run.t) t -= first;
}

bool same_row(const Trajectory& run, int k) {
  for (const auto values :
       {&Trajectory::t, &Trajectory::q, &Trajectory::u, &Trajectory::qd, &Trajectory::qdd}) {
    const std::size_t width = (run.*values).size() / run.t.size();
    const double* row = (run.*values).data() + k * width;
    if (!std::equal(row, row + width, row - width)) return false;
  }
  return true;
}

// Samples of a run that go; what they have in common is told once for the log.
struct LeftOut {
  long count = 0;
  std::string first;
};

template <class IsBad>
LeftOut leave_out(Log& log, IsBad is_bad) {
  LeftOut out;
  for (Trajectory& run : log.runs) {
    std::vector<int> kept;
    for (int k = 0; k < run.size(); ++k) {
      const bool bad = k > 0 && is_bad(run, k, kept.back());
      if (!bad) kept.push_back(k);
      if (bad && out.count++ == 0) out.first = place_of(run, k);
    }
    if (static_cast<int>(kept.size()) < run.size()) run = take_samples(run, kept);
  }
  return out;
}

[[noreturn]] void refuse(const Log& log) {
  const Trajectory* first = nullptr;
  long count = 0;
  int at = 0;
  for (const Trajectory& run : log.runs)
    for (int k = 1; k < run.size(); ++k)
      if (!(run.t[k] > run.t[k - 1]) && count++ == 0) first = &run, at = k;
  const double t = first->t[at], before = first->t[at - 1];
  throw InputError(
      place_of(*first, at) + ": time " +
      (t == before ? fmt::format("{} is repeated", t)
                   : fmt::format("{} goes back from {}", t, before)) +
      (count > 1 ? fmt::format(", the first of {} such rows", count) : "") +
      " (option 'reclock' mends stamps that jitter, option 'drop_bad_rows' leaves such rows out)");
}

void put_in_order(Log& log, const ReadOptions& options, std::vector<std::string>& notes) {
  if (options.reclock) {
    reclock(log, notes);
    return;
  }
  const auto stands = [](const Trajectory& run, int k, int last) {
    return !(run.t[k] > run.t[last]);
  };
  if (options.drop_bad_rows) {
    const LeftOut back = leave_out(log, stands);
    if (back.count > 0)
      notes.push_back(fmt::format("left out {} whose time does not increase, the first is {}",
                                  counted(back.count, "row"), back.first));
    return;
  }
  for (const Trajectory& run : log.runs)
    for (int k = 1; k < run.size(); ++k)
      if (!(run.t[k] > run.t[k - 1])) refuse(log);
}

// Large numbers have no room for finer steps between them.
void expect_room_between_stamps(const Log& log) {
  const double step = median_step(log);
  for (const Trajectory& run : log.runs)
    for (int k = 0; k < run.size(); ++k)
      if (const double t = std::abs(run.t[k]);
          step > 0 && std::nextafter(t, kInfinity) - t > kCoarsest * step)
        throw InputError(place_of(run, k) +
                         fmt::format(": time {:.6g} is too large a number to tell steps of {:.6g} "
                                     "apart, expected time from the start of the log",
                                     run.t[k], step));
}

}  // namespace

double seconds_per(TimeUnit unit) {
  switch (unit) {
    case TimeUnit::s:
      return 1.0;
    case TimeUnit::ms:
      return 1e-3;
    case TimeUnit::us:
      return 1e-6;
    case TimeUnit::ns:
      return 1e-9;
  }
  return 1.0;
}

std::optional<TimeUnit> guess_time_unit(const Log& log) {
  const double step = median_step(log), first = first_stamp(log);
  if (!(step > 0)) return std::nullopt;
  for (const auto& [unit, name] : kNames<TimeUnit>) {
    const double second = seconds_per(unit);
    if (first * second > kCentury[0] && first * second < kCentury[1] &&
        step * second > kAnyStep[0] && step * second < kAnyStep[1])
      return unit;
  }
  if (step < kFewestUnits || !whole_numbers(log)) return std::nullopt;
  for (const auto& [unit, name] : kNames<TimeUnit>) {
    const double seconds = step * seconds_per(unit);
    if (unit != TimeUnit::s && seconds >= kShortestStep && seconds < kLongestStep) return unit;
  }
  return std::nullopt;
}

bool looks_like_another_unit(const Log& log) {
  return guess_time_unit(log).value_or(TimeUnit::s) != TimeUnit::s;
}

void settle_clock(Log& log, const ReadOptions& options, std::vector<std::string>& notes) {
  std::erase_if(log.runs, [](const Trajectory& run) { return run.t.empty(); });
  if (log.runs.empty()) return;
  convert_to_seconds(log, options, notes);
  start_near_zero(log, notes);
  const LeftOut twice =
      leave_out(log, [](const Trajectory& run, int k, int) { return same_row(run, k); });
  if (twice.count > 0)
    notes.push_back(fmt::format("left out {} that repeat{} the one before, the first is {}",
                                counted(twice.count, "row"), twice.count == 1 ? "s" : "",
                                twice.first));
  put_in_order(log, options, notes);
  expect_room_between_stamps(log);
}

}  // namespace mechfit
