#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "mechfit/mechanics/model.h"
#include "mechfit/study/cell.h"
#include "mechfit/study/data_set.h"

namespace mechfit {

// What decides the result of a cell beside the cell and its data.
struct StudySettings {
  int epochs = 500;
  // Weight of the DEL objective's barrier, see docs/reproduction.md: the reference experiments
  // weigh it (training triples / batch size) = 1600 / 256 times more than "both terms equal".
  double barrier_share = 6.25;
};

struct CellTask {
  const Cell& cell;
  const DataSet& data;
  const SeedSplit& split;
  const StudySettings& settings;
  ThreadPool& pool;
};

struct CellResult {
  double test_error = 0;        // mean squared error of accelerations on exact test states
  double validation_error = 0;  // of the selected model, on smoothed validation data
  int selected_epoch = 0;
  std::vector<std::pair<std::string, double>> details;  // the method's own counts and settings
};

// A way to fit that a study compares. Methods are found by name, so a study of other methods is
// another list of these.
struct StudyMethod {
  std::string name;   // on the command line and in files
  std::string label;  // in tables
  bool has_rate;      // run once per learning rate
  double cost;        // time of a cell, relative to the others'
  std::function<CellResult(const CellTask&)> run;
};

// DEL, acceleration and next-state regression of the paper.
std::vector<StudyMethod> paper_methods();

// These, and joint estimation of motion and model as `mechfit fit` does it: a network,
// trigonometric polynomials, whichever of the two is more likely, and the true equations with
// unknown constants.
std::vector<StudyMethod> beyond_methods();

const StudyMethod& find_method(const std::vector<StudyMethod>& methods, const std::string& name);

// The cells of a grid, in the order of its lists.
std::vector<Cell> make_cells(const Grid& grid, const std::vector<StudyMethod>& methods);

// Test error of a model: mean squared error of accelerations on the exact states of the test runs.
double test_error(const Model& model, const CellTask& task);

}  // namespace mechfit
