#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "mechfit/base/error.h"
#include "mechfit/fit/arm/arm_fit.h"
#include "mechfit/mechanics/families/arm/arm_geometry.h"
#include "mechfit/mechanics/families/arm/identified.h"
#include "mechfit/mechanics/families/arm/regressor.h"
#include "mechfit/mechanics/point.h"
#include "tests/support/arms.h"
#include "tests/support/robots.h"

// What a fit found of an arm's links, written into its description and compared with another fit.
namespace mechfit {
namespace {

constexpr double kNoise = 0.05;  // [N m]

// Torques of the arm at random states, with noise.
Samples torques_of(const Arm& arm, int size, Random& random) {
  Samples s;
  s.n = s.m = arm.joints();
  s.size = size;
  const Model model(arm);
  PointDynamics dynamics(model);
  std::vector<double> q(s.n), v(s.n), a(s.n), tau(s.n);
  for (int k = 0; k < size; ++k) {
    for (int j = 0; j < s.n; ++j) {
      q[j] = random.uniform(-3, 3);
      v[j] = random.uniform(-1.5, 1.5);
      a[j] = random.uniform(-4, 4);
    }
    dynamics.inverse_dynamics(q, v, a, tau);
    s.h.push_back(0.01);
    s.q.insert(s.q.end(), q.begin(), q.end());
    s.v.insert(s.v.end(), v.begin(), v.end());
    s.a.insert(s.a.end(), a.begin(), a.end());
    for (const double t : tau) s.u_point.push_back(t + kNoise * random.normal());
  }
  s.u_step = s.u_point;
  return s;
}

struct Fitted {
  Arm arm;
  std::vector<double> covariance;
};

Fitted fit(const Arm& truth, Random& random) {
  ThreadPool pool(2);
  const Samples s = torques_of(truth, 3000, random);
  const TorqueFit coarse = fit_arm_torques(Arm(truth.config()), {}, s, s, pool, {});
  const std::vector<double> warm(coarse.model.parameters().begin(),
                                 coarse.model.parameters().end());
  const TorqueFit fit = fit_torques(Model(Arm(truth.config())), {}, warm, s, s, pool, {});
  return {*fit.model.as<Arm>(), fit.covariance};
}

Arm carrying(const Arm& arm, const LinkInertia& load) {
  const int last = arm.joints() - 1;
  std::vector<double> theta(arm.parameters().begin(), arm.parameters().end());
  const auto numbers = link_numbers(joined(arm.link(last), load));
  std::copy(numbers.begin(), numbers.end(), theta.begin() + kLinkNumbers * last);
  Arm out = arm;
  out.set_parameters(theta);
  return out;
}

TEST(Payload, IsTheDifferenceOfTwoFitsWithinItsStandardErrors) {
  Random random(11);
  LinkInertia load;
  load.mass = 1.5;
  load.centre = {0.05, -0.03, 0.12};
  load.inertia << 8e-3, 1e-3, 0, 1e-3, 9e-3, -1e-3, 0, -1e-3, 6e-3;
  const Arm empty = testing::random_arm(testing::panda(), 7, true, random);
  const Fitted without = fit(empty, random), with = fit(carrying(empty, load), random);
  const Payload found = payload(without.arm, without.covariance, with.arm, with.covariance, 6);
  const auto expected = link_moments(link_numbers(load));
  for (int k = 0; k < kLinkNumbers; ++k) {
    EXPECT_TRUE(found.told[k]) << kMomentNames[k];
    EXPECT_GT(found.errors[k], 0) << kMomentNames[k];
    EXPECT_LT(std::abs(found.moments[k] - expected[k]), 4 * found.errors[k]) << kMomentNames[k];
  }
  EXPECT_LT(found.errors[0], 0.02);
  for (int k = 0; k < 3; ++k) EXPECT_NEAR(found.centre[k], load.centre[k], 0.01);
}

TEST(Payload, NeedsTwoFitsOfOneGeometry) {
  Random random(12);
  const Arm a = testing::random_arm(testing::panda(), 7, true, random);
  const Arm b = testing::random_arm(testing::tree(), 4, true, random);
  const std::vector<double> known(a.parameter_count() * a.parameter_count(), 0.0);
  EXPECT_THROW((void)payload(a, known, b, {}, 0), InputError);
  EXPECT_THROW((void)payload(a, known, a, {}, 0), InputError);
}

// Of the first link of an arm on a table torques tell the inertia about its axis together with the
// rotor's, nothing else.
TEST(LinkKnowledge, IsOfWhatTorquesTellByThemselves) {
  Random random(13);
  const Fitted fitted = fit(testing::random_arm(testing::panda(), 7, true, random), random);
  const std::vector<LinkKnowledge> known = link_knowledge(fitted.arm, fitted.covariance);
  EXPECT_THAT(known[0].told, ::testing::Each(false));
  EXPECT_FALSE(known[6].told[0]);  // its mass is part of the wrist's
  EXPECT_TRUE(known[6].told[1]);   // its first moment across the axis is not
  EXPECT_TRUE(known[6].told[2]);
  const Eigen::MatrixXd acting = acting_combinations(testing::panda());
  EXPECT_EQ(acting.cols(), 43 + 5);  // rotors of the first two joints turn with their links
}

TEST(IdentifiedArm, GivesBackADescriptionThatMovesLikeTheFit) {
  Random random(14);
  const Arm described = testing::random_arm(testing::panda(), 0, false, random);
  const Arm fitted = testing::random_arm(testing::panda(), 7, true, random);
  const std::string urdf = testing::urdf_of(described);
  const IdentifiedArm found = identified_arm(fitted, {}, parse_urdf(urdf, "r.urdf"), "r.urdf");
  const ArmDescription again = parse_urdf(urdf_with_values(urdf, "r.urdf", found.joints), "r.urdf");
  for (int i = 0; i < 7; ++i) {
    EXPECT_NEAR(again.links[i].mass, fitted.link(i).mass, 1e-8);
    EXPECT_EQ(found.joints[i].viscous, fitted.joint_forces().viscous(i));
  }
  EXPECT_THAT(found.notes, ::testing::Contains(::testing::HasSubstr("has no place in URDF")));
  const Arm other = testing::random_arm(testing::parallel_arm(), 6, true, random);
  EXPECT_THROW((void)identified_arm(other, {}, parse_urdf(urdf, "r.urdf"), "r.urdf"), InputError);
}

}  // namespace
}  // namespace mechfit
