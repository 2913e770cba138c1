#pragma once

#include <stdexcept>
#include <string>
#include <vector>

namespace CLI {
class App;
}

// One function per subcommand, in a file of its own: it adds the subcommand with its flags to `app`
// and sets its callback. What the flags fill belongs to the callback (a shared_ptr it captures).
// A callback reports failure by throwing InputError (exit code 1) or UsageError (2); `exit_code`
// is for a subcommand that finished its work and yet has bad news.
namespace mechfit {

// Flags that contradict each other or ask for something that does not exist.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

void add_evaluate(CLI::App& app, int& exit_code);
void add_export(CLI::App& app, int& exit_code);
// `words` are the arguments, kept with the fit.
void add_fit(CLI::App& app, int& exit_code, const std::vector<std::string>& words);
void add_inspect(CLI::App& app, int& exit_code);
void add_payload(CLI::App& app, int& exit_code);
void add_rollout(CLI::App& app, int& exit_code);
void add_simulate(CLI::App& app, int& exit_code);
void add_smooth(CLI::App& app, int& exit_code);
void add_study(CLI::App& app, int& exit_code);
void add_report(CLI::App& app, int& exit_code);

}  // namespace mechfit
