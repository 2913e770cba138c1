#pragma once

namespace mechfit {

// How a fit ended. Only `finished` and `interrupted` come with a model.
enum class FitStatus {
  finished,
  interrupted,        // by the progress hook: the best model so far
  mass_not_positive,  // no model was found whose mass matrix is positive definite on all runs
  unexplained,        // no model was found that gives the held-out runs a finite error
  reversed_inputs     // the data ask for inputs that act against their direction
};

inline bool found_model(FitStatus status) {
  return status == FitStatus::finished || status == FitStatus::interrupted;
}

// What to tell a user of a fit that found no model, and what to try.
inline const char* explain(FitStatus status) {
  switch (status) {
    case FitStatus::mass_not_positive:
      return "no model was found whose mass matrix is positive definite on all runs";
    case FitStatus::unexplained:
      return "no model was found that explains the held-out runs: try a smaller learning rate, or "
             "check the log";
    case FitStatus::reversed_inputs:
      return "the fit found inputs that act against their direction: check the signs of the inputs";
    default:
      return "";
  }
}

}  // namespace mechfit
