#include "examples/control/task.h"

#include <limits>
#include <numbers>

namespace control {
namespace {

constexpr double kPi = std::numbers::pi;
constexpr double kNone = std::numeric_limits<double>::infinity();

Vector vec(std::initializer_list<double> values) {
  Vector out(values.size());
  std::copy(values.begin(), values.end(), out.begin());
  return out;
}

mechfit::AnalyticSystem with(const std::string& name,
                             std::initializer_list<std::pair<const char*, double>> constants) {
  mechfit::AnalyticSystem system = mechfit::make_system(name);
  system.set_constant("g", 9.81);
  for (const auto& [constant, value] : constants) system.set_constant(constant, value);
  return system;
}

// A cart of 1 kg on a rail of 2 m with a pole of 0.3 kg.
Task cart_pole() {
  return {.name = "cart-pole",
          .title = "Cart-pole",
          .nominal = with("cart-pole", {{"m_pole", 0.3}, {"eta_cart", 0.2}, {"eta_pole", 0.002}}),
          .h = 0.02,
          .limit = 10,
          .driven = "x",
          .recording = {.runs = 4,
                        .seconds = 3,
                        .h = 0.02,
                        .start = {0.3, kPi},
                        .sines = {8},
                        .fastest = 2,
                        .spring = 5,
                        .limit = 10},
          .horizon = 2.5,
          .planned = 0.7,
          .goal = vec({0, kPi, 0, 0}),
          .Q = vec({1, 1, 0.1, 0.1}),
          .Qf = vec({500, 500, 100, 100}),
          .R = 0.02,
          .doubt = vec({0.5, 1}),
          .near = vec({0.5, 0.2}),
          .rail = 1};
}

// The laboratory machine that the built-in system describes, by a motor that needs several swings.
Task furuta() {
  return {.name = "furuta",
          .title = "Furuta pendulum",
          .nominal = with("furuta", {{"eta_arm", 1e-4}, {"eta_pendulum", 1e-5}}),
          .h = 0.01,
          .limit = 0.03,
          .driven = "arm",
          .recording = {.runs = 4,
                        .seconds = 2,
                        .h = 0.01,
                        .start = {0.3, kPi},
                        .sines = {0.02},
                        .fastest = 4,
                        .spring = 0.005,
                        .limit = 0.03},
          .horizon = 1.5,
          .planned = 0.7,
          .goal = vec({0, kPi, 0, 0}),
          .Q = vec({1, 1, 0.01, 0.01}),
          .Qf = vec({100, 500, 5, 5}),
          .R = 2000,
          .doubt = vec({5, 5}),
          .near = vec({kNone, 0.2}),
          .rail = kNone};
}

// Two rods, a motor at the elbow that cannot hold them.
Task acrobot() {
  return {.name = "acrobot",
          .title = "Acrobot",
          .nominal = with("acrobot", {{"eta1", 0.05}, {"eta2", 0.05}}),
          .h = 0.02,
          .limit = 20,
          .driven = "q2",
          .recording = {.runs = 4,
                        .seconds = 3,
                        .h = 0.02,
                        .start = {kPi, kPi},
                        .sines = {8},
                        .fastest = 2,
                        .spring = 0,
                        .limit = 20},
          .horizon = 4,
          .planned = 0.7,
          .goal = vec({kPi, 0, 0, 0}),
          .Q = vec({1, 1, 0.1, 0.1}),
          .Qf = vec({1000, 1000, 200, 200}),
          .R = 0.02,
          .doubt = vec({1, 2}),
          .near = vec({0.2, 0.3}),
          .rail = kNone};
}

}  // namespace

std::vector<Task> tasks() { return {cart_pole(), furuta(), acrobot()}; }

}  // namespace control
