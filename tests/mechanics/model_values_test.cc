#include "mechfit/mechanics/model_values.h"

#include <gtest/gtest.h>

#include <cmath>

#include "mechfit/mechanics/families/analytic/analytic.h"
#include "mechfit/mechanics/families/trig/trig.h"

namespace mechfit {
namespace {

ModelRecord record_of(Model model) { return {std::move(model), {}, {}}; }

TEST(ModelValues, HaveStandardErrorsFromTheCovariance) {
  ModelRecord record = record_of(Model(make_system("pendulum")));  // m, l, g, eta
  const std::size_t p = record.model.parameter_count();
  ASSERT_EQ(p, 4u);
  for (const ModelValue& value : model_values(record)) EXPECT_TRUE(std::isnan(value.error));
  record.covariance.assign(p * p, 0.0);
  record.covariance[0] = 9;         // of m = 1: not determined
  record.covariance[p + 1] = 1e-4;  // of l
  const auto values = model_values(record);
  EXPECT_EQ(values[0].name, "m");
  EXPECT_TRUE(std::isinf(values[0].error));
  EXPECT_DOUBLE_EQ(values[1].error, 0.01);
  EXPECT_FALSE(values[1].given);
  EXPECT_EQ(values[2].error, 0);
  EXPECT_TRUE(values[2].given);  // held
  EXPECT_EQ(values[2].unit, "m/s^2");
}

// Friction and inputs are in physical units, and so are their errors.
TEST(ModelValues, OfTrigAreInPhysicalUnits) {
  TrigConfig config;
  config.joints = {JointType::periodic};
  config.inputs = 1;
  config.friction = true;
  config.input_matrix = {1};
  config.input_map = InputMap::learned;
  config.scales = Scales::unit(1, 1);
  config.scales.v = {2};
  config.scales.energy = 12;
  config.scales.time = 0.5;
  Trig trig(config);
  std::vector<double> theta(trig.parameters().begin(), trig.parameters().end());
  theta[trig.friction_offset()] = 0.3;  // viscous, units of energy / (v^2 time) = 6
  theta[trig.input_offset()] = 0.25;    // units of energy / (v time) = 12
  trig.set_parameters(theta);
  ModelRecord record = record_of(Model(trig));
  const std::size_t p = theta.size(), friction = trig.friction_offset(),
                    input = trig.input_offset();
  record.covariance.assign(p * p, 0.0);
  record.covariance[friction * p + friction] = 0.01;
  record.covariance[input * p + input] = 1e-4;
  const auto values = model_values(record);
  ASSERT_EQ(values.size(), 2u);  // Coulomb friction is zero
  EXPECT_EQ(values[0].name, "viscous friction 1");
  EXPECT_DOUBLE_EQ(values[0].value, 1.8);
  EXPECT_DOUBLE_EQ(values[0].error, 0.6);
  EXPECT_EQ(values[1].name, "input 1 on joint 1");
  EXPECT_DOUBLE_EQ(values[1].value, 3);
  EXPECT_DOUBLE_EQ(values[1].error, 0.12);
}

TEST(ModelValues, OfAnEnsembleScatterAsItsMembers) {
  AnalyticSystem system = make_system("pendulum");
  ModelRecord record = record_of(Model(system));
  for (const double length : {0.9, 1.0, 1.1}) {
    system.set_constant("l", length);
    record.members.emplace_back(system);
  }
  EXPECT_NEAR(model_values(record)[1].error, 0.1, 1e-12);
  EXPECT_EQ(model_values(record)[2].error, 0);
}

}  // namespace
}  // namespace mechfit
