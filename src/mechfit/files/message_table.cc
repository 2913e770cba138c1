#include "mechfit/files/message_table.h"

#include <algorithm>
#include <cmath>

#include "mechfit/base/constants.h"
#include "mechfit/base/error.h"
#include "mechfit/base/text.h"
#include "mechfit/files/ros_message.h"
#include "mechfit/files/utf.h"
#include "mechfit/log/joint_state.h"

namespace mechfit {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;  // [ns]

// The same number as that of a column of seconds with one of nanoseconds.
double seconds(std::int64_t sec, std::int64_t nanosec) {
  return static_cast<double>(sec) + 1e-9 * static_cast<double>(nanosec);
}

// No machine has as many joints, and searches among them take the square of their number.
constexpr std::size_t kMostNumbers = 10'000;

// What both kinds of messages share: a row begins with the time of sending.
class TableMaker {
 public:
  TableMaker(const RecordedTopic& topic, const std::string& where) : topic_(topic), where_(where) {}

 protected:
  [[noreturn]] void fail(std::size_t k, const std::string& what) const {
    throw InputError(where_ + ": message " + std::to_string(k + 1) + " of " + topic_.name + " " +
                     what);
  }
  void begin_row(std::size_t k) {
    const std::int64_t ns = topic_.messages[k].published;
    out_.messages.push_back(static_cast<long>(k) + 1);
    out_.values.push_back(seconds(ns / kSecond, ns % kSecond));
  }
  void append(const std::vector<double>& values) {
    out_.values.insert(out_.values.end(), values.begin(), values.end());
  }

  const RecordedTopic& topic_;
  const std::string& where_;
  MessageTable out_;
};

// The joints that the options speak of, by name or as /topic/joint/position.
std::vector<std::string> named_joints(const ReadOptions& options) {
  std::vector<std::string> out;
  for (const auto* names : {&options.q, &options.u, &options.qd})
    for (const std::string& name : *names) {
      if (names == &options.u && options.no_inputs()) continue;
      const auto column = parse_joint_state(name);
      const std::string joint = column ? column->joint : name;
      if (std::find(out.begin(), out.end(), joint) == out.end()) out.push_back(joint);
    }
  return out;
}

class JointStateTable : TableMaker {
 public:
  using TableMaker::TableMaker;

  MessageTable read(const ReadOptions& options) {
    if (!options.q.empty()) wanted_ = named_joints(options);
    all_ = wanted_.empty();
    for (std::size_t k = 0; k < topic_.messages.size(); ++k) add(k);
    if (out_.rows() == 0)
      throw UnclearLog(where_ + ": no message of " + topic_.name + " has joint " +
                       listed(wanted_, kMostNames) + ", found " +
                       listed(message_.joints, kMostNames));
    make_header();
    leave_out_empty_columns();
    return std::move(out_);
  }

 private:
  static constexpr std::size_t kTimes = 2;  // columns: of sending, of the header
  static constexpr const char* kQuantities[] = {"position", "velocity", "effort"};

  void add(std::size_t k) {
    if (const char* fault = decode(topic_.messages[k].data, message_)) fail(k, fault);
    name_joints(k);
    if (k == 0 && all_)
      for (const std::size_t i : joint_order(message_.joints))
        wanted_.push_back(message_.joints[i]);
    if (!find_joints(k)) {
      ++out_.passed_over;
      return;
    }
    begin_row(k);
    out_.stamped = out_.stamped || message_.sec != 0 || message_.nanosec != 0;
    out_.values.push_back(seconds(message_.sec, message_.nanosec));
    for (const auto* values : {&message_.position, &message_.velocity, &message_.effort})
      for (const std::size_t i : at_) out_.values.push_back(values->empty() ? kNan : (*values)[i]);
  }

  // Some senders leave names out.
  void name_joints(std::size_t k) {
    auto& joints = message_.joints;
    const std::size_t n = message_.position.size();
    if (n > kMostNumbers) fail(k, "has " + std::to_string(n) + " joints, that is no machine's");
    const bool nameless = joints.empty();
    for (std::size_t i = 0; nameless && i < n; ++i) joints.push_back("joint" + std::to_string(i));
    for (std::string& joint : joints) joint = printable_name(joint);
    if (joints.size() != n)
      fail(k, "has " + counted(static_cast<long>(n), "position") + " for " +
                  counted(static_cast<long>(joints.size()), "joint"));
    for (const auto* values : {&message_.velocity, &message_.effort})
      if (!values->empty() && values->size() != n)
        fail(k, "has " + std::to_string(values->size()) +
                    (values == &message_.effort ? " efforts for " : " velocities for ") +
                    counted(static_cast<long>(n), "joint"));
  }

  // Where the wanted joints stand in this message. False where it is one of other joints alone.
  bool find_joints(std::size_t k) {
    const auto& joints = message_.joints;
    at_.clear();
    for (const std::string& joint : wanted_) {
      const auto found = std::find(joints.begin(), joints.end(), joint);
      if (found == joints.end()) continue;
      if (std::find(found + 1, joints.end(), joint) != joints.end())
        fail(k, "has joint " + joint + " twice");
      at_.push_back(static_cast<std::size_t>(found - joints.begin()));
    }
    if (at_.size() == wanted_.size() && (!all_ || joints.size() == wanted_.size())) return true;
    if (!all_ && at_.empty()) return false;
    fail(k, "has joints " + listed(joints, kMostNames) + ", expected " +
                listed(wanted_, kMostNames) +
                (all_ ? " as in message 1 (option 'q' names those that are wanted)" : ""));
  }

  void make_header() {
    out_.header = {kReceivedColumn, kStampColumn};
    for (const char* quantity : kQuantities)
      for (const std::string& joint : wanted_)
        out_.header.push_back(topic_.name + "/" + joint + "/" + quantity);
    const int n = static_cast<int>(wanted_.size());
    for (int i = 0; i < n; ++i) {
      const int first = static_cast<int>(kTimes) + i;
      out_.joints.push_back(
          {wanted_[static_cast<std::size_t>(i)], first, first + n, first + 2 * n});
    }
  }

  // Velocities and efforts that no message has: empty lists, or NaN as ROS's controllers write.
  void leave_out_empty_columns() {
    const std::size_t width = out_.header.size();
    std::vector<bool> keeps(width, false);
    for (std::size_t c = 0; c < width; ++c)
      for (std::size_t k = c; k < out_.values.size() && !keeps[c]; k += width)
        keeps[c] = !std::isnan(out_.values[k]);
    keeps[1] = out_.stamped;
    std::vector<int> column(width, -1);
    std::vector<std::string> header;
    for (std::size_t c = 0; c < width; ++c) {
      // Positions stay, so that a bad one is told.
      keeps[c] = keeps[c] || (c >= kTimes && c < kTimes + wanted_.size());
      if (!keeps[c]) continue;
      column[c] = static_cast<int>(header.size());
      header.push_back(out_.header[c]);
    }
    std::size_t to = 0;
    for (std::size_t k = 0; k < out_.values.size(); ++k)
      if (keeps[k % width]) out_.values[to++] = out_.values[k];
    out_.values.resize(to);
    out_.header = std::move(header);
    for (auto& joint : out_.joints)
      for (int* c : {&joint.position, &joint.velocity, &joint.effort})
        *c = column[static_cast<std::size_t>(*c)];
  }

  JointStateMessage message_;
  std::vector<std::string> wanted_;
  std::vector<std::size_t> at_;  // in the message
  bool all_ = true;
};

class NumberListTable : TableMaker {
 public:
  using TableMaker::TableMaker;

  MessageTable read(const ReadOptions& options) {
    std::vector<double> numbers;
    std::size_t width = 0;
    for (std::size_t k = 0; k < topic_.messages.size(); ++k) {
      if (const char* fault = decode(topic_.messages[k].data, numbers)) fail(k, fault);
      if (k == 0) width = numbers.size();
      if (width > kMostNumbers)
        fail(k, "has " + std::to_string(width) + " numbers, that is no machine's motion");
      if (numbers.size() != width || width == 0)
        fail(k, "has " + counted(static_cast<long>(numbers.size()), "number") + ", expected " +
                    (width == 0 ? "one or more" : std::to_string(width) + " as in message 1"));
      begin_row(k);
      append(numbers);
    }
    out_.header = {kReceivedColumn};
    if (!options.columns.empty() && options.columns.size() != width)
      throw UnclearLog(where_ + ": messages of " + topic_.name + " have " +
                       counted(static_cast<long>(width), "number") + ", option 'columns' names " +
                       std::to_string(options.columns.size()));
    for (std::size_t i = 0; i < width; ++i)
      out_.header.push_back(options.columns.empty() ? "data" + std::to_string(i)
                                                    : options.columns[i]);
    return std::move(out_);
  }
};

}  // namespace

MessageTable joint_state_table(const RecordedTopic& topic, const ReadOptions& options,
                               const std::string& where) {
  return JointStateTable(topic, where).read(options);
}

MessageTable number_list_table(const RecordedTopic& topic, const ReadOptions& options,
                               const std::string& where) {
  return NumberListTable(topic, where).read(options);
}

}  // namespace mechfit
