#include <fmt/format.h>

#include "mechfit/base/error.h"
#include "mechfit/export/c_parts.h"

namespace mechfit {
namespace {

// Which layout serves W x: below this many outputs a row is longer than what a register holds.
constexpr int kThin = 8;

std::string product(const std::string& net, int l, const LayerEquations& layer, bool bias,
                    const std::string& x, const std::string& y) {
  const bool thin = layer.outputs < kThin;
  return fmt::format("  ${}product({}, {}, $_{}_{}{}, {}, {}, {});\n", thin ? "_thin_" : "_",
                     layer.outputs, layer.inputs, net, thin ? "R" : "W", l,
                     bias ? fmt::format("$_{}_b{}", net, l) : "0", x, y);
}

// The same with yd = W xd.
std::string product_along(const std::string& net, int l, const LayerEquations& layer,
                          const std::string& x, const std::string& xd, const std::string& y,
                          const std::string& yd) {
  if (layer.outputs < kThin)
    return product(net, l, layer, true, x, y) + product(net, l, layer, false, xd, yd);
  return fmt::format("  $_product_along({}, {}, $_{}_W{}, $_{}_b{}, {}, {}, {}, {});\n",
                     layer.outputs, layer.inputs, net, l, net, l, x, xd, y, yd);
}

// y_k = W x_k for `count` rows x_k of x.
std::string products(const std::string& net, int l, const LayerEquations& layer,
                     const std::string& count, const std::string& x, const std::string& y) {
  if (layer.outputs >= kThin)
    return fmt::format("  $_products({}, {}, {}, $_{}_W{}, {}, {});\n", count, layer.outputs,
                       layer.inputs, net, l, x, y);
  return "  for (int k = 0; k < " + count + "; ++k)\n  " +
         product(net, l, layer, false, fmt::format("{} + k * {}", x, layer.inputs),
                 fmt::format("{} + k * {}", y, layer.outputs));
}

// W' d
std::string back_product(const std::string& net, int l, const LayerEquations& layer,
                         const std::string& d, const std::string& x) {
  const bool thin = layer.inputs < kThin;
  return fmt::format("  ${}product({}, {}, $_{}_{}{}, 0, {}, {});\n", thin ? "_thin_" : "_",
                     layer.inputs, layer.outputs, net, thin ? "W" : "R", l, d, x);
}

std::string arrays(const std::string& net, const NetworkEquations& layers, const CStyle& style) {
  std::string out;
  for (std::size_t l = 0; l < layers.size(); ++l) {
    const LayerEquations& layer = layers[l];
    MECHFIT_CHECK(layer.tanh == (l + 1 < layers.size()));
    std::vector<double> turned;
    for (int j = 0; j < layer.inputs; ++j)
      for (int i = 0; i < layer.outputs; ++i) turned.push_back(layer.W[i * layer.inputs + j]);
    const std::string name = "$_" + net + "_";
    out += write_array(name + "R" + std::to_string(l), layer.W, style);
    out += write_array(name + "W" + std::to_string(l), turned, style);
    out += write_array(name + "b" + std::to_string(l), layer.b, style);
  }
  return out;
}

int hidden_count(const NetworkEquations& layers) {
  int count = 0;
  for (std::size_t l = 0; l + 1 < layers.size(); ++l) count += layers[l].outputs;
  return count;
}

// y, and with `along` its derivative yd along xd; g keeps the slopes of the hidden units.
std::string forward_function(const std::string& net, const NetworkEquations& layers, bool along) {
  std::string out = along ? fmt::format(R"(
static inline void $_{}_forward_along(const $_real* x, const $_real* xd, $_real* y, $_real* yd,
                                      $_real* g) {{
)",
                                        net)
                          : fmt::format(R"(
static inline void $_{}_forward(const $_real* x, $_real* y, $_real* g) {{
)",
                                        net);
  std::string x = "x", xd = "xd";
  int at = 0;
  for (std::size_t l = 0; l < layers.size(); ++l) {
    const LayerEquations& layer = layers[l];
    const int number = static_cast<int>(l), width = layer.outputs;
    const bool last = l + 1 == layers.size();
    const std::string y = last ? "y" : fmt::format("h{}", l),
                      yd = last ? "yd" : fmt::format("d{}", l);
    if (!last)
      out += fmt::format("  $_real h{0}[{1}]{2};\n", l, width,
                         along ? fmt::format(", d{}[{}]", l, width) : "");
    out += along ? product_along(net, number, layer, x, xd, y, yd)
                 : product(net, number, layer, true, x, y);
    if (last) break;
    out += fmt::format(
        "  for (int i = 0; i < {1}; ++i) h{0}[i] = $_tanh(h{0}[i]);\n"
        "  for (int i = 0; i < {1}; ++i) g[{2} + i] = 1 - h{0}[i] * h{0}[i];\n",
        l, width, at);
    if (along)
      out += fmt::format("  for (int i = 0; i < {1}; ++i) d{0}[i] *= g[{2} + i];\n", l, width, at);
    x = y;
    xd = yd;
    at += width;
  }
  return out + "}\n";
}

// gx = (dy/dx)' gy at the last forward.
std::string back_function(const std::string& net, const NetworkEquations& layers) {
  std::string out = fmt::format(
      "\nstatic inline void $_{}_back(const $_real* g, const $_real* gy, $_real* gx) {{\n", net);
  std::string d = "gy";
  int at = hidden_count(layers);
  for (int l = static_cast<int>(layers.size()) - 1; l >= 0; --l) {
    if (l == 0) {
      out += back_product(net, l, layers[0], d, "gx");
      break;
    }
    const int width = layers[l].inputs;
    at -= width;
    out += fmt::format("  $_real d{}[{}];\n", l, width);
    out += back_product(net, l, layers[l], d, fmt::format("d{}", l));
    out += fmt::format("  for (int i = 0; i < {1}; ++i) d{0}[i] *= g[{2} + i];\n", l, width, at);
    d = fmt::format("d{}", l);
  }
  return out + "}\n";
}

// y, first and second derivatives to the joints: dy [JOINTS][outputs], ddy [PAIRS][outputs], from
// those of the features.
std::string second_function(const std::string& net, const NetworkEquations& layers) {
  std::string out = fmt::format(R"(
static inline void $_{}_second(const $_real* x, const $_real* dx, const $_real* ddx, $_real* y,
                               $_real* dy, $_real* ddy) {{
)",
                                net);
  std::string from = "";
  for (std::size_t l = 0; l < layers.size(); ++l) {
    const LayerEquations& layer = layers[l];
    const int number = static_cast<int>(l);
    const bool last = l + 1 == layers.size();
    const std::string to = last ? "" : std::to_string(l), width = std::to_string(layer.outputs);
    const std::string x = from.empty() ? "x" : "h" + from, dx = from.empty() ? "dx" : "d" + from,
                      ddx = from.empty() ? "ddx" : "dd" + from;
    const std::string y = last ? "y" : "h" + to, dy = last ? "dy" : "d" + to,
                      ddy = last ? "ddy" : "dd" + to;
    if (!last)
      out += fmt::format("  $_real h{0}[{1}], d{0}[$_JOINTS * {1}], dd{0}[$_PAIRS * {1}];\n", l,
                         width);
    out += product(net, number, layer, true, x, y);
    out += products(net, number, layer, "$_JOINTS", dx, dy);
    out += products(net, number, layer, "$_PAIRS", ddx, ddy);
    if (!last) out += fmt::format("  $_second_tanh({0}, h{1}, d{1}, dd{1});\n", width, l);
    from = to;
  }
  return out + "}\n";
}

const char* const kSecondTanh = R"(
/* h = tanh z with first and second derivatives, from those of z, in place */
static inline void $_second_tanh(int width, $_real* h, $_real* d, $_real* dd) {
  for (int i = 0; i < width; ++i) {
    const $_real y = $_tanh(h[i]), g = 1 - y * y;
    h[i] = y;
    for (int k = 0; k < $_JOINTS; ++k)
      for (int l = 0; l <= k; ++l) {
        $_real* x = dd + $_pair(k, l) * width + i;
        *x = g * (*x - 2 * y * d[k * width + i] * d[l * width + i]);
      }
    for (int k = 0; k < $_JOINTS; ++k) d[k * width + i] *= g;
  }
}
)";

const char* const kIndices = R"(
#define $_PAIRS ($_JOINTS * ($_JOINTS + 1) / 2)
static inline int $_pair(int k, int l) { return k >= l ? k * (k + 1) / 2 + l : l * (l + 1) / 2 + k; }
/* Where L_ij is among the network's outputs: the diagonal first */
static inline int $_entry(int i, int j) { return i == j ? i : $_JOINTS + i * (i - 1) / 2 + j; }
)";

// Features x of q, their derivatives dx to their own joint and second ones ddx.
std::string features_function(const NetworkModel& model, const CStyle& style) {
  std::string out = R"(
static inline void $_features(const $_real* q, $_real* x, $_real* dx, $_real* ddx) {
)";
  int at = 0;
  for (std::size_t i = 0; i < model.joints.size(); ++i) {
    const std::string q = fmt::format("q[{}]", i);
    if (model.joints[i] == JointType::periodic) {
      out += fmt::format(
          "  x[{0}] = {2}({4});\n  x[{1}] = {3}({4});\n  dx[{0}] = -x[{1}];\n  dx[{1}] = x[{0}];\n"
          "  ddx[{0}] = -x[{0}];\n  ddx[{1}] = -x[{1}];\n",
          at, at + 1, style.function("cos"), style.function("sin"), q);
      at += 2;
    } else {
      out +=
          fmt::format("  x[{0}] = ({1} - {2}) / {3};\n  dx[{0}] = 1 / {3};\n  ddx[{0}] = 0;\n", at,
                      q, "(" + style.number(model.offset[i]) + ")", style.number(model.scale[i]));
      ++at;
    }
  }
  return out + "}\n";
}

std::string feature_joints(const NetworkModel& model) {
  std::string list;
  int count = 0;
  for (std::size_t i = 0; i < model.joints.size(); ++i)
    for (int k = model.joints[i] == JointType::periodic ? 2 : 1; k > 0; --k, ++count)
      list += (list.empty() ? "" : ", ") + std::to_string(i);
  return fmt::format(
      "#define $_FEATURES {0}\n/* Joint of each feature */\nstatic const int $_feature_joint[{0}] "
      "= "
      "{{{1}}};\n",
      count, list);
}

std::string hidden_define(const char* name, const NetworkEquations& layers) {
  return fmt::format("#define $_{}_HIDDEN {}\n", name, std::max(1, hidden_count(layers)));
}

}  // namespace

std::string network_terms(const NetworkModel& model, const CStyle& style) {
  std::string out = kIndices;
  out += feature_joints(model);
  out += fmt::format("#define $_ENERGY {}\n", style.number(model.energy));
  out += hidden_define("MASS", model.mass) + hidden_define("POTENTIAL", model.potential);
  out += write_array("$_D", model.d, style);
  out += arrays("mass_net", model.mass, style) + arrays("potential_net", model.potential, style);
  out += kFusedProduct;
  out += style.single ? kTanhSingle : kTanh;
  out += kNetworkProducts;
  out += kSecondTanh;
  out += features_function(model, style);
  out += forward_function("mass_net", model.mass, true);
  for (const auto& [net, layers] : {std::pair{std::string("mass_net"), &model.mass},
                                    std::pair{std::string("potential_net"), &model.potential}})
    out += forward_function(net, *layers, false) + back_function(net, *layers) +
           second_function(net, *layers);
  out += kNetworkMechanics;
  if (model.force.empty()) return out;
  out += hidden_define("FORCE", model.force);
  out += write_array("$_FORCE", model.force_scale, style);
  out += write_array("$_SPEED", model.speed, style);
  out += arrays("force_net", model.force, style);
  out += forward_function("force_net", model.force, false);
  out += forward_function("force_net", model.force, true);
  return out + kForceNetwork;
}

}  // namespace mechfit
