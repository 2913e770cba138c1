#pragma once

#include <span>

#include "mechfit/fit/fit_data.h"

namespace mechfit {

// Whether the options leave something about the inputs to be found, and the log has some.
bool searches_inputs(const FitOptions& options, const FitData& data);

// What a search found. On steps as long as the samples' an input that is held and the linear one
// that acts half a sample later are the same: means over steps are all that a machine sees of both.
// Then both are looked at on finer steps, and the standard error of the delay covers both.
struct FoundTiming {
  InputTiming timing;
  std::optional<InputTiming> rival = {};  // the other reading, unless it is out of the question
  double rival_share = 0;                 // probability that it is the true one
};

// How the inputs act most likely, as far as the options leave it open, by the profile likelihood of
// a fit with few parameters (input_profile.h): the delay with its standard error by the curvature
// there. Held inputs that act at once are given up only for a gain that chance does not make.
// `near`: only around the timing of the data, after a fit with a timing that was found.
FoundTiming find_input_timing(const JointResult& fitted, const FitData& data,
                              const FitOptions& options, std::span<const int> fixed, bool near,
                              ThreadPool& pool);

// The search within a fit that begins again for another timing.
class InputSearch {
 public:
  InputSearch(const FitOptions& options, const FitData& data)
      : options_(options), open_(searches_inputs(options, data)) {}

  bool open() const { return open_; }
  // After the first fit with few parameters for the data's timing: the one to begin again with;
  // nothing when the data's stands. A timing that makes held-out runs less likely is taken back.
  std::optional<InputTiming> better(const JointResult& fitted, std::span<const int> fixed,
                                    const FitData& data, ThreadPool& pool);
  // Steps have changed: the timing is looked at once more.
  void open_again();
  // The data's timing with the standard errors that were found.
  InputTiming with_errors(InputTiming timing) const;
  // The last search, for the user.
  const FoundTiming& last() const { return last_; }

 private:
  struct Before {
    InputTiming timing;
    double score;  // of held-out runs
  };
  const FitOptions& options_;
  bool open_;
  int looks_ = 0;
  std::optional<Before> before_;
  FoundTiming last_;
};

}  // namespace mechfit
