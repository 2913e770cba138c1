// Controllers from models, on MuJoCo's machines: how often they swing up, how well an arm tracks.
//   control_study [--seeds 50] [--tasks cart-pole,furuta,acrobot,arm] [--noise 0.01,0.001,0.0001]
//                 [--family trig] [--threads 2] [-o control.html]
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <mutex>

#include "examples/control/study_page.h"

namespace {

using namespace control;

constexpr Source kSources[] = {Source::truth, Source::log, Source::drawing};

// Progress: how the machine of one seed did.
void print_job(const std::vector<SwingUp>& swings, const std::vector<TrackingRun>& trackings) {
  for (const SwingUp& run : swings)
    fmt::print(stderr, "; {} {}: {}", kSourceNames[static_cast<int>(run.source)], run.noise,
               run.trial.success ? "stands" : run.trial.failure);
  for (const TrackingRun& run : trackings)
    fmt::print(stderr, "; {} {}: {:.4f} {:.4f}", kSourceNames[static_cast<int>(run.source)],
               run.noise, run.tracking.error, run.tracking.feedback);
  fmt::print(stderr, "\n");
}

void print_tables(const StudyResults& results) {
  if (!results.swing_ups.empty())
    fmt::print("\n{:10} {:>8} {:>15} {:>9} {:>9}   swing-ups that succeed\n", "task", "noise",
               kSourceNames[0], kSourceNames[1], kSourceNames[2]);
  for (const Task& task : results.tasks)
    for (const double noise : results.noises) {
      Success s[3];
      for (int i = 0; i < 3; ++i)
        s[i] = success_of(results.swing_ups, task.name, noise, kSources[i]);
      fmt::print("{:10} {:8} {:>15} {:>9} {:>9}   of {}\n", task.name, noise, s[0].good, s[1].good,
                 s[2].good, s[0].runs);
    }
  if (results.tracking.empty()) return;
  fmt::print("\n{:10} {:>8} {:>15} {:>9} {:>9}   tracking error [mrad], feedback torque [%]\n",
             "task", "noise", kSourceNames[0], kSourceNames[1], kSourceNames[2]);
  for (const double noise : results.noises) {
    double error[3], share[3];
    for (int i = 0; i < 3; ++i) {
      error[i] = 1e3 * tracking_rms(results.tracking, noise, kSources[i], &Tracking::error);
      share[i] = 100 * tracking_rms(results.tracking, noise, kSources[i], &Tracking::feedback);
    }
    fmt::print("{:10} {:8} {:15.3f} {:9.3f} {:9.3f}\n", "arm", noise, error[0], error[1], error[2]);
    fmt::print("{:10} {:8} {:15.2f} {:9.2f} {:9.2f}\n", "", "", share[0], share[1], share[2]);
  }
}

}  // namespace

int main(int argc, char** argv) {
  StudyResults results;
  results.noises = {0.01, 0.001, 0.0001};
  int seeds = 50, threads = mechfit::default_threads();
  std::vector<std::string> names = {"cart-pole", "furuta", "acrobot", "arm"};
  std::string page = "control.html", family = "trig";
  CLI::App app("Closed loop on MuJoCo's machines: learned models, true equations, drawings");
  app.add_option("--seeds", seeds, "Machines of each task")->check(CLI::PositiveNumber);
  app.add_option("--tasks", names, "Which of cart-pole, furuta, acrobot, arm")
      ->delimiter(',')
      ->check(CLI::IsMember({"cart-pole", "furuta", "acrobot", "arm"}));
  app.add_option("--noise", results.noises, "Noise of the encoders [rad or m]")
      ->delimiter(',')
      ->check(CLI::PositiveNumber);
  app.add_option("--family", family, "Family of what is learned; auto tries networks too");
  app.add_option("--threads", threads, "Machines at a time")->check(CLI::PositiveNumber);
  app.add_option("-o,--output", page, "The page to write");
  CLI11_PARSE(app, argc, argv);
  const auto asked = [&](const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  for (Task& task : tasks())
    if (asked(task.name)) results.tasks.push_back(std::move(task));
  results.command = fmt::format("control_study --seeds {} --tasks {} --noise {} --family {}", seeds,
                                fmt::join(names, ","), fmt::join(results.noises, ","), family);

  // A job is one seed of one task; the tasks of a seed follow each other. Its rows are put together
  // in that order, whoever was ready first.
  const int kinds = static_cast<int>(results.tasks.size()) + asked("arm"), jobs = kinds * seeds;
  std::vector<std::vector<SwingUp>> swing_rows(jobs);
  std::vector<std::vector<TrackingRun>> tracking_rows(jobs);
  const TrackingTask arm = tracking_task();
  std::mutex terminal;
  int done = 0;
  mechfit::ThreadPool pool(threads);
  try {
    pool.run(jobs, [&](int job, int) {
      const std::size_t kind = job % kinds;
      const int seed = job / kinds;
      if (kind < results.tasks.size())
        swing_rows[job] = swing_ups(results.tasks[kind], seed, results.noises, family);
      else
        tracking_rows[job] = tracking_runs(arm, seed, results.noises, family);
      const std::lock_guard lock(terminal);
      fmt::print(stderr, "{} of {}: {}, seed {}", ++done, jobs,
                 kind < results.tasks.size() ? results.tasks[kind].name : "arm", seed);
      print_job(swing_rows[job], tracking_rows[job]);
    });
  } catch (const std::exception& error) {
    fmt::print(stderr, "control_study: {}\n", error.what());
    return 1;
  }
  for (auto& rows : swing_rows)
    for (SwingUp& row : rows) results.swing_ups.push_back(std::move(row));
  for (auto& rows : tracking_rows)
    for (TrackingRun& row : rows) results.tracking.push_back(std::move(row));
  print_tables(results);
  std::ofstream(page) << study_page(results);
  fmt::print("\npage: {}\n", page);
  return 0;
}
