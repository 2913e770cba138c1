#include "mechfit/log/continue_runs.h"

#include "mechfit/base/median.h"
#include "mechfit/base/text.h"
#include "mechfit/log/steps.h"

namespace mechfit {
namespace {

// Median steps between the last sample of a file and the first of the next one: a few messages may
// be lost when files are changed. Whether the motion bridges the gap is asked later (gaps.h).
constexpr double kLongest = 10.0;

constexpr std::size_t kNone = static_cast<std::size_t>(-1);

bool goes_on(const Trajectory& run) { return run.size() > 1 && run.t.front() < run.t.back(); }

// The run whose stamps go on from those of run i, kNone where there is none. Each ends later than
// the one before, so that a chain of them has an end.
std::size_t next_of(const std::vector<Trajectory>& runs, std::size_t i) {
  if (!goes_on(runs[i])) return kNone;
  double nearest = kLongest * median(steps_of(runs[i]));
  std::size_t next = kNone;
  for (std::size_t j = 0; j < runs.size(); ++j) {
    if (!goes_on(runs[j])) continue;
    const double step = runs[j].t.front() - runs[i].t.back();
    if (j == i || !(step > 0 && step <= nearest)) continue;
    nearest = step;
    next = j;
  }
  return next;
}

// Arrays that only one of the two has are lost; lines of two files are no place in one.
void append(Trajectory& run, const Trajectory& more) {
  for (const auto values :
       {&Trajectory::t, &Trajectory::q, &Trajectory::u, &Trajectory::qd, &Trajectory::qdd}) {
    auto& to = run.*values;
    const auto& from = more.*values;
    if (to.empty() || from.empty())
      to.clear();
    else
      to.insert(to.end(), from.begin(), from.end());
  }
  run.origin = {};
}

}  // namespace

void continue_runs(Log& log, std::vector<std::string>& notes) {
  std::vector<std::size_t> next(log.runs.size(), kNone);
  std::vector<bool> continues(log.runs.size(), false);
  for (std::size_t i = 0; i < next.size(); ++i) {
    const std::size_t j = next_of(log.runs, i);
    if (j == kNone || continues[j]) continue;
    next[i] = j;
    continues[j] = true;
  }
  std::vector<Trajectory> joined;
  for (std::size_t i = 0; i < next.size(); ++i) {
    if (continues[i]) continue;
    joined.push_back(log.runs[i]);
    for (std::size_t j = next[i]; j != kNone; j = next[j]) append(joined.back(), log.runs[j]);
  }
  if (joined.size() == log.runs.size()) return;
  notes.push_back(counted(static_cast<long>(log.runs.size()), "file") + " are " +
                  counted(static_cast<long>(joined.size()), "run") + ": their stamps go on");
  log.runs = std::move(joined);
}

}  // namespace mechfit
