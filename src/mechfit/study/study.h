#pragma once

#include <string>
#include <vector>

#include "mechfit/study/result_file.h"

namespace mechfit {

struct StudyOptions {
  std::string name;  // "paper"
  Grid grid;
  StudySettings settings;
  std::vector<StudyMethod> methods;
  std::string data;  // folder of read_study_data; empty: simulated
  Pendulum pendulum = Pendulum::points;
  std::string folder;   // where the results go
  std::string command;  // for the record
};

// A grid of cells, the data they train on and the folder of their results:
//   study.json           what was run
//   cells/NAME.json      one result per finished cell
//   cells/NAME.failed    why a cell failed; it is tried again the next time
//   trajectories.json    for the report: a run of every data set, observed, true and smoothed
// Every process of a study has one; `prepare` and `store` are for the one that writes.
class Study {
 public:
  // Makes or reads the data and smooths it.
  explicit Study(StudyOptions options);

  const StudyOptions& options() const { return options_; }
  const StudyData& data() const { return data_; }
  const std::vector<Cell>& cells() const { return cells_; }
  double cost(int cell) const;

  // Makes the folder ready and returns the cells that have no result yet, most expensive first.
  // Throws InputError when the folder holds something else or results of other settings.
  std::vector<int> prepare() const;

  // Trains one cell and returns its result file.
  std::string run(int cell, ThreadPool& pool) const;

  void store_result(int cell, const std::string& bytes) const;
  void store_failure(int cell, const std::string& reason) const;

 private:
  CellTask task(int cell, ThreadPool& pool) const;
  std::string path(int cell, const char* extension) const;
  void check_description() const;
  void write_description() const;

  StudyOptions options_;
  StudyData data_;
  std::vector<Cell> cells_;
};

// What a study's folder says of itself.
struct StudyDescription {
  struct Label {
    std::string name, label;
  };
  std::string name;
  std::string data;      // folder, empty when simulated
  std::string pendulum;  // name of a Pendulum when simulated
  std::string command, version;
  std::vector<Label> methods;  // in the order of tables
  int planned = 0;             // cells asked for so far
  StudySettings settings;

  std::vector<std::string> method_names() const;
  std::string label(const std::string& method) const;
  // Do the published figures show the same system?
  bool is_published() const { return pendulum != name_of(Pendulum::rods); }
};

// `path` is for messages (InputError).
StudyDescription parse_description(const std::string& bytes, const std::string& path);
StudyDescription read_description(const std::string& folder);

// All records of a study's folder, in the order of file names.
std::vector<CellRecord> read_records(const std::string& folder);

}  // namespace mechfit
