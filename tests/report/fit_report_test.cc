#include "mechfit/report/fit_report.h"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "mechfit/evaluate/verdict.h"
#include "mechfit/integrate/simulate.h"
#include "mechfit/report/page.h"

namespace mechfit {
namespace {

using Json = nlohmann::json;

// A model of a machine and runs of it that the model was not fitted to, as `fit` leaves them.
struct Fitted {
  FitResult result;
  EvaluationData held_out;
  Scores scores;
};

struct Case {
  std::string system = "double-pendulum-points";
  int joints = kDefaultJoints;
  double noise = 0.03;
  bool logged = false;  // velocities and accelerations
  double reach = 1;     // of the training runs, in units of the held-out ones
};

Simulation simulated(const AnalyticSystem& system, const Case& c, double reach, std::uint64_t seed,
                     ThreadPool& pool) {
  SimulateOptions options;
  options.runs = 4;
  options.steps = 100;
  options.h = 0.03;
  options.substeps = 5;
  options.q0 = default_start(system);
  for (Interval& start : options.q0) start = {reach * start.low, reach * start.high};
  options.v0.assign(system.joints(), {0, 0});
  options.noise.assign(system.joints(), c.noise);
  if (system.inputs() > 0) options.input.signal = InputSignal::sines;
  options.seed = seed;
  return simulate(Model(system), system_channels(system), options, pool);
}

Fitted fitted(const Case& c, ThreadPool& pool) {
  const AnalyticSystem system = make_system(c.system, c.joints);
  const Simulation train = simulated(system, c, c.reach, 1, pool);
  const Simulation test = simulated(system, c, 1, 2, pool);
  FitResult result{Model(system)};
  result.channels = train.observed.channels;
  result.knowledge = knowledge_of(train.truth);
  EvaluationData held_out =
      evaluation_data(c.logged ? test.truth : test.observed, SmoothMethod::white_jerk, pool);
  Ensemble ensemble{result.model, {}, false, result.knowledge};
  Scores scores = evaluate(ensemble, held_out, {}, pool);
  return {std::move(result), std::move(held_out), std::move(scores)};
}

Json document_of(const Fitted& f, ThreadPool& pool) {
  return fit_document(f.result, f.held_out, f.scores, "T", {}, pool);
}

std::vector<double> numbers(const Json& values) {
  std::vector<double> out;
  for (const Json& x : values) out.push_back(x.is_null() ? NAN : x.get<double>());
  return out;
}

TEST(FitReport, SaysWhatTheVerdictSays) {
  ThreadPool pool(2);
  const Fitted f = fitted({}, pool);
  const Json verdict = document_of(f, pool)["verdict"];
  const Verdict expected = judge(f.scores);
  EXPECT_EQ(verdict["grade"], name_of(expected.grade));
  EXPECT_EQ(verdict["words"], expected.words);
  EXPECT_EQ(verdict["good_for"], expected.good_for);
  EXPECT_EQ(verdict["limits"], Json(expected.limits));
  EXPECT_EQ(verdict["advice"], Json(expected.advice));
  EXPECT_EQ(verdict["reliable_until"], expected.reliable_until);
  EXPECT_DOUBLE_EQ(verdict["reliable_error"].get<double>(), expected.reliable_error);
  EXPECT_EQ(verdict["error"]["overall"], f.scores.model_error->overall);
  EXPECT_NEAR(std::pow(verdict["relative_error"].get<double>(), 2), 1 - expected.explained, 1e-12);
  EXPECT_NEAR(verdict["noise"][0].get<double>(), 0.03, 0.01);
}

// The motion that observations and model make most likely: not a smoother's, which is far off.
TEST(FitReport, ShowsAccelerationsOfTheLikelyMotionInTheirBands) {
  ThreadPool pool(2);
  const Fitted f = fitted({}, pool);
  const Json page = document_of(f, pool);
  EXPECT_EQ(page["accelerations"]["source"], "observations");
  const Trajectory& run = f.scores.model_error->motion.runs[0];
  const Json& shown = page["accelerations"]["runs"][0];
  for (int i = 0; i < 2; ++i) {
    const auto measured = numbers(shown["joints"][i]["measured"]);
    const Json& predicted = shown["joints"][i]["predicted"];
    const auto y = numbers(predicted["y"]), low = numbers(predicted["low"]),
               high = numbers(predicted["high"]), inner_low = numbers(predicted["inner_low"]);
    ASSERT_EQ(measured.size(), shown["t"].size());
    for (std::size_t k = 0; k < measured.size(); ++k) {
      EXPECT_EQ(measured[k], run.qdd[k * 2 + i]);
      EXPECT_LT(low[k], inner_low[k]);
      EXPECT_LT(inner_low[k], y[k]);
      EXPECT_LT(y[k], high[k]);
      EXPECT_NEAR(y[k], measured[k], 1.0);  // the model is the true one
    }
  }
  const Json& errors = page["errors"]["runs"];
  EXPECT_NE(render_page(page).find("the bands that should hold 50 and 90 % of them"),
            std::string::npos);
  ASSERT_EQ(errors.size(), f.scores.model_error->motion.runs.size());
  EXPECT_EQ(errors[0]["joints"][1]["error"][0], f.scores.model_error->residual[0][1]);
  EXPECT_EQ(errors[0]["joints"][1]["velocity"][0], run.qd[1]);
}

TEST(FitReport, ComparesWithLoggedAccelerationsWhereThereAreSome) {
  ThreadPool pool(2);
  const Fitted f = fitted({.noise = 0, .logged = true}, pool);
  const Json page = document_of(f, pool);
  EXPECT_EQ(page["accelerations"]["source"], "logged");
  EXPECT_EQ(page["accelerations"]["runs"][0]["joints"][0]["measured"][3],
            f.held_out.observed.runs[0].qdd[6]);
  for (const double error : numbers(page["errors"]["runs"][0]["joints"][0]["error"]))
    EXPECT_NEAR(error, 0, 1e-9);
  // Nothing is known of the model's error: no bands.
  EXPECT_FALSE(page["accelerations"]["runs"][0]["joints"][0]["predicted"].contains("low"));
  EXPECT_EQ(render_page(page).find("the bands that should hold"), std::string::npos);
}

TEST(FitReport, SaysThatAccelerationsAreSmoothedBeyondFourJoints) {
  ThreadPool pool(2);
  const Json page =
      document_of(fitted({.system = "chain", .joints = 5, .noise = 0.01}, pool), pool);
  EXPECT_EQ(page["accelerations"]["source"], "smoothed");
  EXPECT_NE(render_page(page).find("come from a smoother"), std::string::npos);
  EXPECT_LT(render_page(page).size(), 1000000u);
}

TEST(FitReport, RolloutsHaveBandsThatWiden) {
  ThreadPool pool(2);
  const Json page = document_of(fitted({}, pool), pool);
  ASSERT_EQ(page["rollouts"].size(), 3u);
  int held = 0, all = 0;
  for (const Json& rollout : page["rollouts"]) {
    const Json& joint = rollout["joints"][0];
    const auto measured = numbers(joint["measured"]), low = numbers(joint["predicted"]["low"]),
               high = numbers(joint["predicted"]["high"]);
    EXPECT_GT(high[30] - low[30], high[0] - low[0]);
    for (std::size_t k = 0; k < measured.size(); ++k) {
      if (std::isnan(measured[k])) continue;
      held += low[k] <= measured[k] && measured[k] <= high[k];
      ++all;
    }
  }
  EXPECT_GT(all, 90);
  EXPECT_GT(held, 0.6 * all);
}

TEST(FitReport, DrawsStopsAndMarksImpacts) {
  ThreadPool pool(2);
  Fitted f = fitted({.system = "double-pendulum"}, pool);
  EXPECT_FALSE(document_of(f, pool).contains("contacts"));
  f.result.contacts = {joint_stop(f.result.channels, 1, true, 0.4, 0.5)};
  f.result.struck = f.held_out.observed;
  const Trajectory& run = f.result.struck.runs[1];
  f.result.impacts = {{1, 0, 20, 21, 0.5 * (run.t[20] + run.t[21])}};
  const Json page = document_of(f, pool);
  ASSERT_EQ(page["contacts"].size(), 1u);  // of the run that hits it
  const Json& shown = page["contacts"][0];
  EXPECT_EQ(shown["joints"][1]["observed"][20], run.q[41]);
  EXPECT_EQ(shown["contacts"][0]["position"], 0.4);
  EXPECT_NEAR(shown["contacts"][0]["impacts"][0].get<double>(),
              0.5 * (run.t[20] + run.t[21]) - run.t[0], 1e-12);
  // The model hits its stop in rollouts too.
  for (const Json& rollout : page["rollouts"]) {
    EXPECT_FALSE(rollout["joints"][0].contains("stops"));
    EXPECT_EQ(rollout["joints"][1]["stops"][0]["position"], 0.4);
  }
  const std::string html = render_page(page);
  EXPECT_NE(html.find("contacts-section"), std::string::npos);
  EXPECT_NE(html.find("impacts on it, upper stop of q2"), std::string::npos);
}

TEST(FitReport, RegionTellsHeldOutStatesOutsideFromThoseInside) {
  ThreadPool pool(2);
  const Fitted f = fitted({.system = "cart-pole", .reach = 0.4}, pool);
  const Json page = document_of(f, pool);
  const Json& region = page["region"];
  EXPECT_EQ(region["outside"], f.scores.outside);
  EXPECT_GT(f.scores.outside, 0.1);
  EXPECT_EQ(region["inputs"][0]["name"], "force");
  EXPECT_EQ(region["joints"][0]["v"][1], f.result.knowledge.region.v_high[0]);
  const auto count = [&](const char* side) {
    return static_cast<double>(region["joints"][0][side]["q"].size());
  };
  const double inside = count("inside"), outside = count("outside");
  EXPECT_NEAR(outside / (inside + outside), f.scores.outside, 0.05);
  EXPECT_LT(render_page(page).size(), 1000000u);
}

// Only where the region of a fit is known can a page show it.
TEST(FitReport, NeedsNoKnowledge) {
  ThreadPool pool(2);
  Fitted f = fitted({}, pool);
  f.result.knowledge = {};
  const Json page = document_of(f, pool);
  EXPECT_FALSE(page.contains("region"));
  EXPECT_FALSE(render_page(page).empty());
}

}  // namespace
}  // namespace mechfit
