#pragma once

#include <vector>

#include "mechfit/report/blocks.h"
#include "mechfit/report/document.h"
#include "mechfit/report/drawing.h"

namespace mechfit {

// The verdict of a fit document: its section and its headlines, when it has scores.
void add_scores(const Node& document, const std::vector<Joint>& joints, Page& page);

}  // namespace mechfit
