#include "mechfit/study/result_file.h"

#include <cmath>

#include "mechfit/base/constants.h"
#include "mechfit/base/error.h"
#include "mechfit/files/json_fields.h"

namespace mechfit {
namespace {

using Json = nlohmann::ordered_json;

Json cell_json(const Cell& cell) {
  return {{"system", cell.system},
          {"noise", cell.noise},
          {"method", cell.method},
          {"learning_rate", cell.rate > 0 ? Json(cell.rate) : Json()},
          {"seed", cell.seed}};
}

Json settings_json(const CellTask& task) {
  return {{"epochs", task.settings.epochs},      {"barrier_share", task.settings.barrier_share},
          {"data", task.data.fingerprint},       {"train", task.split.train},
          {"validation", task.split.validation}, {"test", task.split.test}};
}

// JSON has no infinity: null.
Json number(double x) { return std::isfinite(x) ? Json(x) : Json(); }

// Beyond this a file is damaged: seeds and epochs of the command line are fewer.
constexpr int kMost = 1000000;

JsonFields parse(const std::string& bytes, const std::string& path) {
  const Json record = parse_json<Json>(bytes);
  if (!record.is_object() || !record.contains("cell"))
    throw InputError(path + ": is not the result of a study's cell");
  return JsonFields(record, path);
}

// Of 0 or more; null where a cell has none.
double rate_of(const JsonFields& cell, const std::string& path) {
  const double rate = cell.number("learning_rate", 0.0);
  if (rate < 0) throw InputError(path + ": 'learning_rate': expected a positive number or null");
  return rate;
}

std::string format(const Json& record) {
  return record.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace

std::string format_result(const CellTask& task, const CellResult& result) {
  Json details = Json::object();
  for (const auto& [name, value] : result.details) details[name] = number(value);
  return format({{"cell", cell_json(task.cell)},
                 {"settings", settings_json(task)},
                 {"test_error", number(result.test_error)},
                 {"validation_error", number(result.validation_error)},
                 {"selected_epoch", result.selected_epoch},
                 {"details", details}});
}

std::string format_failure(const Cell& cell, const std::string& reason) {
  return format({{"cell", cell_json(cell)}, {"failure", reason}});
}

CellRecord parse_record(const std::string& bytes, const std::string& path) {
  const JsonFields record = parse(bytes, path), cell = record.object("cell");
  CellRecord out;
  out.cell = {cell.text("system"), cell.number("noise"), cell.text("method"), rate_of(cell, path),
              cell.integer("seed", 0, kMost)};
  if (record.has("failure")) {
    out.failure = record.text("failure");
    return out;
  }
  CellResult result;
  result.test_error = record.number("test_error", kInfinity);
  result.validation_error = record.number("validation_error", kInfinity);
  result.selected_epoch = record.integer("selected_epoch", 0, kMost);
  const JsonFields details = record.object("details");
  for (const auto& [name, value] : details.all().items())
    result.details.emplace_back(name, details.number(name, kInfinity));
  out.result = std::move(result);
  return out;
}

void check_result(const std::string& bytes, const std::string& path, const CellTask& task) {
  const JsonFields record = parse(bytes, path);
  const Json expected = {{"cell", cell_json(task.cell)}, {"settings", settings_json(task)}};
  for (const char* part : {"cell", "settings"}) {
    const Json own = record.object(part).all();
    for (const auto& [key, value] : expected.at(part).items()) {
      const Json found = own.value(key, Json());
      if (found != value)
        throw InputError(path + ": belongs to another study: " + key + " is " + to_text(found) +
                         ", expected " + to_text(value) + "; choose another output folder");
    }
  }
}

}  // namespace mechfit
