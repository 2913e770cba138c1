#include "mechfit/evaluate/model_text.h"

#include <cmath>

#include "mechfit/base/constants.h"
#include "mechfit/base/text_table.h"
#include "mechfit/files/json.h"
#include "mechfit/mechanics/model_values.h"

namespace mechfit {
namespace {

std::string from_to(double low, double high) {
  return four_digits(low) + " .. " + four_digits(high);
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
  const auto scores = parse_json(text->second);
  const nlohmann::json::json_pointer place("/acceleration_error/joints");
  if (scores.is_discarded() || !scores.contains(place)) return {};
  const auto& joints = scores.at(place);
  std::vector<double> out;
  for (const auto& error : joints) out.push_back(error.is_number() ? error.get<double>() : kNan);
  return static_cast<int>(out.size()) == record.channels.n() ? out : std::vector<double>();
}

// The machine's joints and inputs; with them where the data were and how wrong the model was there.
std::string channels_text(const ModelRecord& record) {
  const Channels& channels = record.channels;
  const bool known = record.knowledge.has_value();
  const std::vector<double> errors = held_out_error(record);
  std::vector<std::string> header = {"joint", "type", "unit"};
  if (known) header.insert(header.end(), {"positions", "velocities", "accelerations"});
  if (!errors.empty()) header.push_back("their error");
  TextTable joints(header);
  for (int i = 0; i < channels.n(); ++i) {
    std::vector<std::string> row = {channels.joints[i], name_of(channels.joint_types[i]),
                                    channels.units[i].empty() ? "?" : channels.units[i]};
    if (known) {
      const Region& region = record.knowledge->region;
      row.insert(row.end(), {positions(record, i), from_to(region.v_low[i], region.v_high[i]),
                             four_digits(record.knowledge->acceleration[i])});
    }
    if (!errors.empty()) row.push_back(four_digits(errors[i]));
    joints.add(row);
  }
  std::string text = joints.text();
  for (int i = 0; i < channels.m(); ++i) {
    text += "input " + channels.inputs[i];
    if (known) {
      const Region& region = record.knowledge->region;
      text += " " + from_to(region.u_low[i], region.u_high[i]);
    }
    text += "\n";
  }
  if (channels.m() > 0) text += "inputs are taken as " + describe_timing(record.timing) + "\n";
  if (known)
    text +=
        "positions, velocities and inputs: the region that it was fitted to\n"
        "accelerations: root mean square there\n";
  if (!errors.empty()) text += "their error: root mean square on held-out runs\n";
  return text + "\n";
}

std::string error_text(const ModelValue& value) {
  if (value.given) return "given";
  if (std::isnan(value.error)) return "not known";
  return std::isinf(value.error) ? "not determined" : four_digits(value.error);
}

std::string values_text(const ModelRecord& record) {
  const std::vector<ModelValue> values = model_values(record);
  if (values.empty()) return "";
  TextTable table({"constant", "value", "standard error", "unit"});
  for (const ModelValue& value : values)
    table.add({value.name, four_digits(value.value), error_text(value), value.unit});
  std::string text = table.text();
  if (record.model.scale_is_free())
    text += "no input of known size fixes the scale of M, V and F: only ratios mean something\n";
  return text + "\n";
}

std::string with_error(double value, double error) {
  return four_digits(value) + (error > 0 ? " +- " + four_digits(error) : "");
}

std::string contacts_text(const ModelRecord& record) {
  if (record.contacts.empty()) return "";
  TextTable table({"contact", "position", "unit", "restitution", "friction"});
  for (const Contact& contact : record.contacts) {
    const bool plane = contact.shape == ContactShape::half_plane;
    const std::string& unit = plane ? "m" : record.channels.units[contact.joint];
    table.add({contact.name, with_error(surface_position(contact), contact.position_error), unit,
               with_error(contact.restitution, contact.restitution_error),
               plane ? with_error(contact.friction, contact.friction_error) : "none"});
  }
  return table.text() + "\n";
}

}  // namespace

std::string model_text(const ModelRecord& record) {
  return channels_text(record) + contacts_text(record) + values_text(record);
}

double surface_position(const Contact& contact) {
  const bool plane = contact.shape == ContactShape::half_plane;
  const bool behind = plane && (contact.normal[0] == -1 || contact.normal[1] == -1);
  return behind ? -contact.position : contact.position;
}

}  // namespace mechfit
