#include "mechfit/export/export.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <cstdio>
#include <memory>
#include <optional>

#include "choice.h"
#include "commands.h"
#include "common_options.h"
#include "export_robot.h"
#include "mechfit/base/text.h"
#include "mechfit/files/files.h"
#include "mechfit/files/json_fields.h"
#include "mechfit/files/outputs.h"

namespace mechfit {
namespace {

struct Options {
  std::string model, output, name, robot;
  std::optional<ExportTarget> target;
  Precision precision = Precision::float64;
  bool overwrite = false, json = false;
};

std::string what_is_in(ExportTarget target, const std::string& name, const Model& model) {
  const std::string size =
      counted(model.joints(), "joint") + " and " + counted(model.inputs(), "input") + ".";
  switch (target) {
    case ExportTarget::fmu:
      return "an FMU 2.0 for model exchange and co-simulation of " + size;
    case ExportTarget::casadi:
      return "casadi.external(\"" + name + "\") of " + size;
    case ExportTarget::mex:
      return "[xdot, A, B] = " + name + "(x, u) of " + size;
    default:
      return name + "_acceleration and other functions of " + size;
  }
}

void run(const Options& o) {
  const bool urdf = lower_extension(o.output) == ".urdf";
  if (urdf || !o.robot.empty()) {
    if (o.robot.empty()) throw UsageError("-o NAME.urdf: give --robot, the URDF to fill");
    if (!urdf) throw UsageError("--robot: expected -o with a name that ends in .urdf");
    expect_output(o.output, o.overwrite, {o.model, o.robot});
    export_robot(o.model, o.robot, o.output, o.json);
    return;
  }
  const ExportTarget target = export_target(o.output, o.target);
  expect_output(o.output, o.overwrite, {o.model});
  const ModelRecord record = load_model(o.model);
  const std::string name = o.name.empty() ? c_name(o.output) : o.name;
  const ExportedModel exported = export_model(record, target, {name, o.precision});
  write_file_atomically(o.output, exported.bytes);
  if (o.json)
    std::printf("{\"%s\": %s, \"name\": %s}\n", name_of(target).c_str(), to_text(o.output).c_str(),
                to_text(name).c_str());
  else
    std::printf("Wrote %s: %s\n", o.output.c_str(), what_is_in(target, name, record.model).c_str());
  if (!exported.note.empty())
    std::fprintf(stderr, "mechfit: %s: %s\n", o.output.c_str(), exported.note.c_str());
}

}  // namespace

void add_export(CLI::App& app, int&) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("export", "Writes a model for other programs");
  command->add_option("MODEL", options->model, "Model file of mechfit fit")
      ->required()
      ->type_name("FILE");
  command
      ->add_option("-o,--output", options->output,
                   "File to write: model.h for one C99 header, model.fmu for an FMU 2.0, model.c "
                   "for CasADi or MATLAB; robot.urdf with --robot")
      ->required()
      ->type_name("FILE");
  CLI::Option* target = command
                            ->add_option("--for", options->target,
                                         "What a .c file is for: casadi or mex (MATLAB and Octave)")
                            ->transform(choice<ExportTarget>())
                            ->type_name(choices<ExportTarget>());
  CLI::Option* name =
      command
          ->add_option("--name", options->name,
                       "The model's name, prefix of all names in C (default: the file's name)")
          ->type_name("NAME");
  CLI::Option* precision =
      command
          ->add_option("--precision", options->precision,
                       "Numbers of the C file, double or float" + by_default(options->precision))
          ->transform(choice<Precision>())
          ->type_name(choices<Precision>());
  command
      ->add_option("--robot", options->robot,
                   "Of an arm: the URDF to write with the values that the fit identified, to a "
                   "name that ends in .urdf")
      ->excludes(target)
      ->excludes(name)
      ->excludes(precision)
      ->type_name("FILE");
  add_overwrite(*command, options->overwrite);
  add_json(*command, options->json);
  command->footer(
      "Examples:\n"
      "  mechfit export model.safetensors -o pendulum.h\n"
      "  mechfit export model.safetensors -o pendulum.fmu\n"
      "  mechfit export arm.safetensors --robot robot.urdf -o identified.urdf");
  command->callback([options] { run(*options); });
}

}  // namespace mechfit
