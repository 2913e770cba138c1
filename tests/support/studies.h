#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <string>

#include "mechfit/files/files.h"
#include "mechfit/study/workers.h"

namespace mechfit {

// A study of two methods that take no time: the error of `quick` is a number made of the cell,
// `fragile` fails for seed 1 as long as `broken` is set.
struct FakeStudy {
  std::shared_ptr<std::atomic<int>> calls = std::make_shared<std::atomic<int>>(0);
  std::shared_ptr<std::atomic<bool>> broken = std::make_shared<std::atomic<bool>>(true);

  StudyOptions options(const std::string& folder) const {
    StudyOptions o;
    o.name = "fake";
    o.grid.noises = {0.1};
    o.grid.methods = {"quick", "fragile"};
    o.grid.rates = {1e-3, 1e-2};
    o.grid.seeds = 3;
    o.folder = folder;
    o.methods = {
        {"quick", "quick", true, 1.0,
         [calls = calls](const CellTask& task) {
           ++*calls;
           return CellResult{task.cell.seed + 1000 * task.cell.rate, 1.5, 7, {{"a", 2}}};
         }},
        {"fragile", "fragile", false, 3.0, [calls = calls, broken = broken](const CellTask& task) {
           ++*calls;
           if (*broken && task.cell.seed == 1) throw std::runtime_error("out of luck");
           return CellResult{10.0 * task.cell.seed, 2.5, 8, {}};
         }}};
    return o;
  }
};

// What one call of the command does, without its printing.
inline StudyProgress run_study(const StudyOptions& options, int jobs) {
  const Study study(options);
  StudyProgress last;
  CellQueue queue(study, study.prepare(), [&](const StudyProgress& p) { last = p; });
  run_workers(study, jobs, [&](const Delivery& delivery) { return queue.exchange(delivery); });
  return last;
}

// Name to contents of the files with results.
inline std::map<std::string, std::string> results(const std::string& folder) {
  std::map<std::string, std::string> files;
  for (const std::string& name : list_folder(folder + "/cells"))
    files[name] = read_file(folder + "/cells/" + name);
  return files;
}

}  // namespace mechfit
