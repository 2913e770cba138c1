#pragma once

#include <pybind11/pybind11.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "mechfit/mechfit.h"
#include "options.h"

// The module mechfit._core: what mechfit.h offers, with numpy arrays. The package's Python files
// make of it what users see (python/mechfit).
namespace mechfit::python {

// A log, and what was said about it when it was read.
struct ReadLog {
  Log log;
  std::vector<std::string> notes;
};

// A model, and the fit that it comes from, where that was made in this process.
struct FittedModel {
  std::shared_ptr<const ModelRecord> record;
  struct Fit {
    FitResult result;
    EvaluationData held_out;
    Scores scores;
  };
  std::shared_ptr<const Fit> fit = {};
  std::unique_ptr<PointDynamics> point = {};  // for calls that hold the interpreter's lock

  explicit FittedModel(ModelRecord r) : record(std::make_shared<ModelRecord>(std::move(r))) {}
  int n() const { return record->model.joints(); }
  int m() const { return record->model.inputs(); }
};

// Options of a fit, and those that files stand behind.
struct FitKeywords : FitOptions {
  std::string robot_file;
  std::vector<std::string> robot_joints;
};

// The tables of options.
const std::vector<Option<ReadOptions>>& read_table();
const std::vector<Option<FitKeywords>>& fit_table();
const std::vector<Option<EvaluateOptions>>& evaluate_table();

// Messages of the library name the fields of structs; two of them have other names as keywords.
std::string with_keywords(std::string text);
std::vector<std::string> with_keywords(std::vector<std::string> texts);

void bind_log(pybind11::module_& m);
void bind_dynamics(pybind11::class_<FittedModel>& model);
void bind_model(pybind11::module_& m);
void bind_fit(pybind11::module_& m);
void bind_simulate(pybind11::module_& m);

}  // namespace mechfit::python
