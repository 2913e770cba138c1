#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <cstdio>
#include <exception>

#include "commands.h"
#include "config.h"
#include "mechfit/base/error.h"
#include "mechfit/version.h"
#include "terminal.h"

namespace mechfit {
namespace {

// One line, whatever the message holds.
int fail(const std::string& text, int code) {
  std::string message = printable(with_flags(text));
  for (char& c : message)
    if (c == '\n' || c == '\r') c = ' ';
  std::fprintf(stderr, "mechfit: %s\n", message.c_str());
  return code;
}

// What is not known matters more than what is missing.
std::string usage_problem(const CLI::App& app, const CLI::ParseError& e) {
  const auto commands = app.get_subcommands();
  const CLI::App& last = commands.empty() ? app : *commands.back();
  const std::string help =
      commands.empty() ? "mechfit --help" : "mechfit " + last.get_name() + " --help";
  const auto unknown = last.remaining();
  if (unknown.empty()) return std::string(e.what()) + " (see " + help + ")";
  return "unknown " +
         std::string(commands.empty() && unknown[0][0] != '-' ? "subcommand" : "argument") + " '" +
         unknown[0] + "' (see " + help + ")";
}

int run(int argc, char** argv) {
  CLI::App app("Learns the mechanics of a machine from a log of its motion.", "mechfit");
  int exit_code = 0;
  app.set_version_flag("--version", std::string("mechfit ") + kVersion);
  app.require_subcommand(1);
  app.footer("Each subcommand has its own help with an example: mechfit SUBCOMMAND --help");
  add_evaluate(app, exit_code);
  add_export(app, exit_code);
  std::vector<std::string> words;  // of the command line and of a config file
  add_fit(app, exit_code, words);
  add_inspect(app, exit_code);
  add_payload(app, exit_code);
  add_rollout(app, exit_code);
  add_simulate(app, exit_code);
  add_smooth(app, exit_code);
  add_study(app, exit_code);
  add_report(app, exit_code);
  words = with_config({argv + 1, argv + argc}, app);
  try {
    app.parse(std::vector<std::string>(words.rbegin(), words.rend()));  // last to first
  } catch (const CLI::Success& e) {                                     // --help, --version
    exit_code = app.exit(e);
  } catch (const CLI::ParseError& e) {
    return fail(usage_problem(app, e), 2);
  }
  if (std::fflush(stdout) != 0) return fail("standard output: could not write", 1);
  return exit_code;
}

}  // namespace
}  // namespace mechfit

int main(int argc, char** argv) {
  using mechfit::fail;
  try {
    return mechfit::run(argc, argv);
  } catch (const mechfit::InputError& e) {
    return fail(e.what(), 1);
  } catch (const mechfit::UsageError& e) {
    return fail(e.what(), 2);
  } catch (const std::bad_alloc&) {
    return fail("out of memory", 1);
  } catch (const std::exception& e) {
    return fail(std::string("internal error: ") + e.what(), 1);
  }
}
