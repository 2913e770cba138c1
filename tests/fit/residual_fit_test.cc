#include "mechfit/fit/residual_fit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "mechfit/mechanics/families/residual/residual.h"
#include "tests/support/driven_links.h"

namespace mechfit {
namespace {

using testing::DrivenLinks;

FitOptions with_network() {
  FitOptions options;
  options.family = "trig";
  options.degree = 1;
  options.method = FitMethod::torque;
  options.force = ForceKind::friction_network;
  options.friction = "viscous+coulomb";
  return options;
}

Log log_of_links() {
  DrivenLinks::Options o;
  o.noise = 1e-5;
  o.torque_noise = 0.1;
  o.samples = 500;
  return DrivenLinks::log(o);
}

TEST(ResidualFit, IsLeftOutWhereTheStructureSaysItAll) {
  ThreadPool pool(2);
  const FitResult result = fit(log_of_links(), {}, with_network(), pool);
  ASSERT_EQ(result.status, FitStatus::finished);
  EXPECT_STREQ(result.model.family(), "trig");
  EXPECT_THAT(result.notes, ::testing::Contains(::testing::HasSubstr("is not kept")));
}

// A torque that trig of degree 1 does not have.
TEST(ResidualFit, IsKeptWhereTheStructureLacksAForce) {
  ThreadPool pool(2);
  Log log = log_of_links();
  for (Trajectory& run : log.runs)
    for (int k = 0; k < run.size(); ++k) run.u[2 * k] += 3 * std::sin(3 * run.q[2 * k]);
  const FitResult result = fit(log, {}, with_network(), pool);
  ASSERT_EQ(result.status, FitStatus::finished);
  ASSERT_STREQ(result.model.family(), "residual");
  EXPECT_STREQ(result.model.as<Residual>()->base().family(), "trig");
  EXPECT_THAT(result.notes, ::testing::Contains(::testing::HasSubstr("is kept: held-out torque")));
}

TEST(ResidualFit, IsAskedForByTheOptionsOfAKnownStructure) {
  FitOptions options = with_network();
  EXPECT_EQ(structure_options(options)->force, ForceKind::friction);
  options.force = ForceKind::network;
  EXPECT_EQ(structure_options(options)->force, ForceKind::none);
  options.family = "smm";
  EXPECT_FALSE(structure_options(options));
  options.family = "trig";
  options.force = ForceKind::friction;
  EXPECT_FALSE(structure_options(options));
}

}  // namespace
}  // namespace mechfit
