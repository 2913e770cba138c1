#include "mechfit/export/c_export.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "mechfit/base/constants.h"
#include "mechfit/base/error.h"
#include "mechfit/export/c_parts.h"
#include "mechfit/version.h"

namespace mechfit {
namespace {

bool is_name(const std::string& name) {
  if (name.empty() || (std::isdigit(static_cast<unsigned char>(name[0])) != 0)) return false;
  return std::all_of(name.begin(), name.end(), [](unsigned char c) {
    return c < 128 && ((std::isalnum(c) != 0) || c == '_');
  });
}

std::string channels_text(const Channels& channels) {
  std::string out;
  for (int i = 0; i < channels.n(); ++i) {
    const bool periodic = channels.joint_types[i] == JointType::periodic;
    const std::string unit = channels.units[i].empty() ? "" : " [" + channels.units[i] + "]";
    out += fmt::format("   q[{}]  {}{}{}\n", i, quiet(channels.joints[i]), quiet(unit),
                       periodic ? ", an angle that goes round" : "");
  }
  for (int i = 0; i < channels.m(); ++i)
    out += fmt::format("   u[{}]  {}\n", i, quiet(channels.inputs[i]));
  return out;
}

// How inputs acted in the log: the functions take u as it acts, so whoever steps the model has to
// do this first.
std::string timing_text(const ModelRecord& record, const CStyle& style) {
  if (record.model.inputs() == 0) return "";
  const InputTiming& timing = record.timing;
  return fmt::format(R"(
/* u is what acts on the machine. The inputs of the log were
   {}:
   a logged value w(t) acts as u(t) with lag u' = w(t - delay) - u. [s] */
#define $_INPUT_HELD {} /* 0: linear between samples */
#define $_INPUT_DELAY {}
#define $_INPUT_LAG {}
)",
                     describe_timing(timing), timing.hold == InputHold::held ? 1 : 0,
                     style.number(timing.delay), style.number(timing.lag));
}

std::string head(const ModelRecord& record, const CStyle& style) {
  return fmt::format(
      R"(/* $: a model of a machine's mechanics, {}.
   Written by mechfit {}.

{}
   Functions: $_mass, $_potential, $_energy, $_momentum, $_acceleration, $_inverse_dynamics,
   $_acceleration_jacobians, $_rk4_step, $_variational_step, $_inside{}.
   q, v [$_JOINTS] are positions and velocities, u [$_INPUTS] inputs; matrices stand by rows. No
   function allocates memory or keeps a state. */
#ifndef $_MODEL_H
#define $_MODEL_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#define $_JOINTS {}
#define $_INPUTS {}
/* Where the solution of a variational step is done, relative to its terms */
#define $_TOLERANCE {}
typedef {} $_real;
)",
      quiet(record.model.describe().words), kVersion, channels_text(record.channels),
      record.contacts.empty()
          ? ""
          : ";\n   of what the machine hits, at the end: $_gap, $_impact, $_contact_step",
      record.model.joints(), record.model.inputs(), style.single ? "1e-6f" : "1e-14", style.type());
}

// The box of states that the data covered, with the margin that `mechfit rollout` allows.
std::string inside_function(const Region& region, std::span<const JointType> types,
                            const CStyle& style) {
  std::string checks;
  const auto range = [&](const std::string& x, double low, double high) {
    checks += fmt::format("  if (!({0} >= {1} && {0} <= {2})) return 0;\n", x, style.number(low),
                          style.number(high));
  };
  const auto ends = [](double low, double high) {
    const double margin = kRegionMargin * (high - low);
    return std::pair{low - margin, high + margin};
  };
  for (std::size_t i = 0; i < types.size(); ++i) {
    const auto [low, high] = ends(region.q_low[i], region.q_high[i]);
    const std::string q = fmt::format("q[{}]", i);
    if (types[i] == JointType::plain) {
      range(q, low, high);
    } else if (high - low < kTurn) {
      const std::string middle = style.number(0.5 * (low + high)), turn = style.number(kTurn);
      checks += fmt::format(
          "  if (!({0}({1} - ({2}) - {3} * {4}(({1} - ({2})) / {3})) <= {5})) "
          "return 0;\n",
          style.function("fabs"), q, middle, turn, style.function("round"),
          style.number(0.5 * (high - low)));
    }
    const auto [slow, fast] = ends(region.v_low[i], region.v_high[i]);
    range(fmt::format("v[{}]", i), slow, fast);
  }
  for (std::size_t i = 0; i < region.u_low.size(); ++i) {
    const auto [low, high] = ends(region.u_low[i], region.u_high[i]);
    range(fmt::format("u[{}]", i), low, high);
  }
  return checks;
}

std::string inside(const ModelRecord& record, const CStyle& style) {
  std::string out = R"(
/* 1 where the data of the fit covered the state and input, 0 outside. */
static inline int $_inside(const $_real* q, const $_real* v, const $_real* u) {
  (void)q;
  (void)v;
  (void)u;
)";
  if (record.knowledge)
    out += inside_function(record.knowledge->region, record.channels.joint_types, style);
  else
    out += "  /* The model file does not say what its data covered. */\n";
  return out + "  return 1;\n}\n";
}

}  // namespace

std::string quiet(std::string text) {
  for (std::size_t at = 0; (at = text.find("*/", at)) != std::string::npos;) text[at] = ' ';
  for (char& c : text)
    if (static_cast<unsigned char>(c) < 32) c = ' ';
  return text;
}

std::string filled_in(const std::string& text, const std::string& name, const CStyle& style) {
  std::string out;
  out.reserve(text.size());
  for (char c : text) {
    if (c == '$')
      out += name;
    else if (c == '~')
      out += style.single ? "f" : "";
    else
      out += c;
  }
  return out;
}

std::string c_name(const std::string& path) {
  std::string name = path.substr(path.find_last_of('/') + 1);
  name = name.substr(0, name.find('.'));
  for (char& c : name)
    if (!is_name("a" + std::string(1, c))) c = '_';
  return is_name(name) ? name : "model_" + name;
}

std::string export_c(const ModelRecord& record, const CExportOptions& options) {
  if (!is_name(options.name))
    throw InputError("option 'name': '" + options.name +
                     "' is no name in C, expected letters, digits and _, a letter first");
  std::optional<SymbolicModel> model = record.model.symbolic();
  if (!model)
    throw InputError(std::string("models of family ") + record.model.family() +
                     " cannot be exported to C");
  const CStyle style{options.precision == Precision::float32};
  std::string out = head(record, style) + timing_text(record, style);
  out += model->networks ? network_terms(*model->networks, style) : formula_terms(*model, style);
  out += force_functions(*model, style);
  out += kFactor;
  if (!model->networks) out += kFactoredTerms;
  out += kMechanics;
  out += inside(record, style);
  out += contact_functions(record.contacts, record.channels, style);
  out += "\n#endif\n";
  return filled_in(out, options.name, style);
}

}  // namespace mechfit
