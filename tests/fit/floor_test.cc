#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "mechfit/base/error.h"
#include "mechfit/fit/contact/contact_search.h"
#include "mechfit/fit/contact/propose_planes.h"
#include "mechfit/integrate/simulate.h"
#include "mechfit/mechanics/families/analytic/analytic.h"

namespace mechfit {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

// Balls thrown over a floor at 0.3 m.
Simulation thrown(double e, double mu, bool floor) {
  const AnalyticSystem ball = make_system("ball");
  SimulateOptions options;
  options.runs = 6;
  options.steps = 150;
  options.h = 0.01;
  options.substeps = 5;
  options.q0 = {{-0.5, 0.5}, {0.8, 1.5}};
  options.v0 = {{-3, 3}, {-1, 2}};
  options.noise = {0.005, 0.005};
  options.seed = 77;
  if (floor) options.contacts = {half_plane("floor", ball.planar_points()[0], 0, 1, 0.3, e, mu)};
  ThreadPool pool(1);
  return simulate(Model(ball), system_channels(ball), options, pool);
}

FitOptions ball_options(ContactOption contacts) {
  FitOptions options;
  options.family = "ball";
  options.quick = true;
  options.contacts = contacts;
  return options;
}

TEST(FitWithAFloor, FindsItsHeightRestitutionAndFrictionFromPositions) {
  ThreadPool pool(2);
  for (const double mu : {0.0, 0.25}) {
    const Simulation simulation = thrown(0.7, mu, true);
    const FitResult result =
        fit(simulation.observed, std::nullopt, ball_options(ContactOption::automatic), pool);
    ASSERT_EQ(result.contacts.size(), 1u) << mu;
    const Contact& floor = result.contacts[0];
    EXPECT_EQ(floor.name, "floor");
    EXPECT_EQ(floor.shape, ContactShape::half_plane);
    EXPECT_LT(std::fabs(floor.position - 0.3), 4 * floor.position_error);
    EXPECT_NEAR(floor.position, 0.3, 0.01);
    EXPECT_LT(std::fabs(floor.restitution - 0.7), 4 * floor.restitution_error);
    EXPECT_NEAR(floor.restitution, 0.7, 0.05);
    if (mu == 0) {
      EXPECT_EQ(floor.friction, 0);
      EXPECT_EQ(floor.friction_error, 0);
      continue;
    }
    EXPECT_LT(std::fabs(floor.friction - mu), 4 * floor.friction_error);
    EXPECT_NEAR(floor.friction, mu, 0.05);
  }
}

TEST(FitWithAFloor, FindsNoneInFreeFlight) {
  ThreadPool pool(2);
  for (const ContactOption option : {ContactOption::automatic, ContactOption::floor}) {
    const ContactFindings found =
        find_contacts(thrown(0, 0, false).observed, ball_options(option), pool);
    EXPECT_TRUE(found.contacts.empty()) << found.note;
  }
}

TEST(FitWithAFloor, ProposesAllFourSidesOfABox) {
  const AnalyticSystem ball = make_system("ball");
  const PlanarPoint point = ball.planar_points()[0];
  SimulateOptions options;
  options.runs = 6;
  options.steps = 300;
  options.h = 0.01;
  options.q0 = {{-0.5, 0.5}, {-0.3, 0.3}};
  options.v0 = {{-6, 6}, {5, 8}};
  options.contacts = {half_plane("floor", point, 0, 1, -1, 0.9, 0),
                      half_plane("ceiling", point, 0, -1, -0.8, 0.9, 0),
                      half_plane("left wall", point, 1, 0, -2, 0.9, 0),
                      half_plane("right wall", point, -1, 0, -1.5, 0.9, 0)};
  ThreadPool pool(2);
  const Simulation simulation = simulate(Model(ball), system_channels(ball), options, pool);
  const Proposal found = propose_planes(simulation.observed, {point}, pool);
  ASSERT_EQ(found.contacts.size(), 4u);
  for (const Contact& expected : options.contacts) {
    const auto own = std::find_if(found.contacts.begin(), found.contacts.end(),
                                  [&](const Contact& c) { return c.name == expected.name; });
    ASSERT_NE(own, found.contacts.end()) << expected.name;
    EXPECT_EQ(own->normal, expected.normal);
    EXPECT_NEAR(own->position, expected.position, 0.02);
  }
}

TEST(FitWithAFloor, SaysWhereNoPointIsKnown) {
  SimulateOptions options;
  options.runs = 2;
  const AnalyticSystem arm = make_system("double-pendulum");
  options.q0 = {{-1, 1}, {-1, 1}};
  options.v0 = {{-1, 1}, {-1, 1}};
  ThreadPool pool(1);
  const Simulation simulation = simulate(Model(arm), system_channels(arm), options, pool);
  FitOptions asked = ball_options(ContactOption::floor);
  asked.family = "trig";
  EXPECT_THAT([&] { (void)find_contacts(simulation.observed, asked, pool); },
              ThrowsMessage<InputError>(HasSubstr("no point is known of this machine")));
}

}  // namespace
}  // namespace mechfit
