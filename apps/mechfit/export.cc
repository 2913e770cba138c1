#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <cstdio>
#include <memory>

#include "choice.h"
#include "commands.h"
#include "common_options.h"
#include "export_robot.h"
#include "mechfit/export/c_export.h"
#include "mechfit/files/files.h"
#include "mechfit/files/json_fields.h"
#include "mechfit/files/outputs.h"

namespace mechfit {

void add_export(CLI::App& app, int&) {
  struct Options {
    std::string model, output, name, robot;
    Precision precision = Precision::float64;
    bool overwrite = false, json = false;
  };
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("export", "Writes a model for other programs");
  command->add_option("MODEL", options->model, "Model file of mechfit fit")
      ->required()
      ->type_name("FILE");
  command
      ->add_option("-o,--output", options->output,
                   "File to write: model.h for one C99 header; robot.urdf with --robot")
      ->required()
      ->type_name("FILE");
  command
      ->add_option("--name", options->name,
                   "Prefix of all names in the C file (default: the file's name)")
      ->type_name("NAME");
  command
      ->add_option("--robot", options->robot,
                   "Of an arm: the URDF to write with the values that the fit identified, to a "
                   "name that ends in .urdf")
      ->type_name("FILE");
  command
      ->add_option("--precision", options->precision,
                   "Numbers of the C file, double or float" + by_default(options->precision))
      ->transform(choice<Precision>())
      ->type_name(choices<Precision>());
  add_overwrite(*command, options->overwrite);
  add_json(*command, options->json);
  command->footer(
      "Examples:\n"
      "  mechfit export model.safetensors -o pendulum.h\n"
      "  mechfit export arm.safetensors --robot robot.urdf -o identified.urdf");
  command->callback([options] {
    const std::string extension = lower_extension(options->output);
    if (!options->robot.empty() || extension == ".urdf") {
      if (options->robot.empty()) throw UsageError("-o NAME.urdf: give --robot, the URDF to fill");
      if (extension != ".urdf")
        throw UsageError("--robot: expected -o with a name that ends in .urdf");
      expect_output(options->output, options->overwrite, {options->model, options->robot});
      export_robot(options->model, options->robot, options->output, options->json);
      return;
    }
    if (extension != ".h")
      throw UsageError("-o '" + options->output + "': expected a name that ends in .h");
    expect_output(options->output, options->overwrite, {options->model});
    const ModelRecord record = load_model(options->model);
    const std::string name = options->name.empty() ? c_name(options->output) : options->name;
    write_file_atomically(options->output, export_c(record, {name, options->precision}));
    if (options->json)
      std::printf("{\"c\": %s, \"name\": %s}\n", to_text(options->output).c_str(),
                  to_text(name).c_str());
    else
      std::printf("Wrote %s: %s_acceleration and other functions of %d joints and %d inputs.\n",
                  options->output.c_str(), name.c_str(), record.model.joints(),
                  record.model.inputs());
  });
}

}  // namespace mechfit
