#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace mechfit {

// Replaces `--config FILE` by what the file says: lines `name = value` of TOML, with the names of
// the flags (`files` for the positional ones); values are text, numbers, true, false or arrays of
// them. Flags on the command line win, and files named there replace the file's. InputError when
// the subcommand of `app` has no such flag.
std::vector<std::string> with_config(std::vector<std::string> arguments, const CLI::App& app);

// The words after a subcommand as such a file; `leave_out` are names not worth keeping.
std::string config_text(const CLI::App& command, const std::vector<std::string>& words,
                        const std::vector<std::string>& leave_out);

}  // namespace mechfit
