#include <fmt/format.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <cmath>
#include <memory>

#include "commands.h"
#include "common_options.h"
#include "mechfit/base/constants.h"
#include "mechfit/base/error.h"
#include "mechfit/files/json_fields.h"
#include "mechfit/mechanics/families/arm/identified.h"
#include "mechfit/mechanics/model_file.h"
#include "terminal.h"

namespace mechfit {
namespace {

const Arm& arm_of(const ModelRecord& record, const std::string& path) {
  const Arm* arm = record.model.as<Arm>();
  if (!arm)
    throw InputError(path + ": a model of family " + record.model.family() + ", expected an arm");
  return *arm;
}

// A joint's number by its name; the last one for none.
int link_of(const Arm& arm, const std::string& name) {
  const auto& joints = arm.config().kinematics.joints;
  if (name.empty()) return arm.joints() - 1;
  std::string valid;
  for (std::size_t i = 0; i < joints.size(); ++i) {
    if (joints[i].name == name) return static_cast<int>(i);
    valid += (i > 0 ? ", " : "") + joints[i].name;
  }
  throw UsageError("--link '" + name + "': expected one of " + valid);
}

const char* const kUnits[] = {"kg",     "kg m",   "kg m",   "kg m",   "kg m^2",
                              "kg m^2", "kg m^2", "kg m^2", "kg m^2", "kg m^2"};

void print_number(const std::string& name, double value, double error, const char* unit) {
  fmt::print("{:<16} {:>10}   {:<12} {}\n", name, fmt::format("{:.4g}", value),
             std::isfinite(error) ? fmt::format("+- {:.2g}", error) : "not told", unit);
}

void print_payload(const Payload& load, const std::string& link) {
  fmt::print("Load at {}, in its frame, with standard errors:\n\n", printable(link));
  for (int k = 0; k < kLinkNumbers; ++k)
    print_number(k < 4 ? kMomentNames[k] : std::string(kMomentNames[k]) + " (origin)",
                 load.moments[k], load.errors[k], kUnits[k]);
  for (int k = 0; k < 3; ++k)
    print_number(std::string("centre ") + "xyz"[k], load.centre[k], load.centre_errors[k], "m");
}

std::string payload_json(const Payload& load, const std::string& link) {
  nlohmann::ordered_json out;
  out["link"] = link;
  const auto add = [](double value, double error) {
    nlohmann::ordered_json entry;
    entry["value"] = std::isfinite(error) ? nlohmann::ordered_json(value) : nullptr;
    entry["error"] = std::isfinite(error) ? nlohmann::ordered_json(error) : nullptr;
    return entry;
  };
  for (int k = 0; k < kLinkNumbers; ++k) {
    std::string key = kMomentNames[k];
    std::replace(key.begin(), key.end(), ' ', '_');
    out[key] = add(load.moments[k], load.errors[k]);
  }
  for (int k = 0; k < 3; ++k)
    out[std::string("centre_") + "xyz"[k]] = add(load.centre[k], load.centre_errors[k]);
  return out.dump();
}

}  // namespace

void add_payload(CLI::App& app, int&) {
  struct Options {
    std::string empty, loaded, link;
    bool json = false;
  };
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand(
      "payload", "Says what an arm carries in one fit that it does not carry in another");
  command->add_option("EMPTY", options->empty, "Model of the arm without the load")
      ->required()
      ->type_name("FILE");
  command->add_option("LOADED", options->loaded, "Model of the same arm with it")
      ->required()
      ->type_name("FILE");
  command
      ->add_option("--link", options->link,
                   "Joint whose link the load is fixed to (default: the last one)")
      ->type_name("JOINT");
  add_json(*command, options->json);
  command->footer(
      "Both are fits of family arm with the same description (mechfit fit --robot).\n\n"
      "Example:\n"
      "  mechfit payload empty.safetensors loaded.safetensors");
  command->callback([options] {
    const ModelRecord empty = load_model(options->empty), loaded = load_model(options->loaded);
    const Arm &without = arm_of(empty, options->empty), &with = arm_of(loaded, options->loaded);
    const int link = link_of(with, options->link);
    const Payload load = payload(without, empty.covariance, with, loaded.covariance, link);
    const std::string& name = with.config().kinematics.joints[link].name;
    if (options->json)
      fmt::print("{}\n", payload_json(load, name));
    else
      print_payload(load, name);
  });
}

}  // namespace mechfit
