#include "inspect_model.h"

#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "commands.h"
#include "mechfit/base/constants.h"
#include "mechfit/base/error.h"
#include "mechfit/evaluate/model_point.h"
#include "mechfit/files/number.h"
#include "mechfit/mechanics/model_values.h"
#include "terminal.h"

namespace mechfit {
namespace {

std::vector<double> numbers(const std::string& text, int count, const char* what) {
  std::vector<double> out;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    double value = 0;
    if (parse_number(text.substr(begin, end - begin), value) != NumberStatus::ok)
      throw UsageError("--at: " + in_quotes(text.substr(begin, end - begin)) + " is not a number");
    out.push_back(value);
    begin = end + 1;
  }
  if (static_cast<int>(out.size()) != count)
    throw UsageError("--at: " + std::to_string(out.size()) + " " + what + ", the model has " +
                     std::to_string(count) + " joints");
  return out;
}

std::string from_to(double low, double high) {
  return short_number(low) + " .. " + short_number(high);
}

std::string positions(const ModelRecord& record, int joint) {
  const Region& region = record.knowledge->region;
  const double low = region.q_low[joint], high = region.q_high[joint];
  const bool turns = record.channels.joint_types[joint] == JointType::periodic;
  return turns && high - low >= kTurn * (1 - 1e-9) ? "full turn" : from_to(low, high);
}

// Root mean squares on the runs that the fit held out, as its scores have them; empty: not known.
std::vector<double> held_out_error(const ModelRecord& record) {
  const auto text = record.metadata.find("scores");
  if (text == record.metadata.end()) return {};
  const auto scores = nlohmann::json::parse(text->second, nullptr, false);
  const nlohmann::json::json_pointer place("/acceleration_error/joints");
  if (scores.is_discarded() || !scores.contains(place)) return {};
  const auto& joints = scores.at(place);
  std::vector<double> out;
  for (const auto& error : joints) out.push_back(error.is_number() ? error.get<double>() : kNan);
  return static_cast<int>(out.size()) == record.channels.n() ? out : std::vector<double>();
}

// The machine's joints and inputs; with them where the data were and how wrong the model was there.
void print_channels(const ModelRecord& record) {
  const Channels& channels = record.channels;
  const bool known = record.knowledge.has_value();
  const std::vector<double> errors = held_out_error(record);
  std::vector<std::string> header = {"joint", "type", "unit"};
  if (known) header.insert(header.end(), {"positions", "velocities", "accelerations"});
  if (!errors.empty()) header.push_back("their error");
  Table joints(header);
  for (int i = 0; i < channels.n(); ++i) {
    std::vector<std::string> row = {channels.joints[i], name_of(channels.joint_types[i]),
                                    channels.units[i].empty() ? "?" : channels.units[i]};
    if (known) {
      const Region& region = record.knowledge->region;
      row.insert(row.end(), {positions(record, i), from_to(region.v_low[i], region.v_high[i]),
                             short_number(record.knowledge->acceleration[i])});
    }
    if (!errors.empty()) row.push_back(short_number(errors[i]));
    joints.add(row);
  }
  joints.print();
  for (int i = 0; i < channels.m(); ++i) {
    std::printf("input %s", channels.inputs[i].c_str());
    if (known)
      std::printf(
          " %s",
          from_to(record.knowledge->region.u_low[i], record.knowledge->region.u_high[i]).c_str());
    std::puts("");
  }
  if (known)
    std::puts(
        "positions, velocities and inputs are the region that it was fitted to, accelerations\n"
        "root mean squares there");
  if (!errors.empty()) std::puts("the error is a root mean square on held-out runs");
  std::puts("");
}

std::string error_text(const ModelValue& value) {
  if (value.given) return "given";
  if (std::isnan(value.error)) return "not known";
  return std::isinf(value.error) ? "not determined" : short_number(value.error);
}

void print_values(const ModelRecord& record) {
  const std::vector<ModelValue> values = model_values(record);
  if (values.empty()) return;
  Table table({"constant", "value", "standard error", "unit"});
  for (const ModelValue& value : values)
    table.add({value.name, short_number(value.value), error_text(value), value.unit});
  table.print();
  if (record.model.scale_is_free())
    std::puts("no input of known size fixes the scale of M, V and F: only ratios mean something");
  std::puts("");
}

void print_row(const char* name, const std::vector<double>& values) {
  std::printf("%-14s", name);
  for (const double x : values) std::printf("  %12s", short_number(x).c_str());
  std::puts("");
}

void print_point(const ModelPoint& point) {
  const std::size_t n = point.q.size();
  print_row("q", point.q);
  print_row("v", point.v);
  for (std::size_t i = 0; i < n; ++i)
    print_row(i == 0 ? "M(q)" : "", {point.mass.begin() + i * n, point.mass.begin() + (i + 1) * n});
  print_row("eigenvalues", point.eigenvalues);
  print_row("V(q)", {point.potential});
  print_row("dL/dq", point.conservative);
  print_row("F(q, v, 0)", point.force);
  if (point.acceleration.empty())
    std::puts("M is not positive definite here: the model gives no acceleration");
  else
    print_row("acceleration", point.acceleration);
}

}  // namespace

void inspect_model(const std::string& path, const std::string& at, bool json) {
  const ModelRecord record = load_model(path);
  const int n = record.model.joints();
  std::vector<double> q(n, 0.0), v(n, 0.0);
  if (!at.empty()) {
    const std::size_t semicolon = at.find(';');
    q = numbers(at.substr(0, semicolon), n, "positions");
    if (semicolon != std::string::npos) v = numbers(at.substr(semicolon + 1), n, "velocities");
  }
  const ModelPoint point = model_at(record.model, q, v);
  if (json) {
    std::puts(model_json(record, point).c_str());
    return;
  }
  std::printf("%s: %s\n\n", path.c_str(), describe_model(record).c_str());
  print_channels(record);
  print_values(record);
  print_point(point);
  std::puts("");
  for (const auto& [key, text] : record.metadata)
    if (text.size() <= 100) std::printf("%s: %s\n", key.c_str(), text.c_str());
}

}  // namespace mechfit
