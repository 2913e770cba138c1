#include "mechfit/mechanics/families/residual/residual.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "mechfit/base/error.h"
#include "mechfit/mechanics/model_file.h"
#include "mechfit/mechanics/point.h"
#include "tests/mechanics/door_check.h"
#include "tests/support/models.h"

// A known structure with a network of forces beside it.
namespace mechfit {
namespace {

Residual residual_arm(Random& random) {
  const Model model = testing::random_residual(
      Model(testing::random_arm(testing::tree(), 2, true, random)), random);
  return *model.as<Residual>();
}

TEST(Residual, HasTheDerivativesThatTheDoorPromises) {
  Random random(1);
  for (int trial = 0; trial < 3; ++trial) {
    const Residual model = residual_arm(random);
    testing::expect_door_derivatives(model, testing::random_state(model, random), 1e-6);
  }
}

TEST(Residual, BeginsAsItsBase) {
  Random random(2);
  const Model base(testing::random_arm(testing::tree(), 2, true, random));
  ResidualConfig config;
  for (auto* sizes : {&config.speed, &config.width, &config.place, &config.reach, &config.force})
    sizes->assign(4, 0.7);
  const Model model(Residual(base, config, random));
  PointDynamics of(model), expected(base);
  const std::vector<double> q = {0.3, -0.2, 1, 0.5}, v = {1, 0.2, -0.4, 2}, u = {1, 2};
  std::vector<double> a(4), b(4);
  ASSERT_TRUE(of.acceleration(q, v, u, a));
  ASSERT_TRUE(expected.acceleration(q, v, u, b));
  EXPECT_EQ(a, b);
  EXPECT_EQ(model.describe().values.size(), base.describe().values.size());
  EXPECT_THAT(model.describe().words, ::testing::HasSubstr("a network of forces"));
}

TEST(Residual, IsReadAsItWasWritten) {
  Random random(3);
  const Residual model = residual_arm(random);
  Channels channels;
  channels.joint_types = model.joint_types();
  channels.joints = {"a", "b", "c", "d"};
  channels.units.assign(4, "rad");
  channels.inputs = {"u1", "u2"};
  const std::string bytes = format_model({Model(model), channels, {}});
  const ModelRecord again = parse_model(bytes, "model");
  EXPECT_THAT(again.model.parameters(), ::testing::ElementsAreArray(model.parameters()));
  EXPECT_EQ(format_model(again), bytes);
  std::string damaged = bytes;
  damaged[damaged.size() / 2] ^= 1;
  EXPECT_THROW((void)parse_model(damaged, "model"), InputError);
}

}  // namespace
}  // namespace mechfit
