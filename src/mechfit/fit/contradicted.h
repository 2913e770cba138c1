#pragma once

#include <string>
#include <vector>

#include "mechfit/fit/fit_data.h"

// The fit's robustness against what cleaning missed: the noise of observations is normal but for a
// small share that is much wider (contradictions.h). What belongs to the wide part has no weight,
// and the fit begins again. All families are fitted to the same observations, so that their scores
// can be compared.
namespace mechfit {

// Observations that a model fitted to the data contradicts, with those that have no weight now if
// it still does.
Contradicted find_contradicted(const JointResult& fitted, const FitData& data, ThreadPool& pool);

// Whether so few observations change their weight that a fit need not begin again.
bool same_weights(const Contradicted& before, const Contradicted& after);

// Gives these no weight, and all others theirs; the steps of the motions stay.
void set_contradicted(Contradicted found, const FitOptions& options, ThreadPool& pool,
                      FitData& data);

// The same for the methods on smoothed data, before they begin: what white noise on the jerk
// contradicts has no weight in the smoother.
void weigh_smoothed(const FitOptions& options, ThreadPool& pool, FitData& data);

// How many there are and which are worst, a line for each joint.
std::vector<std::string> contradicted_in_words(const FitData& data);

}  // namespace mechfit
