// All that the command line does, by a program that knows nothing but the header for users.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <optional>
#include <string>

#include "mechfit/mechfit.h"

namespace {

using namespace mechfit;

class Walk : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ =
        std::filesystem::temp_directory_path() /
        ("mechfit-walk-" + std::to_string(std::hash<std::string>()(
                               ::testing::UnitTest::GetInstance()->current_test_info()->name())));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string file(const std::string& name) const { return (folder_ / name).string(); }

  // A pendulum with a motor: runs that swing widely.
  Simulation swing(int runs, std::uint64_t seed) {
    const AnalyticSystem system = make_system("cart-pole");
    SimulateOptions options;
    options.runs = runs;
    options.steps = 80;
    options.h = 0.02;
    options.q0 = default_start(system);
    options.v0.assign(2, {0, 0});
    options.noise = {1e-3, 1e-3};
    options.input.signal = InputSignal::sines;
    options.input.amplitude = 3;
    options.seed = seed;
    return simulate(Model(system), system_channels(system), options, pool_);
  }

  std::filesystem::path folder_;
  ThreadPool pool_{2};
};

TEST_F(Walk, FromASimulationToAReport) {
  // simulate, write, read, inspect
  write_log(file("log.csv"), swing(6, 1).observed);
  write_log(file("test.csv"), swing(2, 2).truth);
  const ReadResult input = read_log({file("log.csv")});
  ASSERT_EQ(input.log.runs.size(), 6u);
  const Inspection inspection = inspect_log(input.log);
  EXPECT_EQ(inspection.samples, 6 * 81);
  EXPECT_NEAR(inspection.joints[1].noise, 1e-3, 1e-3);

  // fit the constants of the true system, save, load
  FitOptions options;
  options.family = "cart-pole";
  options.epochs = 10;
  const FitResult fitted = fit(input.log, std::nullopt, options, pool_);
  const Scores own = evaluate(fitted.model, fitted.validation, {}, pool_);
  EXPECT_LT(own.acceleration.mse, 0.1 * own.acceleration_zero.mse);
  const ModelRecord made{fitted.model,
                         fitted.channels,
                         {{"method", name_of(options.method)}, {"scores", scores_json(own)}},
                         fitted.members,
                         fitted.covariance};
  save_model(file("model.safetensors"), made, false);
  EXPECT_THROW(save_model(file("model.safetensors"), made, false), InputError);
  const ModelRecord record = load_model(file("model.safetensors"));
  EXPECT_TRUE(std::equal(record.model.parameters().begin(), record.model.parameters().end(),
                         fitted.model.parameters().begin(), fitted.model.parameters().end()));
  EXPECT_EQ(describe_model(record).substr(0, 35), "equations of the system 'cart-pole'");

  // evaluate on a log it has not seen, look at a point
  const Log test = read_log_for(record, {file("test.csv")}).log;
  const Scores scores = evaluate(ensemble_of(record), test, {}, pool_);
  EXPECT_LT(scores.acceleration.mse, 0.1 * scores.acceleration_zero.mse);
  EXPECT_NE(judge(scores).grade, Grade::unusable);
  const ModelPoint point = model_at(record.model, {0, 0.5}, {1, 0});
  EXPECT_GT(point.eigenvalues[0], 0);

  // roll out from the test runs and from a state
  const Starts starts = run_states(record.model, test, StartKind::logged, 0, pool_);
  const RolloutResult runs =
      roll_out(record, starts_of(record.model, test, starts, 0.5), {}, pool_);
  ASSERT_EQ(runs.log.runs.size(), 2u);
  EXPECT_EQ(runs.status[0], StepStatus::ok);
  EXPECT_NEAR(runs.log.runs[0].q.back(), test.runs[0].q[runs.log.runs[0].q.size() - 1], 0.05);
  const RolloutResult one = roll_out(record, {start_from(record.model, {0, 0.5}, 1.0, 0.01)},
                                     {Integrator::rk4, 2}, pool_);
  EXPECT_EQ(one.log.runs[0].size(), 101);
  EXPECT_THROW(start_from(record.model, {0}, 1.0, 0.01), InputError);

  // smooth, without and with the model
  const SmoothResult plain = smooth(input.log, {}, pool_);
  const ModelSmoothResult informed = smooth_with_model(record.model, input.log, pool_);
  EXPECT_LT(informed.log.runs[0].qd_sd[80], plain.log.runs[0].qd_sd[80]);

  // report
  write_fit_report(folder_.string(), fitted, held_out_data(fitted, pool_), own,
                   {{"Options", settings_text(options)}}, pool_);
  EXPECT_NE(report_page(folder_.string()).find("family=cart-pole method=joint"), std::string::npos);
}

TEST_F(Walk, NextStateRegressionRefusesTheVariationalIntegrator) {
  FitOptions options;
  options.method = FitMethod::next_state;
  options.integrator = Integrator::variational;
  try {
    (void)fit(swing(4, 3).observed, std::nullopt, options, pool_);
    FAIL() << "accepted";
  } catch (const InputError& e) {
    EXPECT_STREQ(e.what(), "option 'integrator': next-state regression takes rk4 or midpoint");
  }
}

}  // namespace
