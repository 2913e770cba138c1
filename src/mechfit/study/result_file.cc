#include "mechfit/study/result_file.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "mechfit/base/constants.h"
#include "mechfit/base/error.h"

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

double number(const Json& value, double null_value) {
  return value.is_null() ? null_value : value.get<double>();
}

Json parse(const std::string& bytes, const std::string& path) {
  Json record = Json::parse(bytes, nullptr, /*allow_exceptions=*/false);
  if (!record.is_object() || !record.contains("cell"))
    throw InputError(path + ": is not the result of a study's cell");
  return record;
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
  const Json record = parse(bytes, path);
  try {
    const Json& cell = record.at("cell");
    CellRecord out;
    out.cell = {cell.at("system"), cell.at("noise"), cell.at("method"),
                number(cell.at("learning_rate"), 0.0), cell.at("seed")};
    if (record.contains("failure")) {
      out.failure = record.at("failure");
      return out;
    }
    CellResult result;
    result.test_error = number(record.at("test_error"), kInfinity);
    result.validation_error = number(record.at("validation_error"), kInfinity);
    result.selected_epoch = record.at("selected_epoch");
    for (const auto& [name, value] : record.at("details").items())
      result.details.emplace_back(name, number(value, kInfinity));
    out.result = std::move(result);
    return out;
  } catch (const Json::exception& e) {
    throw InputError(path + ": is not the result of a study's cell: " + e.what());
  }
}

void check_result(const std::string& bytes, const std::string& path, const CellTask& task) {
  const Json record = parse(bytes, path);
  const Json expected = {{"cell", cell_json(task.cell)}, {"settings", settings_json(task)}};
  for (const char* part : {"cell", "settings"})
    for (const auto& [key, value] : expected.at(part).items()) {
      const Json found = record.value(part, Json::object()).value(key, Json());
      if (found != value)
        throw InputError(path + ": belongs to another study: " + key + " is " + found.dump() +
                         ", expected " + value.dump() + "; choose another output folder");
    }
}

}  // namespace mechfit
