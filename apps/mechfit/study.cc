#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <chrono>
#include <set>

#include "choice.h"
#include "commands.h"
#include "common_options.h"
#include "mechfit/base/error.h"
#include "mechfit/files/files.h"
#include "numbers.h"
#include "spread.h"
#include "study_print.h"
#include "terminal.h"

namespace mechfit {
namespace {

struct Flags {
  StudyOptions study;
  int jobs = 0;
  bool json = false;
};

// Lists by comma, without repetitions: a cell belongs to a study once.
template <class T>
void unique(const char* flag, const std::vector<T>& items) {
  if (std::set<T>(items.begin(), items.end()).size() != items.size())
    throw UsageError(std::string(flag) + ": a value is given twice");
}

void add_grid_flags(CLI::App& command, Flags& flags) {
  Grid& grid = flags.study.grid;
  std::vector<std::string> names;
  for (const StudyMethod& method : flags.study.methods) names.push_back(method.name);
  grid.methods = names;
  std::string list, rates;
  for (const double rate : grid.rates) rates += (rates.empty() ? "" : ",") + rate_text(rate);
  for (const std::string& name : names) list += (list.empty() ? "" : ",") + name;

  command.add_option("--systems", grid.systems, "Systems: undamped, damped or both (default)")
      ->delimiter(',')
      ->check(CLI::IsMember({"undamped", "damped"}))
      ->type_name("LIST");
  command
      .add_option("--noise", grid.noises, "Noise of the observations (default 0.05,0.1,0.4 rad)")
      ->delimiter(',')
      ->check(number_between(0, 10))
      ->type_name("LIST");
  command.add_option("--methods", grid.methods, "Methods to compare (default " + list + ")")
      ->delimiter(',')
      ->check(CLI::IsMember(names))
      ->type_name("LIST");
  command
      .add_option("--learning-rates", grid.rates,
                  "Initial learning rates of the paper's methods (default " + rates + ")")
      ->delimiter(',')
      ->check(learning_rate())
      ->type_name("LIST");
  command.add_option("--seeds", grid.seeds, "Seeds 0 to N-1 (default 10)")
      ->check(CLI::Range(1, 1000000))
      ->type_name("N");
  command
      .add_option("--epochs", flags.study.settings.epochs,
                  "Passes over the data of the paper's methods (default 500)")
      ->check(CLI::Range(1, 1000000))
      ->type_name("N");
  auto* data = command.add_option("--data", flags.study.data,
                                  "Folder with SYSTEM_observed.csv, SYSTEM_midpoint_truth.csv and "
                                  "splits.json (default: simulated)");
  data->type_name("DIR");
  command
      .add_option(
          "--system", flags.study.pendulum,
          "Double pendulum to simulate: points (the published figures) or rods (the paper's "
          "appendix)" +
              by_default(flags.study.pendulum))
      ->transform(choice<Pendulum>())
      ->excludes(data)
      ->type_name(choices<Pendulum>());
  command
      .add_option("--jobs", flags.jobs,
                  "Threads, one cell each (default: all cores; 1 per process under mpirun or srun)")
      ->check(CLI::Range(1, 4096))
      ->type_name("N");
  command.add_option("-o,--output", flags.study.folder, "Folder of the results")
      ->capture_default_str()
      ->type_name("DIR");
  add_json(command, flags.json);
}

std::string method_times(const std::vector<CellQueue::MethodTime>& times,
                         const std::vector<StudyMethod>& methods) {
  std::string text;
  for (const auto& time : times)
    text += (text.empty() ? "" : ", ") + find_method(methods, time.method).label + " " +
            short_number(time.seconds / time.cells) + " s";
  return text;
}

// Rank 0: runs what is missing and reports on all that the folder holds.
void lead_study(const Flags& flags, const Study& study, const Processes& processes, int jobs,
                int& exit_code) {
  const auto start = std::chrono::steady_clock::now();
  const std::vector<int> open = study.prepare();
  StudyOutcome outcome;
  outcome.planned = static_cast<int>(study.cells().size());
  outcome.ran = static_cast<int>(open.size());
  {
    Progress progress("study");
    CellQueue queue(study, open, [&](const StudyProgress& p) {
      progress.update(p.fraction,
                      std::to_string(p.finished + p.failed) + " of " + std::to_string(p.total) +
                          " cells" + (p.failed ? ", " + std::to_string(p.failed) + " failed" : ""));
    });
    processes.lead(study, queue, jobs);
    outcome.method_times = method_times(queue.times(), flags.study.methods);
  }
  outcome.folder = flags.study.folder;
  outcome.records = read_records(outcome.folder);
  outcome.study = read_description(outcome.folder);
  outcome.summary =
      summarise(outcome.records, outcome.study.method_names(), outcome.study.is_published());
  outcome.jobs = jobs;
  outcome.processes = processes.size();
  outcome.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  write_file_atomically(outcome.folder + "/results.csv", results_csv(outcome.records));
  write_file_atomically(outcome.folder + "/summary.csv", summary_csv(outcome.summary));
  write_file_atomically(outcome.folder + "/paired.csv", paired_csv(outcome.summary));
  if (flags.json)
    print_study_json(outcome);
  else
    print_study(outcome);
  if (outcome.summary.failed > 0) exit_code = 1;
}

void run_study(const Flags& flags, int& exit_code) {
  unique("--systems", flags.study.grid.systems);
  unique("--noise", flags.study.grid.noises);
  unique("--methods", flags.study.grid.methods);
  unique("--learning-rates", flags.study.grid.rates);
  const Processes processes;
  processes.guard([&] {
    const int jobs = flags.jobs > 0 ? flags.jobs : processes.size() > 1 ? 1 : default_threads();
    const Study study(flags.study);
    if (processes.rank() == 0)
      lead_study(flags, study, processes, jobs, exit_code);
    else
      processes.follow(study, jobs);
  });
}

// One study: a list of methods on the paper's data.
struct StudyKind {
  std::string name, title, footer;
  std::vector<StudyMethod> methods;
  std::vector<double> rates;
};

void add_kind(CLI::App& parent, const StudyKind& kind, int& exit_code) {
  auto flags = std::make_shared<Flags>();
  flags->study.name = kind.name;
  flags->study.methods = kind.methods;
  flags->study.grid.rates = kind.rates;
  flags->study.folder = "study-" + kind.name;
  CLI::App* command = parent.add_subcommand(kind.name, kind.title);
  add_grid_flags(*command, *flags);
  command->footer(kind.footer);
  command->callback([flags, command, &exit_code] {
    flags->study.command = "mechfit study " + flags->study.name;
    for (const CLI::Option* option : command->get_options())
      if (option->count() > 0 && option->get_name() != "--help") {
        flags->study.command += " " + option->get_name();
        for (std::size_t i = 0; i < option->results().size(); ++i)
          flags->study.command += (i == 0 ? " " : ",") + option->results()[i];
      }
    run_study(*flags, exit_code);
  });
}

}  // namespace

void add_study(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand("study", "Compares ways to fit on the double pendulum");
  command->require_subcommand(1);
  command->footer(
      "Example, the paper's experiments on all cores:\n"
      "  mechfit study paper -o study-paper");
  add_kind(*command,
           {"paper",
            "The paper's experiments: DEL, acceleration and next-state regression",
            "Every finished cell is a file in DIR/cells; the same command again goes on where an\n"
            "interrupted one stopped. Spread over machines: mpirun -n 8 mechfit study paper ...\n"
            "(with a build with -DMECHFIT_WITH_MPI=ON), or srun.\n\n"
            "Example, a small part of the grid:\n"
            "  mechfit study paper --noise 0.1 --learning-rates 1e-2 --seeds 3 -o small-study",
            paper_methods(),
            {1e-2, 1e-3, 1e-4, 1e-5}},
           exit_code);
  add_kind(*command,
           {"beyond",
            "Joint estimation of motion and model beside the paper's methods",
            "Joint estimation is `mechfit fit` with its defaults; learning rates and epochs are of "
            "the paper's methods.\n\n"
            "Example, one level of noise:\n"
            "  mechfit study beyond --noise 0.1 --seeds 3 -o small-beyond",
            beyond_methods(),
            {1e-2, 1e-3}},
           exit_code);
}

}  // namespace mechfit
