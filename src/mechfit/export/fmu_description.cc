#include <fmt/format.h>

#include <set>
#include <vector>

#include "mechfit/export/c_text.h"
#include "mechfit/export/shells.h"
#include "mechfit/version.h"

// modelDescription.xml (FMI 2.0.x, 2.2). Variables in this order, which is also that of their value
// references: x = (q, v), xdot, u, the energy, position and restitution of contacts.
namespace mechfit {
namespace {

std::string quoted(const std::string& text) {
  std::string out;
  for (char c : text) {
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '"')
      out += "&quot;";
    else
      out += static_cast<unsigned char>(c) < 32 ? ' ' : c;
  }
  return out;
}

// Angles are in rad, whether the log said so or not.
std::vector<std::string> units_of(const Channels& channels) {
  std::vector<std::string> out = channels.units;
  out.resize(static_cast<std::size_t>(channels.n()));
  for (std::size_t i = 0; i < out.size(); ++i)
    if (out[i].empty() && channels.joint_types[i] == JointType::periodic) out[i] = "rad";
  return out;
}

// Units of joints that the file defines; others are left out.
bool known_unit(const std::string& unit) { return unit == "rad" || unit == "m"; }

std::string unit_attribute(const std::string& unit, int rate) {
  static const char* const kRates[] = {"", "/s", "/s2"};
  return known_unit(unit) ? fmt::format(" unit=\"{}{}\"", unit, kRates[rate]) : "";
}

std::string unit_definitions(const std::vector<std::string>& units) {
  std::string out;
  for (const std::string& unit : std::set<std::string>(units.begin(), units.end()))
    if (known_unit(unit))
      out += fmt::format(R"(    <Unit name="{0}"><BaseUnit {0}="1"/></Unit>
    <Unit name="{0}/s"><BaseUnit {0}="1" s="-1"/></Unit>
    <Unit name="{0}/s2"><BaseUnit {0}="1" s="-2"/></Unit>
)",
                         unit);
  return out.empty() ? "" : "  <UnitDefinitions>\n" + out + "  </UnitDefinitions>\n";
}

class Variables {
 public:
  void add(const std::string& name, const char* causality, const char* initial,
           const std::string& attributes, const std::string& description = "",
           const char* variability = "continuous") {
    text_ +=
        fmt::format("    <ScalarVariable name=\"{}\" valueReference=\"{}\"", unique(name), count_);
    if (!description.empty()) text_ += " description=\"" + quoted(description) + "\"";
    text_ += fmt::format(" causality=\"{}\" variability=\"{}\"", causality, variability);
    if (*initial != '\0') text_ += fmt::format(" initial=\"{}\"", initial);
    text_ += "><Real" + attributes + "/></ScalarVariable>\n";
    ++count_;
  }
  const std::string& text() const { return text_; }

 private:
  std::string unique(const std::string& name) {
    std::string out = quoted(name);
    while (!names_.insert(out).second) out += "_";
    return out;
  }

  int count_ = 0;
  std::set<std::string> names_;
  std::string text_;
};

std::string variables_of(const ModelRecord& record, const std::vector<std::string>& units) {
  const Channels& channels = record.channels;
  const int n = channels.n(), m = channels.m();
  Variables out;
  const char* const kOf[] = {"", "velocity of ", "acceleration of "};
  for (int rate = 0; rate < 2; ++rate)
    for (int i = 0; i < n; ++i)
      out.add(channels.joints[i] + (rate == 0 ? "" : "_velocity"), "output", "exact",
              unit_attribute(units[i], rate) + " start=\"0\"",
              rate == 0 ? "position" : kOf[1] + channels.joints[i]);
  for (int rate = 0; rate < 2; ++rate)
    for (int i = 0; i < n; ++i)
      out.add(
          "der(" + channels.joints[i] + (rate == 0 ? ")" : "_velocity)"), "local", "calculated",
          unit_attribute(units[i], rate + 1) + fmt::format(" derivative=\"{}\"", rate * n + i + 1),
          kOf[rate + 1] + channels.joints[i]);
  for (int i = 0; i < m; ++i)
    out.add(channels.inputs[i], "input", "", " start=\"0\"", "what acts on the machine");
  out.add("energy", "output", "calculated", "", "kinetic and potential energy");
  for (const Contact& contact : record.contacts)
    for (const auto& [what, value] :
         {std::pair{"position", contact.position}, std::pair{"restitution", contact.restitution}})
      out.add(contact.name + " " + what, "local", "exact",
              " start=\"" + CStyle{}.number(value) + "\"", "what the machine hits", "constant");
  return out.text();
}

std::string unknowns(int first, int last) {
  std::string out;
  for (int i = first; i <= last; ++i) out += fmt::format("<Unknown index=\"{}\"/>", i);
  return out;
}

}  // namespace

std::string fmu_description(const ModelRecord& record, const std::string& name,
                            const std::string& guid) {
  const int n = record.channels.n(), energy = 4 * n + record.channels.m() + 1;
  const std::vector<std::string> units = units_of(record.channels);
  const std::string sources = fmt::format("<SourceFiles><File name=\"{}.c\"/></SourceFiles>", name);
  return fmt::format(
      R"(<?xml version="1.0" encoding="UTF-8"?>
<fmiModelDescription fmiVersion="2.0" modelName="{0}" guid="{1}" description="{2}" generationTool="mechfit {3}" variableNamingConvention="flat" numberOfEventIndicators="{10}">
  <ModelExchange modelIdentifier="{0}" completedIntegratorStepNotNeeded="true" canNotUseMemoryManagementFunctions="true" canGetAndSetFMUstate="true" providesDirectionalDerivative="true">{4}</ModelExchange>
  <CoSimulation modelIdentifier="{0}" canHandleVariableCommunicationStepSize="true" canNotUseMemoryManagementFunctions="true" canGetAndSetFMUstate="true" providesDirectionalDerivative="true">{4}</CoSimulation>
{5}  <LogCategories><Category name="logStatusError"/></LogCategories>
  <DefaultExperiment startTime="0" stopTime="10"/>
  <ModelVariables>
{6}  </ModelVariables>
  <ModelStructure>
    <Outputs>{7}{8}</Outputs>
    <Derivatives>{9}</Derivatives>
    <InitialUnknowns>{9}{8}</InitialUnknowns>
  </ModelStructure>
</fmiModelDescription>
)",
      name, guid, quoted(record.model.describe().words), kVersion, sources, unit_definitions(units),
      variables_of(record, units), unknowns(1, 2 * n), unknowns(energy, energy),
      unknowns(2 * n + 1, 4 * n), record.contacts.size());
}

}  // namespace mechfit
