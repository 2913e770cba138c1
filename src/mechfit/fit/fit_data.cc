#include "mechfit/fit/fit_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mechfit/base/error.h"
#include "mechfit/base/text.h"
#include "mechfit/estimate/kalman/cleaning.h"
#include "mechfit/fit/data_scales.h"
#include "mechfit/fit/smoothed/samples.h"
#include "mechfit/log/acting_input.h"
#include "mechfit/log/origin.h"
#include "mechfit/log/refine.h"
#include "mechfit/log/split.h"
#include "mechfit/log/steps.h"
#include "mechfit/log/thin.h"

namespace mechfit {
namespace {

// A little less than a turn [rad]: the range above which a joint is taken to go round, so that
// no member of an ensemble of networks sees its angle itself.
constexpr double kFullTurn = 6.0;

bool turns_fully(const Log& log) {
  const int n = log.n();
  for (const auto& run : log.runs)
    for (int j = 0; j < n; ++j) {
      double least = run.q[j], most = least;
      for (int k = 0; k < run.size(); ++k) {
        least = std::min(least, run.q[k * n + j]);
        most = std::max(most, run.q[k * n + j]);
      }
      if (most - least > kFullTurn) return true;
    }
  return false;
}

// A run that repeats another one sample for sample says nothing new, and held out it would only
// flatter the model.
Log without_repeats(const Log& log, std::vector<std::string>& notes) {
  Log out;
  out.channels = log.channels;
  for (const Trajectory& run : log.runs) {
    const auto same = std::find_if(out.runs.begin(), out.runs.end(), [&](const Trajectory& other) {
      return other.q == run.q && other.u == run.u && other.t.size() == run.t.size();
    });
    if (same == out.runs.end())
      out.runs.push_back(run);
    else
      notes.push_back("run '" + run.name + "' repeats run '" + same->name + "' and is left out");
  }
  return out;
}

// Without samples that no motion explains.
Log cleaned(const Log& log, const FitOptions& options, ThreadPool& pool,
            std::vector<Warning>& warnings) {
  if (options.keep_all || options.smoothed) return log;
  CleaningResult result = clean(log, pool);
  for (Warning& warning : describe_defects(result.log, result.defects, true))
    warnings.push_back(std::move(warning));
  return std::move(result.log);
}

// Its inputs act so, and are known from the first sample of each run on.
Log with_timing(Log log, const InputTiming& timing, std::vector<std::string>& notes) {
  set_input_timing(log, timing);
  Log known = with_known_inputs(log);
  if (known.runs.empty() && !log.runs.empty())
    throw InputError(
        "every run is shorter than the time after which its inputs act (option "
        "'input_delay' or option 'input_lag')");
  if (const auto lost = log.runs.size() - known.runs.size(); lost > 0)
    notes.push_back(counted(static_cast<long>(lost), "run") +
                    " left out, too short for the delay of the inputs");
  return known;
}

// What inspect_log says of the samples that are complete.
std::vector<Warning> warnings_of(const Log& observed) {
  const std::size_t n = observed.n();
  Log log;
  log.channels = observed.channels;
  for (const Trajectory& run : observed.runs) {
    std::vector<int> complete;
    for (int k = 0; k < run.size(); ++k) {
      const double* q = &run.q[k * n];
      if (std::none_of(q, q + n, [](double x) { return std::isnan(x); })) complete.push_back(k);
    }
    if (complete.size() >= kShortestRun) log.runs.push_back(take_samples(run, complete));
  }
  return log.runs.empty() ? std::vector<Warning>() : inspect_log(log).warnings;
}

void split(const Log& logged, const std::optional<Log>& logged_validation,
           const FitOptions& options, ThreadPool& pool, FitData& data) {
  const Log observed = with_timing(logged, data.timing, data.notes);
  std::optional<Log> validation;
  if (logged_validation) validation = with_timing(*logged_validation, data.timing, data.notes);
  if (validation) {
    if (validation->n() != observed.n() || validation->m() != observed.m())
      throw InputError("the validation log has other joints or inputs than the log");
    data.train = std::make_shared<const Log>(cleaned(observed, options, pool, data.warnings));
    data.validation =
        std::make_shared<const Log>(cleaned(*validation, options, pool, data.warnings));
    return;
  }
  const Log unlike = without_repeats(observed, data.notes);
  Split parts = split_runs(cleaned(unlike, options, pool, data.warnings), options.seed);
  data.train = std::make_shared<const Log>(std::move(parts.train));
  data.validation = std::make_shared<const Log>(std::move(parts.validation));
  data.notes.push_back(parts.note);
  if (options.method == FitMethod::joint && !options.quick) data.parts = std::move(parts.others);
}

std::shared_ptr<const SmoothResult> smoothed(const std::shared_ptr<const Log>& log,
                                             const FitOptions& options, ThreadPool& pool) {
  if (options.smoothed) {
    for (const auto& run : log->runs)
      if (run.qd.size() != run.q.size() || run.qdd.size() != run.q.size())
        throw InputError("run '" + run.name +
                         "' has no velocities and accelerations (columns qd, qdd)");
    return std::make_shared<const SmoothResult>(SmoothResult{*log, {}});
  }
  SmoothOptions smoothing;
  smoothing.method = options.smoother;
  return std::make_shared<const SmoothResult>(smooth(*log, smoothing, pool));
}

std::shared_ptr<const Log> log_of(std::shared_ptr<const SmoothResult> result) {
  return {result, &result->log};
}

bool is_finer(double step, const Log& log) {
  return step > 0 && step < (1 - kSameStep) * median_step(log);
}

// The longest step that leaves the longest of a log's runs enough samples to be smoothed.
double longest_step(const Log& log) {
  double longest = 0;
  for (const Trajectory& run : log.runs)
    longest = std::max(longest, (run.t.back() - run.t.front()) / kFewestObservations);
  return longest;
}

// Joint estimation smooths with white noise on the jerk, whatever the other methods do.
void prepare_joint(const FitOptions& options, ThreadPool& pool, FitData& data) {
  if (!data.thinned) {
    Thinning thinning = choose_thinning(data.train_smoothed->log, options.step);
    // Held-out runs may be much shorter, where impacts cut a log into parts.
    if (const double most = longest_step(*data.validation); thinning.step > most)
      thinning = choose_thinning(data.train_smoothed->log, most);
    data.thinned = thinning.step;
    if (!thinning.note.empty()) data.notes.push_back(thinning.note);
  }
  if (*data.thinned == 0 && options.smoother == SmoothMethod::white_jerk) {
    const auto validation = smoothed(data.validation, options, pool);
    data.sampled = {data.train, data.validation, data.train_smoothed, validation};
    data.validation_smoothed = log_of(validation);
  } else {
    data.sampled =
        joint_data(thin(*data.train, *data.thinned), thin(*data.validation, *data.thinned), pool);
    if (*data.thinned == 0) data.validation_smoothed = log_of(data.sampled.validation_smoothed);
  }
  data.joint = data.sampled;
  const double h = median_step(*data.sampled.train);
  if (options.step > 0 && h / options.step > kMostParts)
    throw InputError(fmt::format(
        "option 'step': {:g} s is too short for samples {:g} s apart, expected at least {:g} s",
        options.step, h, h / kMostParts));
  const double step = data.grid > 0 ? data.grid : options.step;
  if (is_finer(step, *data.sampled.train)) refine_motions(step, pool, data);
}

// Whether every joint of every run has what an estimate of its motion needs.
bool observed_enough(const Log& log) {
  const int n = log.n();
  for (const auto& run : log.runs)
    for (int j = 0; j < n; ++j) {
      int observed = 0;
      for (int k = 0; k < run.size(); ++k) observed += !std::isnan(run.q[k * n + j]);
      if (observed < kFewestObservations) return false;
    }
  return true;
}

// Whether every joint moves, and has noise, in some run.
bool moves(const SmoothResult& smoothed) {
  const int n = smoothed.log.n(), runs = static_cast<int>(smoothed.log.runs.size());
  for (int j = 0; j < n; ++j) {
    bool accelerates = false, noisy = false;
    for (int r = 0; r < runs; ++r) {
      const auto& a = smoothed.log.runs[r].qdd;
      for (std::size_t k = j; k < a.size(); k += n) accelerates = accelerates || a[k] != 0;
      noisy = noisy || smoothed.at(r, j).observation_sd > 0;
    }
    if (!accelerates || !noisy) return false;
  }
  return true;
}

// A part can be too poor to be fitted, where the split is not: then there is no cross-validation.
void check_parts(FitData& data) {
  for (const SplitPart& part : data.parts) {
    const JointData joint = part_data(part, data.joint);
    if (observed_enough(*joint.train) && observed_enough(*joint.validation) &&
        moves(*joint.train_smoothed))
      continue;
    data.notes.push_back("no cross-validation: without some part of the log too little is left");
    data.parts.clear();
    return;
  }
}

}  // namespace

void refine_motions(double step, ThreadPool& pool, FitData& data) {
  // A whole number of parts for the median step
  const double h = median_step(*data.sampled.train);
  data.grid = h / std::ceil(h / step - kSameStep);
  data.joint = joint_data(refine(*data.sampled.train, data.grid),
                          refine(*data.sampled.validation, data.grid), pool);
}

JointData part_data(const SplitPart& part, const JointData& data) {
  const auto observed = [&](const std::vector<Piece>& pieces) {
    return std::make_shared<const Log>(gather(pieces, *data.train, *data.validation));
  };
  const auto smoothed_runs = [&](const std::vector<Piece>& pieces) {
    const SmoothResult &train = *data.train_smoothed, &validation = *data.validation_smoothed;
    SmoothResult out{gather(pieces, train.log, validation.log), {}};
    for (const Piece& piece : pieces)
      for (int j = 0; j < out.log.n(); ++j)
        out.series.push_back((piece.held_out ? validation : train).at(piece.run, j));
    return std::make_shared<const SmoothResult>(std::move(out));
  };
  return {observed(part.train), observed(part.validation), smoothed_runs(part.train),
          smoothed_runs(part.validation)};
}

void prepare_motions(const FitOptions& options, ThreadPool& pool, FitData& data) {
  data.train_smoothed = smoothed(data.train, options, pool);
  const Samples samples = make_samples(data.train_smoothed->log);
  const char* too_short = "every part of the log needs a run of at least three samples";
  if (samples.triples.empty()) throw InputError(too_short);
  if (options.method == FitMethod::joint) {
    prepare_joint(options, pool, data);
    check_parts(data);
  } else {
    data.validation_smoothed = log_of(smoothed(data.validation, options, pool));
    if (make_samples(*data.validation_smoothed).triples.empty()) throw InputError(too_short);
  }
  data.size = magnitudes(samples);
  data.full_turns = turns_fully(data.train_smoothed->log);
}

FitData prepare_fit(const Log& observed, const std::optional<Log>& validation,
                    const FitOptions& options, const InputTiming& timing, ThreadPool& pool) {
  FitData data;
  data.timing = timing;
  data.channels = observed.channels;
  data.warnings = warnings_of(observed);
  split(observed, validation, options, pool, data);
  sort_warnings(data.warnings);
  data.observed_train = data.train;
  data.observed_validation = data.validation;
  prepare_motions(options, pool, data);
  return data;
}

}  // namespace mechfit
