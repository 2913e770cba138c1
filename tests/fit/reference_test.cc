// Losses and gradients of all objectives against an independent automatic differentiation program.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "mechfit/fit/smoothed/barrier.h"
#include "mechfit/fit/smoothed/objectives.h"
#include "mechfit/mechanics/families/smm/smm.h"
#include "tests/support/shared_data.h"

namespace mechfit {
namespace {

using nlohmann::json;

struct Reference {
  json data;
  int stride = 1;  // which entries of the gradients are kept

  static Reference load(const std::string& name) {
    const std::string whole = testing::shared_data("reference/" + name + ".json");
    return whole.empty() ? trimmed(name) : Reference{json::parse(std::ifstream(whole)), 1};
  }
  static Reference trimmed(const std::string& name) {
    auto data =
        json::parse(std::ifstream(std::string(MECHFIT_TEST_DATA) + "/reference/" + name + ".json"));
    const int stride = data.at("stride");
    return {data, stride};
  }
};

Model reference_model(const json& data, bool damped) {
  SmmConfig config;
  config.joints = {JointType::plain, JointType::plain};
  config.force_network = damped;
  Smm smm(config);
  smm.set_parameters(data.at("parameters").get<std::vector<double>>());
  return Model(smm);
}

void expect_close(const Reference& reference, const std::string& name, double loss,
                  const std::vector<double>& gradient) {
  const json& expected = reference.data.at(name);
  EXPECT_NEAR(loss, expected.at("loss").get<double>(), 1e-11 * std::fabs(loss)) << name;
  const auto g = expected.at("gradient").get<std::vector<double>>();
  double largest = expected.value("largest", 0.0), worst = 0;
  for (double x : g) largest = std::max(largest, std::fabs(x));
  ASSERT_GT(largest, 0);
  for (std::size_t i = 0; i < g.size(); ++i)
    worst = std::max(worst, std::fabs(g[i] - gradient[i * reference.stride]));
  EXPECT_LE(worst, 1e-11 * largest) << name;
}

std::vector<double> flat(const json& nested) {
  std::vector<double> out;
  for (const auto& x : nested)
    if (x.is_array()) {
      const auto part = flat(x);
      out.insert(out.end(), part.begin(), part.end());
    } else {
      out.push_back(x.get<double>());
    }
  return out;
}

std::vector<int> range(int n) {
  std::vector<int> items(n);
  for (int i = 0; i < n; ++i) items[i] = i;
  return items;
}

void check_all(const Reference& reference, bool damped) {
  const json& data = reference.data;
  const Model model = reference_model(data, damped);
  const double h = data.at("h");
  ThreadPool pool(2);
  std::vector<double> gradient(model.parameter_count());

  {  // every triple is a run of its own
    Samples s;
    s.n = 2;
    s.q = flat(data.at("del").at("tuples"));
    s.size = static_cast<int>(s.q.size()) / 2;
    s.h.assign(s.size, h);
    for (int i = 0; i < s.size; i += 3) s.triples.push_back(i);
    const auto objective =
        make_objective(model, s, {FitMethod::del, Integrator::midpoint, {}, {}}, pool);
    const auto items = range(objective->items());
    expect_close(reference, "del", (*objective)(model, items, gradient), gradient);
  }
  {
    Samples s;
    s.n = 2;
    s.q = flat(data.at("acceleration").at("q"));
    s.v = flat(data.at("acceleration").at("v"));
    s.a = flat(data.at("acceleration").at("a"));
    s.size = static_cast<int>(s.q.size()) / 2;
    s.h.assign(s.size, h);
    const auto objective =
        make_objective(model, s, {FitMethod::acceleration, Integrator::midpoint, {}, {}}, pool);
    const auto items = range(objective->items());
    expect_close(reference, "acceleration", (*objective)(model, items, gradient), gradient);
  }
  {  // a pair is a run of two samples
    Samples s;
    s.n = 2;
    const auto x = flat(data.at("next_state").at("x")),
               next = flat(data.at("next_state").at("x_next"));
    for (std::size_t i = 0; i < x.size(); i += 4)
      for (const auto* state : {&x, &next}) {
        s.q.insert(s.q.end(), {(*state)[i], (*state)[i + 1]});
        s.v.insert(s.v.end(), {(*state)[i + 2], (*state)[i + 3]});
        if (state == &x) s.pairs.push_back(s.size);
        ++s.size;
      }
    s.a = s.v;
    s.h.assign(s.size, h);
    const auto objective =
        make_objective(model, s, {FitMethod::next_state, Integrator::midpoint, {}, {}}, pool);
    const auto items = range(objective->items());
    expect_close(reference, "next_state", (*objective)(model, items, gradient), gradient);
  }
  {
    const auto q = flat(data.at("barrier").at("points"));
    Barrier barrier(model, q, 2, pool);
    barrier.set_alpha(data.at("barrier").at("alpha"));
    const double mu = data.at("barrier").at("mu");
    const double loss = mu * barrier(model, mu, gradient);
    expect_close(reference, "barrier", loss, gradient);
  }
}

TEST(Reference, UndampedLossesAndGradients) { check_all(Reference::load("undamped"), false); }
TEST(Reference, DampedLossesAndGradients) { check_all(Reference::load("damped"), true); }
TEST(Reference, TrimmedCopyUndamped) { check_all(Reference::trimmed("undamped"), false); }
TEST(Reference, TrimmedCopyDamped) { check_all(Reference::trimmed("damped"), true); }

}  // namespace
}  // namespace mechfit
