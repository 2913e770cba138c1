#include "mechfit/fit/joint_fit.h"

#include <fmt/format.h>

#include "mechfit/fit/choose.h"
#include "mechfit/fit/contradicted.h"
#include "mechfit/fit/input_search.h"
#include "mechfit/fit/state.h"
#include "mechfit/log/steps.h"

namespace mechfit {
namespace {

std::string grid_in_words(const FitData& data) {
  const double h = median_step(*data.sampled.train);
  return fmt::format(
      "motions are estimated on steps of {:.3g} s, {:.0f} for each of the samples, whose own step "
      "is "
      "too long for them (option 'step' says otherwise)",
      data.grid, h / data.grid);
}

std::string timing_in_words(const InputTiming& timing, const FoundTiming& found,
                            const FitOptions& options) {
  std::string text = "inputs are taken as " + describe_timing(timing);
  if (options.input_hold && options.input_delay && options.input_lag) return text;
  text +=
      ": so the log is most likely (option 'input_hold', option 'input_delay' and option "
      "'input_lag' say otherwise)";
  if (found.rival && found.rival->hold != timing.hold)
    text += fmt::format("; or, with a probability of {:.0f} %, as {}", 100 * found.rival_share,
                        describe_timing(*found.rival));
  return text;
}

// Times that motions may be put on finer steps, and that observations may lose their weight or have
// it back.
constexpr int kMostGrids = 3, kMostWeighings = 4;

// A fit by joint estimation, which begins again when it shows that steps are too long, that inputs
// act otherwise, or that it contradicts observations.
class JointFit {
 public:
  JointFit(FitData& data, const FitOptions& options, ThreadPool& pool, const FitHooks& hooks)
      : data_(data), options_(options), pool_(pool), hooks_(hooks), inputs_(options, data) {}

  // From one beginning to the end; false: it has to begin again, with inputs that act as timing().
  bool run(FitResult& result);
  const InputTiming& timing() const { return timing_; }

 private:
  enum class Next { finish, begin_again, retime };
  Next consider(const std::vector<Candidate>& list, Choice& choice);
  bool retime(const Candidate& candidate, const Choice& choice);
  bool refine(const Choice& choice);
  bool weigh(const Choice& choice);

  FitData& data_;
  const FitOptions& options_;
  ThreadPool& pool_;
  const FitHooks& hooks_;
  InputSearch inputs_;
  std::shared_ptr<FitState> state_;
  int grids_ = 0;  // finer steps so far
  InputTiming timing_;
};

// Whether the candidate that was considered last finds inputs that act otherwise.
bool JointFit::retime(const Candidate& candidate, const Choice& choice) {
  const JointResult* simple = inputs_.open() ? choice.simple_fit() : nullptr;
  if (!simple) return false;
  const auto other = inputs_.better(*simple, candidate.start.held, data_, pool_);
  if (other) timing_ = *other;
  return other.has_value();
}

bool JointFit::refine(const Choice& choice) {
  const auto step = choice.finer_step();
  if (!step) return false;
  ++grids_;
  refine_motions(*step, pool_, data_);
  inputs_.open_again();
  return true;
}

// Takes the weight from observations that the fit contradicts; true where it has to begin again.
bool JointFit::weigh(const Choice& choice) {
  const JointResult* judge = choice.judge();
  if (!judge || options_.keep_all || data_.weighed == kMostWeighings) return false;
  Contradicted found = find_contradicted(*judge, data_, pool_);
  if (same_weights(data_.contradicted, found)) return false;
  set_contradicted(std::move(found), options_, pool_, data_);
  return true;
}

// Families from simple to rich, each fitted with the motion; see Choice for which one is kept. Once
// one with few parameters is known, it tells how inputs act and whether the steps are fine enough,
// and the first one which observations it contradicts; if need be, all begins again. Logs that were
// thinned are left alone: the rule's error on what is left is a thousandth of the accelerations
// (thin.h), less than what models of real machines miss.
JointFit::Next JointFit::consider(const std::vector<Candidate>& list, Choice& choice) {
  bool fine = options_.step > 0 || *data_.thinned > 0 || grids_ == kMostGrids, judged = false;
  FitStatus status = FitStatus::finished;
  for (const Candidate& candidate : list) {
    if (status == FitStatus::interrupted && choice.any()) break;
    status = choice.consider(candidate);
    if (retime(candidate, choice)) return Next::retime;
    if (!fine && refine(choice)) return Next::begin_again;
    fine = fine || choice.any();
    if (judged || !choice.judge()) continue;
    judged = true;
    if (weigh(choice)) return Next::begin_again;
  }
  // A richer family may explain what the first one did not.
  return list.size() > 1 && weigh(choice) ? Next::begin_again : Next::finish;
}

bool JointFit::run(FitResult& result) {
  for (;;) {
    const std::vector<Candidate> list = candidates(data_, options_);
    Choice choice(data_, options_, list.size() > 1, pool_, hooks_, state_);
    const Next next = consider(list, choice);
    state_ = choice.state();
    if (next == Next::retime) return false;
    if (next == Next::begin_again) continue;
    result.timing = inputs_.with_errors(data_.timing);
    if (!result.timing.as_logged())
      result.notes.push_back(timing_in_words(result.timing, inputs_.last(), options_));
    if (data_.grid > 0 && options_.step == 0) result.notes.push_back(grid_in_words(data_));
    for (std::string& line : contradicted_in_words(data_)) result.notes.push_back(std::move(line));
    choice.finish(result);
    return true;
  }
}

}  // namespace

void fit_jointly(const Log& observed, const std::optional<Log>& validation,
                 const FitOptions& options, ThreadPool& pool, const FitHooks& hooks, FitData& data,
                 FitResult& result) {
  JointFit joint(data, options, pool, hooks);
  while (!joint.run(result)) {
    const double grid = data.grid;
    data = prepare_fit(observed, validation, options, joint.timing(), pool);
    if (grid > 0 && data.grid == 0) refine_motions(grid, pool, data);
  }
}

}  // namespace mechfit
