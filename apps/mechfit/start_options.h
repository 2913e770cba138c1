#pragma once

#include "mechfit/evaluate/scores.h"

namespace CLI {
class App;
}

namespace mechfit {

// Adds --start and --window: the states that rollouts from data start from.
void add_start_options(CLI::App& app, StartKind& start, int& window);

}  // namespace mechfit
