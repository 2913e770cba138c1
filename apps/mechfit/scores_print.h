#pragma once

#include "mechfit/evaluate/scores.h"
#include "mechfit/log/log.h"

namespace mechfit {

// Tables of a model's scores beside the baselines, then the verdict. Standard output.
void print_scores(const Channels& channels, const Scores& scores);

}  // namespace mechfit
