#include "model_log.h"

#include "mechfit/base/error.h"

namespace mechfit {
namespace {

std::string counted(int count, const std::string& what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

void check_joints(const Channels& own, const Log& log, const std::string& file) {
  if (log.n() != own.n())
    throw InputError(file + ": " + counted(log.n(), "joint") + ", the model has " +
                     std::to_string(own.n()) + " (name the columns with --q)");
}

}  // namespace

ReadResult read_log_for(const ModelRecord& record, LogOptions options) {
  const Channels& own = record.channels;
  const bool own_types = options.read.joint_types.empty();
  if (own_types) options.read.joint_types = own.joint_types;
  const auto hold = record.metadata.find("input_hold");
  if (hold != record.metadata.end() && hold->second == "linear")
    options.read.input_hold = InputHold::linear;
  ReadResult result;
  try {
    result = read_log(options.files, options.read);
  } catch (const InputError&) {
    // Another number of joints than types is better said in terms of the model.
    if (!own_types) throw;
    options.read.joint_types.clear();
    check_joints(own, read_log(options.files, options.read).log, options.files[0]);
    throw;
  }
  check_joints(own, result.log, options.files[0]);
  const Channels& found = result.log.channels;
  if (own.m() > 0 && found.m() != own.m())
    throw InputError(options.files[0] + ": " + counted(found.m(), "input") + ", the model has " +
                     std::to_string(own.m()) + " (name the columns with " + options.u_option + ")");
  if (own.m() == 0 && found.m() > 0)
    result.notes.push_back("the model has no inputs, those of the log are ignored");
  for (int i = 0; i < own.n(); ++i)
    if (!own.units[i].empty() && !found.units[i].empty() && own.units[i] != found.units[i])
      throw InputError(options.files[0] + ": joint '" + found.joints[i] + "' is in " +
                       found.units[i] + ", the model's '" + own.joints[i] + "' in " + own.units[i]);
  return result;
}

std::string describe_model(const ModelRecord& record) {
  const Model& model = record.model;
  return model.describe().words + ", " + counted(model.joints(), "joint") + ", " +
         counted(model.inputs(), "input") + ", " + counted(model.parameter_count(), "parameter") +
         (record.members.empty() ? ""
                                 : ", an ensemble of " + std::to_string(record.members.size()));
}

}  // namespace mechfit
