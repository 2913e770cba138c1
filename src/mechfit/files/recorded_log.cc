#include "mechfit/files/recorded_log.h"

#include <algorithm>
#include <cmath>

#include "mechfit/base/error.h"
#include "mechfit/base/text.h"
#include "mechfit/files/files.h"
#include "mechfit/files/mcap.h"
#include "mechfit/files/message_table.h"
#include "mechfit/files/number.h"
#include "mechfit/files/ros_message.h"
#include "mechfit/files/rosbag.h"
#include "mechfit/log/columns.h"
#include "mechfit/log/joint_state.h"
#include "mechfit/log/origin.h"

namespace mechfit {
namespace {

constexpr const char* kTypes = "sensor_msgs/msg/JointState or std_msgs/msg/Float64MultiArray";

std::string names_of(const std::vector<const RecordedTopic*>& topics) {
  constexpr std::size_t kMost = 8;  // more do not fit into a message
  std::vector<std::string> names;
  for (const RecordedTopic* topic : topics) names.push_back(topic->name + " (" + topic->type + ")");
  return listed(names, kMost);
}

std::vector<const RecordedTopic*> all_topics(const Recording& recording) {
  std::vector<const RecordedTopic*> out;
  for (const RecordedTopic& topic : recording.topics) out.push_back(&topic);
  return out;
}

// The topic that is named, or the only one that fits; joint states come first, and topics of wanted
// motion are no log.
const RecordedTopic& choose_topic(const Recording& recording, const std::string& wanted,
                                  const std::string& name) {
  std::vector<const RecordedTopic*> named, states, lists;
  for (const RecordedTopic& topic : recording.topics) {
    if (!wanted.empty() && topic.name != wanted) continue;
    named.push_back(&topic);
    if (topic.count == 0 || (wanted.empty() && is_reference(topic.name))) continue;
    if (is_joint_state(topic.type)) states.push_back(&topic);
    if (is_number_list(topic.type)) lists.push_back(&topic);
  }
  if (named.empty() && !wanted.empty())
    throw UnclearLog(name + ": no topic " + in_quotes(wanted) + ", found " +
                     names_of(all_topics(recording)));
  const auto& fitting = states.empty() ? lists : states;
  if (fitting.size() == 1) return *fitting[0];
  for (const RecordedTopic* topic : fitting)
    if (topic->name == "/joint_states") return *topic;
  if (fitting.empty())
    throw UnclearLog(name + ": no messages of " + kTypes + ", found topics " + names_of(named));
  throw UnclearLog(name + ": several topics hold motion, " + names_of(fitting) +
                   "; choose with option 'topic'");
}

// The columns that the options name, as the table calls them.
std::vector<std::string> column_names(const std::vector<std::string>& names,
                                      const MessageTable& table,
                                      int MessageTable::Joint::*quantity) {
  std::vector<std::string> out;
  for (const std::string& name : names) {
    const auto joint = std::find_if(table.joints.begin(), table.joints.end(),
                                    [&](const auto& known) { return known.name == name; });
    const int column = joint == table.joints.end() ? -1 : (*joint).*quantity;
    out.push_back(column < 0 ? name : table.header[static_cast<std::size_t>(column)]);
  }
  return out;
}

// The columns of this quantity that are there.
std::vector<std::string> known_columns(const MessageTable& table,
                                       int MessageTable::Joint::*quantity) {
  std::vector<std::string> out;
  for (const auto& joint : table.joints)
    if (const int column = joint.*quantity; column >= 0)
      out.push_back(table.header[static_cast<std::size_t>(column)]);
  return out;
}

// The velocities of the joints with these positions, none where one is missing.
std::vector<std::string> velocities_of(const std::vector<std::string>& positions,
                                       const MessageTable& table) {
  std::vector<std::string> out;
  for (const std::string& position : positions)
    for (const auto& joint : table.joints)
      if (joint.velocity >= 0 && table.header[static_cast<std::size_t>(joint.position)] == position)
        out.push_back(table.header[static_cast<std::size_t>(joint.velocity)]);
  return out.size() == positions.size() ? out : std::vector<std::string>();
}

// The same options with all guesses made that messages allow.
ReadOptions settle(ReadOptions options, const MessageTable& table) {
  using Joint = MessageTable::Joint;
  if (options.time.empty()) options.time = table.stamped ? kStampColumn : kReceivedColumn;
  if (table.joints.empty()) {
    const bool named = !options.columns.empty();
    if (options.q.empty() && !named) options.q.assign(table.header.begin() + 1, table.header.end());
    return options;
  }
  options.q = options.q.empty() ? known_columns(table, &Joint::position)
                                : column_names(options.q, table, &Joint::position);
  options.qd = options.qd.empty() ? velocities_of(options.q, table)
                                  : column_names(options.qd, table, &Joint::velocity);
  if (options.no_inputs()) return options;
  const bool own = options.u.empty();
  options.u =
      own ? known_columns(table, &Joint::effort) : column_names(options.u, table, &Joint::effort);
  if (options.u.empty()) options.u = {"none"};
  return options;
}

// What a bad row has, empty for a good one.
std::string fault_of(const MessageTable& table, const double* row, const std::vector<int>& used) {
  for (const int column : used)
    if (!std::isfinite(row[column]))
      return table.header[static_cast<std::size_t>(column)] + " is " +
             (std::isnan(row[column]) ? "NaN" : "infinite") + ", expected a finite number";
  return {};
}

class RecordedLog {
 public:
  RecordedLog(const Recording& recording, const std::string& name, const ReadOptions& options,
              std::vector<std::string>& notes)
      : name_(name),
        options_(options),
        notes_(notes),
        topic_(choose_topic(recording, options.topic, name)) {
    expect_fitting_options();
    if (topic_.encoding != "cdr")
      throw InputError(name_ + ": messages of " + topic_.name + " have the encoding " +
                       in_quotes(topic_.encoding) + ", expected cdr as ROS 2 writes it");
  }

  Log read() {
    const MessageTable table = is_joint_state(topic_.type)
                                   ? joint_state_table(topic_, options_, name_)
                                   : number_list_table(topic_, options_, name_);
    const ReadOptions settled = settle(options_, table);
    std::vector<std::string> guesses;  // told below in terms of messages
    Columns c = choose_columns(table.header, settled, name_, guesses);
    if (!table.joints.empty()) name_joints(table, c);
    const bool stamps = c.time < 1 || (c.time == 1 && table.stamped);
    refuse(stamps && options_.time_unit, "time_unit");
    if (stamps) c.channels.time_unit = "s", c.time_scale = 1.0;
    Log log = rows(table, c);
    tell(table, c);
    log.channels = std::move(c.channels);
    return log;
  }

 private:
  void refuse(bool given, const char* option) const {
    if (given)
      throw InputError(name_ + ": option '" + option + "' does not go with messages of " +
                       topic_.type);
  }

  // Options of tables that messages have no part for.
  void expect_fitting_options() const {
    refuse(!options_.trajectory.empty(), "trajectory");
    if (!is_joint_state(topic_.type)) return;
    refuse(!options_.columns.empty(), "columns");
    refuse(!options_.qdd.empty(), "qdd");
  }

  static void name_joints(const MessageTable& table, Columns& c) {
    for (std::size_t i = 0; i < c.q.size(); ++i)
      for (const auto& joint : table.joints)
        if (joint.position == c.q[i]) c.channels.joints[i] = joint.name, c.channels.units[i] = "";
  }

  Log rows(const MessageTable& table, const Columns& c) {
    Log log;
    Trajectory& run = log.runs.emplace_back();
    run.origin.file = name_;
    run.origin.place = Origin::Place::message;
    std::vector<int> used = {c.time};
    for (const auto* columns : {&c.q, &c.u, &c.qd, &c.qdd})
      used.insert(used.end(), columns->begin(), columns->end());
    long dropped = 0;
    for (std::size_t k = 0; k < table.rows(); ++k) {
      const double* row = table.values.data() + k * table.header.size();
      if (const std::string fault = fault_of(table, row, used); !fault.empty()) {
        if (!options_.drop_bad_rows)
          throw InputError(name_ + ": message " + std::to_string(table.messages[k]) + " of " +
                           topic_.name + ": " + fault);
        ++dropped;
        continue;
      }
      add_line(run.origin, run.size(), table.messages[k]);
      run.t.push_back(row[c.time] * c.time_scale);
      append(run.q, c.q, row);
      append(run.u, c.u, row);
      append(run.qd, c.qd, row);
      append(run.qdd, c.qdd, row);
    }
    if (dropped > 0)
      notes_.push_back(name_ + ": dropped " + std::to_string(dropped) + " of " +
                       counted(static_cast<long>(table.rows()), "message") +
                       " with NaN or infinity");
    if (run.t.empty())
      throw InputError(name_ + ": no good message among " + std::to_string(table.rows()));
    return log;
  }

  static void append(std::vector<double>& to, const std::vector<int>& columns, const double* row) {
    for (const int column : columns) to.push_back(row[column]);
  }

  void tell(const MessageTable& table, const Columns& c) const {
    std::string note = "topic " + topic_.name + ": joints " + listed(c.channels.joints);
    if (c.channels.m() > 0) note += "; inputs " + listed(c.channels.inputs);
    if (!table.joints.empty() && !table.stamped && options_.time.empty())
      note += "; time of receipt, for the headers' stamps are zero";
    else
      note += "; time " + table.header[static_cast<std::size_t>(c.time)];
    notes_.push_back(note);
    if (table.passed_over > 0)
      notes_.push_back(name_ + ": passed over " + counted(table.passed_over, "message") + " of " +
                       topic_.name + " with other joints");
  }

  const std::string& name_;
  const ReadOptions& options_;
  std::vector<std::string>& notes_;
  const RecordedTopic& topic_;
};

}  // namespace

Log parse_mcap_log(std::string_view bytes, const std::string& name, const ReadOptions& options,
                   std::vector<std::string>& notes) {
  const Recording recording = read_mcap(bytes, name);
  return RecordedLog(recording, name, options, notes).read();
}

Log parse_rosbag_log(std::string_view bytes, const std::string& name, const ReadOptions& options,
                     std::vector<std::string>& notes) {
  if (const std::string journal = name + "-wal";
      path_exists(journal) && !read_file(journal).empty())
    throw InputError(name + ": the recorder did not close this file, its end is in " + journal);
  const Recording recording = read_rosbag(bytes, name);
  return RecordedLog(recording, name, options, notes).read();
}

std::string mcap_contents(std::string_view bytes, const std::string& name) {
  return topics_text(read_mcap(bytes, name));
}

std::string rosbag_contents(std::string_view bytes, const std::string& name) {
  return topics_text(read_rosbag(bytes, name));
}

void leave_out_idle_inputs(Log& log, std::vector<std::string>& notes) {
  const auto m = static_cast<std::size_t>(log.m());
  std::vector<bool> acts(m, false);
  for (const Trajectory& run : log.runs)
    for (std::size_t k = 0; k < run.u.size(); ++k)
      if (run.u[k] != 0) acts[k % m] = true;
  std::vector<std::string> idle, inputs;
  for (std::size_t i = 0; i < m; ++i) (acts[i] ? inputs : idle).push_back(log.channels.inputs[i]);
  if (idle.empty()) return;
  for (Trajectory& run : log.runs) {
    std::size_t to = 0;
    for (std::size_t k = 0; k < run.u.size(); ++k)
      if (acts[k % m]) run.u[to++] = run.u[k];
    run.u.resize(to);
  }
  log.channels.inputs = std::move(inputs);
  notes.push_back(listed(idle) +
                  ": zero throughout, not taken as inputs (option 'u' names inputs)");
}

}  // namespace mechfit
