#include "mechfit/study/study.h"

#include <algorithm>
#include <set>

#include "mechfit/base/error.h"
#include "mechfit/files/files.h"
#include "mechfit/files/json_fields.h"
#include "mechfit/files/outputs.h"
#include "mechfit/study/trajectories.h"
#include "mechfit/version.h"

namespace mechfit {
namespace {

using Json = nlohmann::ordered_json;

std::string pendulum_name(const StudyOptions& options) {
  if (!options.data.empty()) return "";
  return name_of(options.pendulum);
}

// What must agree between two calls that share a folder. Where the data came from may change, the
// results themselves tell whether it is the same.
Json settings_json(const StudyOptions& options) {
  return {{"study", options.name},
          {"pendulum", pendulum_name(options)},
          {"epochs", options.settings.epochs},
          {"barrier_share", options.settings.barrier_share}};
}

// Cells and epochs at most: beyond this a file is damaged.
constexpr int kMost = 1000000000;

JsonFields parse_study_json(const std::string& bytes, const std::string& path) {
  const Json study = parse_json<Json>(bytes);
  if (!study.is_object() || !study.contains("settings"))
    throw InputError(path + ": is not the description of a study");
  return JsonFields(study, path);
}

std::string description_path(const std::string& folder) { return folder + "/study.json"; }

bool ends_with(const std::string& name, const std::string& end) {
  return name.size() > end.size() && name.ends_with(end);
}

}  // namespace

Study::Study(StudyOptions options) : options_(std::move(options)) {
  const Grid& grid = options_.grid;
  cells_ = make_cells(grid, options_.methods);
  ThreadPool pool(1);
  const StudyDataRequest request = {grid.systems, grid.noises, grid.seeds};
  data_ = options_.data.empty() ? simulate_study_data(request, options_.pendulum, pool)
                                : read_study_data(request, options_.data, pool);
}

double Study::cost(int cell) const {
  const double force_network = cells_[cell].system == "damped" ? 1.3 : 1.0;
  return find_method(options_.methods, cells_[cell].method).cost * force_network;
}

CellTask Study::task(int cell, ThreadPool& pool) const {
  const Cell& c = cells_[cell];
  return {c, data_.find(c.system, c.noise), data_.splits[c.seed], options_.settings, pool};
}

std::string Study::path(int cell, const char* extension) const {
  return options_.folder + "/cells/" + cell_name(cells_[cell]) + extension;
}

void Study::check_description() const {
  const std::string &folder = options_.folder, path = description_path(folder);
  if (!path_exists(path)) {
    if (!list_folder(folder).empty())
      throw InputError(folder + ": exists and is not the folder of a study");
    return;
  }
  const Json found = parse_study_json(read_file(path), path).object("settings").all();
  const Json settings = settings_json(options_);
  for (const auto& [key, value] : settings.items())
    if (found.value(key, Json()) != value)
      throw InputError(folder + ": holds a study with " + key + " " +
                       to_text(found.value(key, Json())) + ", expected " + to_text(value) +
                       "; choose another output folder");
}

void Study::write_description() const {
  std::set<std::string> planned;
  for (const Cell& cell : cells_) planned.insert(cell_name(cell));
  for (const CellRecord& record : read_records(options_.folder))
    planned.insert(cell_name(record.cell));
  Json methods = Json::array();
  for (const StudyMethod& method : options_.methods)
    methods.push_back({{"name", method.name}, {"label", method.label}});
  const Json description = {
      {"settings", settings_json(options_)}, {"data", options_.data},       {"methods", methods},
      {"planned", planned.size()},           {"command", options_.command}, {"version", kVersion}};
  write_file_atomically(description_path(options_.folder),
                        description.dump(1, ' ', false, Json::error_handler_t::replace) + "\n");
}

std::vector<int> Study::prepare() const {
  check_description();
  make_folders(options_.folder + "/cells");
  remove_leftovers(options_.folder + "/cells");
  std::vector<int> open;
  ThreadPool pool(1);
  for (int cell = 0; cell < static_cast<int>(cells_.size()); ++cell) {
    const std::string file = path(cell, ".json");
    if (path_exists(file))
      check_result(read_file(file), file, task(cell, pool));
    else
      open.push_back(cell);
  }
  write_description();
  write_trajectories(data_, options_.folder);
  std::stable_sort(open.begin(), open.end(), [&](int a, int b) { return cost(a) > cost(b); });
  return open;
}

std::string Study::run(int cell, ThreadPool& pool) const {
  const CellTask t = task(cell, pool);
  return format_result(t, find_method(options_.methods, t.cell.method).run(t));
}

void Study::store_result(int cell, const std::string& bytes) const {
  write_file_atomically(path(cell, ".json"), bytes);
  remove_file(path(cell, ".failed"));
}

void Study::store_failure(int cell, const std::string& reason) const {
  write_file_atomically(path(cell, ".failed"), format_failure(cells_[cell], reason));
}

std::vector<std::string> StudyDescription::method_names() const {
  std::vector<std::string> names;
  for (const Label& method : methods) names.push_back(method.name);
  return names;
}

std::string StudyDescription::label(const std::string& method) const {
  for (const Label& known : methods)
    if (known.name == method) return known.label;
  return method;
}

StudyDescription parse_description(const std::string& bytes, const std::string& path) {
  const JsonFields study = parse_study_json(bytes, path), settings = study.object("settings");
  StudyDescription description{
      settings.text("study"),
      study.text("data"),
      settings.text("pendulum"),
      study.text("command"),
      study.text("version"),
      {},
      study.integer("planned", 0, kMost),
      {settings.integer("epochs", 0, kMost), settings.number("barrier_share")}};
  for (const JsonFields& method : study.objects("methods"))
    description.methods.push_back({method.text("name"), method.text("label")});
  return description;
}

StudyDescription read_description(const std::string& folder) {
  return parse_description(read_file(description_path(folder)), description_path(folder));
}

std::vector<CellRecord> read_records(const std::string& folder) {
  std::vector<CellRecord> records;
  for (const std::string& name : list_folder(folder + "/cells")) {
    const std::string file = folder + "/cells/" + name;
    if (ends_with(name, ".json") || ends_with(name, ".failed"))
      records.push_back(parse_record(read_file(file), file));
  }
  return records;
}

}  // namespace mechfit
