#pragma once

#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "mechfit/base/random.h"
#include "mechfit/mechanics/families/analytic/analytic.h"
#include "mechfit/report/mechanism.h"

// Documents with the shape and the size of real ones, for the tests of the report.
namespace mechfit::samples {

using Json = nlohmann::json;
using State = std::array<double, 4>;  // q1, q2, v1, v2

// Two point masses on massless rods, absolute angles, m = l = 1:
//   2 a1 + c a2 = -s v2^2 - 2 g sin q1 - eta v1,   c a1 + a2 = s v1^2 - g sin q2 - eta v2
// with c, s = cos, sin (q1 - q2).
inline State rates(const State& x, double g, double eta) {
  const double c = std::cos(x[0] - x[1]), s = std::sin(x[0] - x[1]);
  const double f1 = -s * x[3] * x[3] - 2 * g * std::sin(x[0]) - eta * x[2];
  const double f2 = s * x[2] * x[2] - g * std::sin(x[1]) - eta * x[3];
  return {x[2], x[3], (f1 - c * f2) / (2 - c * c), (2 * f2 - c * f1) / (2 - c * c)};
}

inline std::vector<State> motion(State x, double g, double eta, int steps, double h) {
  std::vector<State> result{x};
  for (int k = 0; k < steps; ++k) {
    for (int fine = 0; fine < 10; ++fine) {
      const State a = rates(x, g, eta);
      State middle = x;
      for (int i = 0; i < 4; ++i) middle[i] += h / 20 * a[i];
      const State b = rates(middle, g, eta);
      for (int i = 0; i < 4; ++i) x[i] += h / 10 * b[i];
    }
    result.push_back(x);
  }
  return result;
}

inline std::vector<double> column(const std::vector<State>& states, int i) {
  std::vector<double> result;
  for (const State& x : states) result.push_back(x[i]);
  return result;
}

inline std::vector<double> times(int count, double h, double start = 0) {
  std::vector<double> t;
  for (int k = 0; k < count; ++k) t.push_back(start + k * h);
  return t;
}

inline double energy(const State& x, double g) {
  return x[2] * x[2] + 0.5 * x[3] * x[3] + x[2] * x[3] * std::cos(x[0] - x[1]) -
         2 * g * std::cos(x[0]) - g * std::cos(x[1]);
}

inline Json pair(const char* first, const std::string& a, const char* second,
                 const std::string& b) {
  return {{first, a}, {second, b}};
}

inline Json setting(const std::string& name, const std::string& value) {
  return pair("name", name, "value", value);
}

inline Json joints() {
  return {{{"name", "q1"}, {"unit", "rad"}}, {{"name", "q2"}, {"unit", "rad"}}};
}

inline void add_scores(Json& page) {
  page["scores"]["acceleration"] = {
      {{"name", "this model"}, {"mse", 0.2713}, {"joints", {0.1408, 0.4018}}},
      {{"name", "predict nothing"}, {"mse", 96.42}, {"joints", {41.7, 151.14}}},
      {{"name", "constant velocity"}, {"mse", 96.42}, {"joints", {41.7, 151.14}}}};
  page["scores"]["rollout"] = {
      {"horizons", {0.05, 0.1, 0.25, 0.5, 1, 2}},
      {"rows",
       {{{"name", "this model"},
         {"rmse",
          {{"y", {.0021, .0043, .0125, .0311, .089, .412}},
           {"low", {.0016, .0034, .0098, .0241, .066, .279}},
           {"high", {.0027, .0056, .0164, .0402, .121, .597}}}}},
        {{"name", "predict nothing"}, {"rmse", {.131, .262, .628, 1.09, 1.42, 1.61}}},
        {{"name", "constant velocity"}, {"rmse", {.0117, .0466, .281, .997, 2.84, 6.12}}}}}};
  const auto horizons = [](double first, double second) -> Json {
    return {{{"seconds", 0.1}, {"share", first}}, {{"seconds", 1}, {"share", second}}};
  };
  page["coverage"] = {{{"band", 0.5},
                       {"acceleration", 0.472},
                       {"rollout", 0.455},
                       {"horizons", horizons(0.5, 0.41)}},
                      {{"band", 0.9},
                       {"acceleration", 0.883},
                       {"rollout", 0.861},
                       {"horizons", horizons(0.91, 0.812)}}};
  page["verdict"] = {
      {"grade", "usable"},
      {"words", "a model that is usable up to 0.5 s"},
      {"good_for",
       "It predicts accelerations within 31 % and rollouts up to 0.5 s within 24 % of the motion."},
      {"limits", {"The error of q1 goes with its velocity: its friction is not understood."}},
      {"advice", {"Fit with friction (option 'force'), or with a network for the forces."}},
      {"relative_error", 0.3125},
      {"error", {{"overall", 2.5}, {"joints", {2.0, 2.9}}, {"interval", {2.0, 3.0}}}},
      {"reliable_until", 0.5},
      {"reliable_error", 0.24},
      {"tried", 2},
      {"noise", {0.0998, 0.1002}}};
}

// Accelerations over time with both bands, and the errors behind them.
inline void add_accelerations(Json& page, const std::vector<State>& truth, Random& random) {
  const std::size_t count = 150;
  Json shown = {{"name", "run 3"}, {"t", times(count, 0.02)}, {"joints", Json::array()}};
  Json errors = {{"name", "run 3"}, {"t", times(count, 0.02)}, {"joints", Json::array()}};
  for (int i = 0; i < 2; ++i) {
    std::vector<double> measured, error, velocity;
    Json predicted;
    for (std::size_t k = 0; k < count; ++k) {
      measured.push_back(rates(truth[k], 10, 0)[2 + i]);
      error.push_back(0.5 * random.normal());
      velocity.push_back(truth[k][2 + i]);
      const double y = measured.back() + error.back();
      predicted["y"].push_back(y);
      predicted["low"].push_back(y - 0.82);
      predicted["high"].push_back(y + 0.82);
      predicted["inner_low"].push_back(y - 0.34);
      predicted["inner_high"].push_back(y + 0.34);
    }
    shown["joints"].push_back({{"measured", measured}, {"predicted", predicted}});
    errors["joints"].push_back({{"velocity", velocity}, {"error", error}});
  }
  Json second = shown, other = errors;
  second["name"] = other["name"] = "run 9, from 1.2 s";
  page["accelerations"] = {{"source", "observations"}, {"runs", {shown, second}}};
  page["errors"] = {{"source", "observations"}, {"runs", {errors, other}}};
}

inline Json region(const std::vector<State>& truth) {
  Json joints = Json::array();
  for (int i = 0; i < 2; ++i) {
    Json inside = {{"q", Json::array()}, {"v", Json::array()}}, outside = inside;
    for (const State& x : truth) {
      Json& states = std::abs(x[2]) > 3 ? outside : inside;
      states["q"].push_back(x[i]);
      states["v"].push_back(x[2 + i]);
    }
    joints.push_back({{"q", {-1.5, 1.4}},
                      {"v", {-3.0, 3.0}},
                      {"full_turn", i == 1},
                      {"inside", inside},
                      {"outside", outside}});
  }
  return {{"joints", joints},
          {"inputs", {{{"name", "motor"}, {"range", {-2.0, 2.0}}}}},
          {"outside", 0.0375}};
}

inline Json rollout(const std::string& name, const State& start, int steps, Random& random) {
  const auto truth = motion(start, 10, 0, steps, 0.02),
             learned = motion(start, 10.06, 0.004, steps, 0.02);
  Json result = {{"name", name}, {"t", times(steps + 1, 0.02)}};
  for (int i = 0; i < 2; ++i) {
    std::vector<double> observed, low, high;
    for (int k = 0; k <= steps; ++k) {
      observed.push_back(truth[k][i] + 0.1 * random.normal());
      const double width = 0.01 + 0.04 * k * 0.02;
      low.push_back(learned[k][i] - width);
      high.push_back(learned[k][i] + width);
    }
    result["joints"].push_back(
        {{"observed", observed},
         {"measured", column(truth, i)},
         {"predicted", {{"y", column(learned, i)}, {"low", low}, {"high", high}}}});
  }
  std::vector<double> of_truth, of_learned;
  for (int k = 0; k <= steps; ++k) {
    of_truth.push_back(energy(truth[k], 10.06));
    of_learned.push_back(energy(learned[k], 10.06));
  }
  result["energy"] = {{{"name", "measured motion"}, {"y", of_truth}},
                      {{"name", "rollout"}, {"y", of_learned}}};
  return result;
}

inline Json landscape() {
  Json result = Json::array();
  for (int joint = 0; joint < 2; ++joint) {
    std::vector<double> q, V, true_V;
    std::vector<std::vector<double>> learned(2), truth(2);
    for (int k = 0; k <= 80; ++k) {
      q.push_back(-3.14159 + k * 3.14159 / 40);
      const double c = std::cos(q.back()), root = std::sqrt(0.25 + c * c);
      const double wiggle = 1 + 0.03 * std::sin(2.3 * q.back());
      truth[0].push_back(1.5 - root);
      truth[1].push_back(1.5 + root);
      learned[0].push_back((1.5 - root) * wiggle);
      learned[1].push_back((1.5 + root) * wiggle);
      true_V.push_back((joint == 0 ? -20 : -10) * c);
      V.push_back(true_V.back() * wiggle);
    }
    result.push_back({{"q", q},
                      {"eigenvalues", learned},
                      {"true_eigenvalues", truth},
                      {"V", V},
                      {"true_V", true_V}});
  }
  return result;
}

inline Json fit() {
  Random random(7);
  Json page = {
      {"kind", "fit"},
      {"title", "Double pendulum, learned from noisy angles"},
      {"subtitle",
       "Trigonometric polynomials, estimated together with the motion of 8 runs; noise 0.1 rad."},
      {"joints", joints()},
      {"scale", "free"},
      {"settings",
       {setting("Command", "mechfit fit undamped.csv --family trig --seed 0 -o run"),
        setting("Version", "mechfit 0.1.0"), setting("Seed", "0"),
        setting("Data",
                "undamped.csv, 16 runs of 202 samples, step 0.05 s; 8 for training, 4 for "
                "validation, 4 "
                "for test"),
        setting("Family", "trig, degree 2"), setting("Time", "0.21 s on 2 threads")}}};
  add_scores(page);
  page["coverage"].push_back({{"band", 0.99}, {"acceleration", nullptr}, {"rollout", 0.98}});

  std::vector<double> epoch = times(500, 1, 1), loss, validation;
  for (double e : epoch) {
    loss.push_back(3 * std::exp(-e / 60) + 0.02 + 0.004 * random.uniform());
    validation.push_back(3.4 * std::exp(-e / 55) + 0.034 + 0.00002 * e + 0.004 * random.uniform());
  }
  page["learning"] = {
      {"epoch", epoch},
      {"selected", 412},
      {"series",
       {{{"name", "training"}, {"y", loss}}, {{"name", "validation"}, {"y", validation}}}}};

  const auto truth = motion({1.3, -1.2, 0, 0}, 10, 0, 600, 0.02);
  add_accelerations(page, truth, random);
  page["region"] = region(truth);
  page["rollouts"] = {rollout("run 3, from 0 s", {1.3, -1.2, 0, 0}, 150, random),
                      rollout("run 9, from 0 s", {0.4, 1.5, 0, 0}, 150, random)};
  page["landscape"] = landscape();

  const auto learned = motion({1.3, -1.2, 0, 0}, 10.06, 0.004, 300, 0.02);
  std::vector<Motion> motions{{"true", {}}, {"learned", {}}};
  for (int k = 0; k <= 300; ++k)
    for (int i = 0; i < 2; ++i) {
      motions[0].q.push_back(truth[k][i]);
      motions[1].q.push_back(learned[k][i]);
    }
  page["animation"] = *animate(make_system("double-pendulum-points"), times(301, 0.02), motions);
  return page;
}

// A page with nothing but a moving mechanism.
inline Json mechanism(const std::string& system, int joints = kDefaultJoints) {
  const AnalyticSystem machine = make_system(system, joints);
  const std::vector<double> t = times(101, 0.02);
  std::vector<Motion> motions{{"true", {}}, {"learned", {}}};
  for (const double time : t)
    for (int i = 0; i < machine.joints(); ++i) {
      const bool length = machine.joint_definitions()[i].unit == "m";
      const double q = (system == "spring-pendulum" && length ? 1.2 : 0) +
                       (length ? 0.2 : 0.9) * std::cos(3 * time + i);
      motions[0].q.push_back(q);
      motions[1].q.push_back(q + 0.05 * time);
    }
  return {{"kind", "fit"},
          {"title", system},
          {"settings", Json::array()},
          {"joints", Json::array()},
          {"animation", *animate(machine, t, motions)}};
}

inline Json trajectory(const std::string& system, double noise, double eta, Random& random) {
  const auto truth = motion({1.3, -1.2, 0, 0}, 10, eta, 201, 0.05);
  const auto smooth = motion({1.3, -1.2, 0, 0}, 10 + noise, eta + noise / 4, 201, 0.05);
  Json result = {{"name", system + ", noise " + Json(noise).dump() + " rad, trajectory 0"},
                 {"t", times(202, 0.05)}};
  for (int i = 0; i < 2; ++i) {
    std::vector<double> observed, a_true, a_smooth;
    for (int k = 0; k <= 201; ++k) {
      observed.push_back(truth[k][i] + noise * random.normal());
      a_true.push_back(rates(truth[k], 10, eta)[2 + i]);
      a_smooth.push_back(rates(smooth[k], 10 + noise, eta)[2 + i]);
    }
    result["joints"].push_back(
        {{"observed", observed},
         {"position", {{"true", column(truth, i)}, {"smoothed", column(smooth, i)}}},
         {"velocity", {{"true", column(truth, 2 + i)}, {"smoothed", column(smooth, 2 + i)}}},
         {"acceleration", {{"true", a_true}, {"smoothed", a_smooth}}}});
    // Positions, like those of the paper, at midpoints: one fewer than observations.
    Json& position = result["joints"].back()["position"];
    for (const char* key : {"true", "smoothed"}) position[key].erase(201);
    position["t"] = times(201, 0.05, 0.025);
  }
  return result;
}

inline Json bar(const std::string& system, double noise, const std::string& method,
                const Json& rate, double level, int seeds, Random& random) {
  Json result = {{"system", system}, {"noise", noise}, {"method", method},
                 {"rate", rate},     {"left_out", 0},  {"failed", 0}};
  double sum = 0, squares = 0;
  for (int s = 0; s < seeds; ++s) {
    const double value = level * std::exp(0.4 * random.normal() - 0.08);
    result["values"].push_back(value);
    sum += value;
    squares += value * value;
  }
  result["mean"] = sum / seeds;
  result["error"] = std::sqrt((squares / seeds - sum / seeds * sum / seeds) / (seeds - 1));
  result["runs"] = seeds;
  return result;
}

// The paper's grid, or the longer list of methods without a learning rate.
inline Json study(bool beyond) {
  Random random(11);
  constexpr int kSeeds = 10;
  Json page = {{"kind", "study"},
               {"title", beyond ? "Beyond the paper" : "The paper, reproduced"},
               {"subtitle", "Double pendulum, three noise levels, ten seeds."},
               {"joints", joints()},
               {"settings",
                {setting("Command", beyond ? "mechfit study beyond -o beyond"
                                           : "mechfit study paper -o paper"),
                 setting("Version", "mechfit 0.1.0"), setting("Seeds", "0 to 9")}},
               {"counts", {{"planned", 720}, {"finished", 718}, {"failed", 2}, {"left_out", 5}}},
               {"failures",
                {pair("run", "undamped noise 0.4 next-state 1e-2 seed 3", "reason",
                      "loss is not finite after epoch 17"),
                 pair("run", "undamped noise 0.4 next-state 1e-2 seed 8", "reason",
                      "loss is not finite after epoch 12")}},
               {"left_out_above", 1000},
               {"seeds", times(kSeeds, 1)}};
  const std::vector<std::string> methods{"DEL", "acceleration", "next-state"};
  const std::vector<std::string> extra{"joint smm", "ensemble", "trig", "grey-box"};
  const double published[2][3][3] = {{{69, 58, 58}, {80, 80, 74}, {90, 81, 72}},
                                     {{12.8, 11.8, 9.3}, {11.0, 10.7, 11.4}, {10.4, 10.1, 11.2}}};
  const double reached[4] = {4.3, 2.9, 0.27, 0.12};
  const std::vector<std::string> rates{"1e-4", "1e-3", "1e-2"};
  for (const double noise : {0.05, 0.1, 0.4})
    for (int system = 0; system < 2; ++system) {
      const std::string name = system == 0 ? "undamped" : "damped";
      const double factor = noise / 0.1;
      for (int r = 0; r < (beyond ? 1 : 3); ++r)
        for (int m = 0; m < 3; ++m) {
          page["bars"].push_back(bar(name, noise, methods[m], beyond ? Json() : Json(rates[r]),
                                     published[system][m][beyond ? 1 : r] * factor, kSeeds,
                                     random));
          if (noise == 0.1) page["bars"].back()["published"] = published[system][m][beyond ? 1 : r];
        }
      for (int m = 0; beyond && m < 4; ++m)
        page["bars"].push_back(bar(name, noise, extra[m], nullptr,
                                   reached[m] * factor / (1 + system), kSeeds, random));
      page["trajectories"].push_back(trajectory(name, noise, system == 0 ? 0 : 0.5, random));
      page["paired"].push_back({{"system", name},
                                {"noise", noise},
                                {"first", "DEL"},
                                {"second", "acceleration"},
                                {"difference", -9.137 * factor},
                                {"error", 2.31},
                                {"pairs", kSeeds}});
      if (!beyond) page["paired"].back()["rate"] = "1e-3";
    }
  page["bars"][4]["values"][3] = 4211.5;
  page["bars"][4]["left_out"] = 1;
  page["bars"][5]["values"][3] = nullptr;
  page["bars"][5]["failed"] = 1;
  page["bars"][5]["runs"] = kSeeds - 1;
  return page;
}

}  // namespace mechfit::samples
