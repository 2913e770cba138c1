#pragma once

#include <string>
#include <vector>

#include "mechfit/evaluate/scores.h"

namespace mechfit {

// What keeps a model from being better, a sentence, and what a user can do about it, another or "".
struct Limit {
  std::string what, advice;
};

// The worst first, three at most; of a good model only what makes its word doubtful.
std::vector<Limit> limits_of(const Scores& scores, bool good);

}  // namespace mechfit
