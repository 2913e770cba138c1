#include "mechfit/mechanics/model_log.h"

#include "mechfit/base/error.h"
#include "mechfit/base/text.h"
#include "mechfit/log/acting_input.h"
#include "mechfit/log/arrange.h"

namespace mechfit {
namespace {

void check_joints(const Channels& own, const Log& log, const std::string& file) {
  if (log.n() != own.n())
    throw InputError(file + ": " + counted(log.n(), "joint") + ", the model has " +
                     std::to_string(own.n()) + " (name the columns with option 'q')");
}

void check_inputs(const Channels& own, const Channels& found, const std::string& file) {
  if (own.m() > 0 && found.m() != own.m())
    throw InputError(file + ": " + counted(found.m(), "input") + ", the model has " +
                     std::to_string(own.m()) + " (name the columns with option 'u')");
}

void check_units(const Channels& own, const Channels& found, const std::string& file) {
  for (int i = 0; i < own.n(); ++i)
    if (!own.units[i].empty() && !found.units[i].empty() && own.units[i] != found.units[i])
      throw InputError(file + ": joint '" + found.joints[i] + "' is in " + found.units[i] +
                       ", the model's '" + own.joints[i] + "' in " + own.units[i]);
}

// The log's joints in the order of the model's, where they have the same names: recorders and
// people write them in any order. `options` has the model's types, which go with the names.
void arrange_joints(const Channels& own, const std::vector<std::string>& files, ReadOptions options,
                    ReadResult& result) {
  const Channels found = result.log.channels;
  if (found.joints == own.joints) return;
  arrange_as(own, result.log);
  if (result.log.channels.joints != own.joints || options.joint_types.size() < 2) return;
  for (std::size_t i = 0; i < options.joint_types.size(); ++i)
    for (std::size_t k = 0; k < own.joints.size(); ++k)
      if (own.joints[k] == found.joints[i]) options.joint_types[i] = own.joint_types[k];
  result = read_log(files, options);
  arrange_as(own, result.log);
}

}  // namespace

ReadResult read_log_for(const ModelRecord& record, const std::vector<std::string>& files,
                        ReadOptions options) {
  const Channels& own = record.channels;
  const bool own_types = options.joint_types.empty();
  if (own_types) options.joint_types = own.joint_types;
  ReadResult result;
  try {
    result = read_log(files, options);
  } catch (const InputError&) {
    // Another number of joints than types is better said in terms of the model.
    if (!own_types) throw;
    options.joint_types.clear();
    check_joints(own, read_log(files, options).log, files[0]);
    throw;
  }
  check_joints(own, result.log, files[0]);
  if (own_types && options.q.empty()) arrange_joints(own, files, options, result);
  check_inputs(own, result.log.channels, files[0]);
  check_units(own, result.log.channels, files[0]);
  if (own.m() == 0 && result.log.m() > 0)
    result.notes.push_back("the model has no inputs, those of the log are ignored");
  else
    set_input_timing(result.log, record.timing);
  return result;
}

Log read_inputs_for(const ModelRecord& record, const std::string& file,
                    const ReadOptions& options) {
  if (record.model.inputs() == 0) throw InputError("option 'u': the model has no inputs");
  ReadOptions read;
  read.time = options.time;
  read.q = options.u.empty() ? record.channels.inputs : options.u;
  read.joint_types = {JointType::plain};
  read.gap = 0;
  Log log = read_log({file}, read).log;
  if (log.n() != record.model.inputs())
    throw InputError(file + ": " + counted(log.n(), "input") + ", the model has " +
                     std::to_string(record.model.inputs()));
  return log;
}

}  // namespace mechfit
