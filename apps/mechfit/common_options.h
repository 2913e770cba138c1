#pragma once

#include <string>

namespace CLI {
class App;
}

// Flags that mean the same in every subcommand that has them.
namespace mechfit {

// --threads; `threads` begins with default_threads().
void add_threads(CLI::App& command, int& threads);
// --overwrite
void add_overwrite(CLI::App& command, bool& overwrite, const std::string& what = "the output");
// --json
void add_json(CLI::App& command, bool& json);

}  // namespace mechfit
