#include "mechfit/mechanics/contact.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "mechfit/base/error.h"
#include "mechfit/base/gradient_check.h"
#include "mechfit/base/random.h"
#include "mechfit/mechanics/families/analytic/analytic.h"
#include "mechfit/mechanics/impact.h"
#include "mechfit/mechanics/model_file.h"

namespace mechfit {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

constexpr double kTolerance = 1e-7;

// Stops, a slanted wall for the end of a chain, and a function.
Contacts samples() {
  const AnalyticSystem chain = make_system("chain", 3);
  Channels channels;
  channels.joints = {"q1", "q2", "q3"};
  const ContactFunction circle = [](std::span<const double> q, std::span<double> gradient) {
    for (std::size_t i = 0; i < gradient.size(); ++i) gradient[i] = i < 2 ? -2 * q[i] : 0;
    return 4 - q[0] * q[0] - q[1] * q[1];
  };
  return {joint_stop(channels, 1, true, 0.7, 0.5), joint_stop(channels, 2, false, -0.4, 0.5),
          half_plane("wall", chain.planar_points()[3], -1, 0.5, -0.8, 0.5, 0.3),
          contact_function("circle", circle, 1)};
}

std::vector<double> random_vector(Random& random, int n) {
  std::vector<double> x(n);
  for (double& value : x) value = random.uniform(-1.5, 1.5);
  return x;
}

TEST(Contact, DerivativesAreThoseOfDifferences) {
  Random random(3);
  for (const Contact& contact : samples()) {
    const auto q = random_vector(random, 3), v = random_vector(random, 3);
    std::vector<double> J(3), T(3), bend(3), other(3);
    contact.gradient(q, J, T);
    const auto first = check_gradient([&](auto x) { return contact.gap(x); }, q, J);
    EXPECT_TRUE(first.agrees(kTolerance)) << contact.name << ": " << first.text();
    const auto place = [&](std::span<const double> x) {
      Contact moved = contact;
      moved.position = x[0];
      return moved.gap(q);
    };
    const std::vector<double> psi{contact.position}, slope{contact.slope()};
    EXPECT_TRUE(check_gradient(place, psi, slope).agrees(kTolerance)) << contact.name;
    contact.curvature(q, v, bend);
    const bool flat =
        contact.shape == ContactShape::upper_stop || contact.shape == ContactShape::lower_stop;
    const auto rate = [&](std::span<const double> x) {
      contact.gradient(x, other);
      double sum = 0;
      for (int i = 0; i < 3; ++i) sum += other[i] * v[i];
      return sum;
    };
    if (flat) {
      EXPECT_EQ(bend, std::vector<double>(3, 0.0));
    } else {
      EXPECT_TRUE(check_gradient(rate, q, bend).agrees(kTolerance)) << contact.name;
    }
    if (contact.shape != ContactShape::half_plane) continue;
    const auto along = check_gradient([&](auto x) { return contact.along(x); }, q, T);
    EXPECT_TRUE(along.agrees(kTolerance)) << along.text();
  }
}

TEST(Contact, ImpactMapHasTheSlopesOfDifferences) {
  Random random(5);
  Eigen::MatrixXd mass(3, 3);
  mass << 3, 0.4, 0.2, 0.4, 2, -0.3, 0.2, -0.3, 1;
  const Eigen::VectorXd J = Eigen::Vector3d(0.3, -1, 0.5);
  const auto v = random_vector(random, 3), pull = random_vector(random, 3);
  const double e = 0.6;
  const auto at = [&](std::span<const double> velocity, double restitution) {
    const ImpactMap map =
        impact_map(mass, J, Eigen::Map<const Eigen::VectorXd>(velocity.data(), 3), restitution);
    return map.v.dot(Eigen::Map<const Eigen::VectorXd>(pull.data(), 3));
  };
  const ImpactMap map = impact_map(mass, J, Eigen::Map<const Eigen::VectorXd>(v.data(), 3), e);
  const Eigen::Map<const Eigen::VectorXd> covector(pull.data(), 3);
  const Eigen::VectorXd slope = map.slope_v.transpose() * covector;
  EXPECT_TRUE(check_gradient([&](auto x) { return at(x, e); }, v,
                             std::vector<double>(slope.begin(), slope.end()))
                  .agrees(kTolerance));
  EXPECT_TRUE(check_gradient([&](auto x) { return at(v, x[0]); }, std::vector<double>{e},
                             std::vector<double>{map.slope_e.dot(covector)})
                  .agrees(kTolerance));
  // Newton's law, and momentum kept along the surface
  const Eigen::Map<const Eigen::VectorXd> before(v.data(), 3);
  EXPECT_NEAR(J.dot(map.v), -e * J.dot(before), 1e-14);
  const Eigen::VectorXd change = mass * (map.v - before);
  EXPECT_NEAR((change - J * (J.dot(change) / J.squaredNorm())).norm(), 0, 1e-13);
}

TEST(Contact, FrictionMapHasTheSlopesOfDifferencesSlidingAndSticking) {
  Eigen::MatrixXd mass(3, 3);
  mass << 3, 0.4, 0.2, 0.4, 2, -0.3, 0.2, -0.3, 1;
  const Eigen::Vector3d J(0.3, -1, 0.5), T(1, 0.2, -0.1), covector(0.7, -1.1, 0.4);
  struct Case {
    Eigen::Vector3d v;
    double mu;
    bool sticks;
  };
  for (const auto& [velocity, friction, sticks] :
       {Case{{2, 0.5, -0.5}, 0.3, false}, Case{{-2, 0.5, -0.5}, 0.3, false},
        Case{{0.1, 0.5, -0.5}, 0.9, true}}) {
    const std::vector<double> v(velocity.begin(), velocity.end());
    const double e = 0.6, mu = friction;
    const auto at = [&](std::span<const double> x, double restitution, double rough) {
      const Eigen::Map<const Eigen::VectorXd> before(x.data(), 3);
      return friction_map(mass, J, T, before, restitution, rough).v.dot(covector);
    };
    const FrictionMap map = friction_map(mass, J, T, velocity, e, mu);
    EXPECT_EQ(map.sticks, sticks);
    EXPECT_NEAR(J.dot(map.v), -e * J.dot(velocity), 1e-14);
    const Eigen::VectorXd slope = map.slope_v.transpose() * covector;
    EXPECT_TRUE(check_gradient([&](auto x) { return at(x, e, mu); }, v,
                               std::vector<double>(slope.begin(), slope.end()))
                    .agrees(kTolerance));
    EXPECT_TRUE(check_gradient([&](auto x) { return at(v, x[0], mu); }, std::vector<double>{e},
                               std::vector<double>{map.slope_e.dot(covector)})
                    .agrees(kTolerance));
    if (sticks) {
      EXPECT_EQ(map.slope_mu.norm(), 0);
      EXPECT_NEAR(T.dot(map.v), 0, 1e-14);
      continue;
    }
    EXPECT_LT(T.dot(velocity) * (T.dot(map.v) - T.dot(velocity)), 0);  // it slows down
    EXPECT_TRUE(check_gradient([&](auto x) { return at(v, e, x[0]); }, std::vector<double>{mu},
                               std::vector<double>{map.slope_mu.dot(covector)})
                    .agrees(kTolerance));
  }
}

TEST(Contact, FrictionMapIsTheImpactOfTheSimulation) {
  const AnalyticSystem chain = make_system("chain", 3);
  const Model model(chain);
  PointDynamics dynamics(model);
  Random random(11);
  std::vector<double> mass(9);
  for (int trial = 0; trial < 100; ++trial) {
    Contacts contacts{half_plane("floor", chain.planar_points()[3], 0, 1, -1, 0,
                                 random.uniform() < 0.3 ? 0 : random.uniform(0, 0.5))};
    const auto q = random_vector(random, 3), v = random_vector(random, 3);
    Touching at(model, contacts);
    const int touching[] = {0};
    const double restitution[] = {0.4};
    ASSERT_TRUE(at.set(q, touching));
    const Eigen::Map<const Eigen::VectorXd> before(v.data(), 3);
    Eigen::VectorXd J(3), T(3);
    contacts[0].gradient(q, {J.data(), 3}, {T.data(), 3});
    if (J.dot(before) >= 0) continue;
    dynamics.mass(q, mass);
    const FrictionMap map = friction_map(Eigen::Map<const Eigen::MatrixXd>(mass.data(), 3, 3), J, T,
                                         before, 0.4, contacts[0].friction);
    // The simulation scales restitution down where energy would grow.
    const double energy = dynamics.energy(q, v), after = dynamics.energy(q, {map.v.data(), 3});
    if (after > energy) continue;
    EXPECT_NEAR((before + at.moves() * at.impact(before, restitution) - map.v).norm(), 0, 1e-10);
  }
}

TEST(Contact, EnergyNeverGrowsAtAnImpact) {
  const AnalyticSystem chain = make_system("chain", 3);
  const Model model(chain);
  PointDynamics dynamics(model);
  Random random(7);
  const auto points = chain.planar_points();
  int lost = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    Contacts contacts = samples();
    contacts.pop_back();
    contacts.push_back(half_plane("floor", points[2], 0, 1, -1, 0, 0));
    std::vector<int> touching;
    std::vector<double> restitution;
    for (int k = 0; k < 4; ++k) {
      contacts[k].friction = contacts[k].shape == ContactShape::half_plane
                                 ? (random.uniform() < 0.5 ? random.uniform(0, 2) : 0)
                                 : 0;
      if (random.uniform() < 0.6) continue;
      touching.push_back(k);
      restitution.push_back(random.uniform());
    }
    if (touching.empty()) continue;
    const auto q = random_vector(random, 3), v = random_vector(random, 3);
    Touching at(model, contacts);
    ASSERT_TRUE(at.set(q, touching));
    const Eigen::Map<const Eigen::VectorXd> before(v.data(), 3);
    const Eigen::VectorXd L = at.impact(before, restitution);
    const Eigen::VectorXd after = before + at.moves() * L;
    for (const ContactRows& rows : at.rows()) {
      EXPECT_GE(L[rows.normal], 0);
      EXPECT_GE(at.A().row(rows.normal).dot(after), -1e-9);
      if (rows.tangent >= 0) {
        EXPECT_LE(std::fabs(L[rows.tangent]), rows.friction * L[rows.normal]);
      }
    }
    const double energy = dynamics.energy(q, v);
    const double now = dynamics.energy(q, {after.data(), 3});
    EXPECT_LE(now, energy + 1e-10 * (1 + std::fabs(energy))) << "trial " << trial;
    lost += now < energy - 1e-6;
  }
  EXPECT_GT(lost, 500);
}

TEST(Contact, AModelFileKeepsThem) {
  Contacts contacts = samples();
  contacts.pop_back();
  contacts[0].position_error = 0.01;
  const AnalyticSystem chain = make_system("chain", 3);
  Channels channels;
  channels.joints = chain.joint_names();
  channels.joint_types = chain.joint_types();
  channels.units = {"rad", "rad", "rad"};
  ModelRecord record{Model(chain), channels, {}};
  record.contacts = contacts;
  const ModelRecord again = parse_model(format_model(record), "file");
  ASSERT_EQ(again.contacts.size(), 3u);
  Random random(1);
  const auto q = random_vector(random, 3);
  for (int k = 0; k < 3; ++k) {
    EXPECT_EQ(again.contacts[k].name, contacts[k].name);
    EXPECT_EQ(again.contacts[k].gap(q), contacts[k].gap(q));
    EXPECT_EQ(again.contacts[k].restitution, contacts[k].restitution);
    EXPECT_EQ(again.contacts[k].friction, contacts[k].friction);
  }
  EXPECT_EQ(again.contacts[0].position_error, 0.01);
  EXPECT_FALSE(again.metadata.contains("contacts"));
}

TEST(Contact, WrongOnesAreRefusedWithWhatIsExpected) {
  Contacts contacts = samples();
  EXPECT_THAT([&] { (void)format_contacts(contacts); },
              ThrowsMessage<InputError>(HasSubstr("a function of the program")));
  contacts.pop_back();
  contacts[0].restitution = 1.5;
  EXPECT_THAT([&] { check_contacts(contacts, 3, "option 'contacts'"); },
              ThrowsMessage<InputError>(HasSubstr("restitution, expected 0 to 1")));
  contacts[0].restitution = 1;
  EXPECT_THAT([&] { check_contacts(contacts, 2, "option 'contacts'"); },
              ThrowsMessage<InputError>(HasSubstr("joint 2, expected 0 to 1")));
  EXPECT_THAT([&] { (void)parse_contacts(R"({"contacts":[{"name":"x"}]})", 2, "file"); },
              ThrowsMessage<InputError>(HasSubstr("no 'shape'")));
}

}  // namespace
}  // namespace mechfit
