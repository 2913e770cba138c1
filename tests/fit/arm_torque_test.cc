#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "mechfit/estimate/kalman/smoother.h"
#include "mechfit/evaluate/torque_error.h"
#include "mechfit/files/read_log.h"
#include "mechfit/fit/arm/arm_fit.h"
#include "mechfit/fit/arm/consistent_fit.h"
#include "mechfit/fit/arm/geometry_search.h"
#include "mechfit/fit/fit.h"
#include "mechfit/log/split.h"
#include "mechfit/mechanics/families/arm/arm_description.h"
#include "mechfit/mechanics/point.h"
#include "tests/support/arms.h"
#include "tests/support/shared_data.h"

// Arms by their torques.
namespace mechfit {
namespace {

// Sines of several frequencies at each joint, the arm's own torques with noise.
Samples driven_samples(const Arm& arm, int size, double noise, std::uint64_t seed) {
  Random random(seed);
  const int n = arm.joints();
  Samples s;
  s.n = s.m = n;
  s.size = size;
  std::vector<double> phase;
  for (int k = 0; k < 3 * n; ++k) phase.push_back(random.uniform(0, kTurn));
  const Model model(arm);
  PointDynamics dynamics(model);
  std::vector<double> q(n), v(n), a(n), tau(n);
  for (int k = 0; k < size; ++k) {
    for (int j = 0; j < n; ++j) {
      q[j] = v[j] = a[j] = 0;
      for (int h = 0; h < 3; ++h) {
        const double w = (h + 1) * (1.0 + 0.13 * j), x = w * k * 0.01 + phase[3 * j + h];
        q[j] += 0.7 / (h + 1) * std::sin(x);
        v[j] += 0.7 / (h + 1) * w * std::cos(x);
        a[j] -= 0.7 / (h + 1) * w * w * std::sin(x);
      }
    }
    dynamics.inverse_dynamics(q, v, a, tau);
    s.h.push_back(0.01);
    s.q.insert(s.q.end(), q.begin(), q.end());
    s.v.insert(s.v.end(), v.begin(), v.end());
    s.a.insert(s.a.end(), a.begin(), a.end());
    for (int j = 0; j < n; ++j) s.u_point.push_back(tau[j] + noise * random.normal());
  }
  s.u_step = s.u_point;
  return s;
}

std::vector<Stretch> all_stretches(const Samples& s) {
  const MotionView points = motion_view(s);
  return stretches(points, torque_window(points));
}

Arm unknown_links(const Arm& truth) { return Arm(truth.config()); }

double mass_error(const Arm& found, const Arm& truth, const Samples& s) {
  const Model a(found), b(truth);
  PointDynamics of(a), expected(b);
  const int n = truth.joints();
  std::vector<double> m(n * n), m0(n * n);
  double worst = 0;
  for (int k = 0; k < s.size; k += 50) {
    const std::span<const double> q(s.q.data() + static_cast<std::size_t>(k) * n, n);
    of.mass(q, m);
    expected.mass(q, m0);
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j)
        worst = std::max(worst, std::abs(m[n * i + j] - m0[n * i + j]) /
                                    std::sqrt(m0[(n + 1) * i] * m0[(n + 1) * j]));
  }
  return worst;
}

TEST(TorqueGram, IsTheSumOfSquaredTorqueErrors) {
  Random random(1);
  ThreadPool pool(2);
  const Arm arm = testing::random_arm(testing::tree(), 4, true, random);
  const Samples s = driven_samples(arm, 100, 0.3, 2);
  const TorqueRows rows(unknown_links(arm));
  const TorqueGram gram = torque_gram(rows, s, stretches(motion_view(s), 0), pool);
  const Eigen::VectorXd x = torque_numbers(arm, arm.parameters());
  double sum = 0;
  for (int i = 0; i < 4; ++i) {
    const Eigen::VectorXd own = x(rows.columns(i));
    sum += own.dot(gram.G[i] * own) - 2 * gram.b[i].dot(own) + gram.c[i];
  }
  EXPECT_NEAR(sum / 400, 0.09, 0.02);  // the noise, and nothing else
}

// With noise alone to explain, each joint's error is the noise, whatever the links begin with.
TEST(ConsistentFit, ReachesTheNoise) {
  ThreadPool pool(2);
  for (const double mass : {0.05, 2.0, 60.0}) {
    Random random(3);
    const Arm truth = testing::random_arm(testing::panda(), 7, true, random);
    const Samples s = driven_samples(truth, 3000, 0.05, 4);
    LinkInertia link;
    link.mass = mass;
    link.inertia = 0.01 * mass * Eigen::Matrix3d::Identity();
    const Arm start(truth.config(), std::vector<LinkInertia>(7, link));
    const TorqueRows rows(start);
    const ConsistentFit fit =
        fit_consistent(start, FreeParameters(Model(start), {}), rows,
                       torque_gram(rows, s, stretches(motion_view(s), 0), pool));
    EXPECT_TRUE(fit.converged);
    for (const double error : fit.s) EXPECT_NEAR(error, 0.05, 0.0025);
    Arm found = start;
    found.set_parameters(fit.theta);
    EXPECT_LT(mass_error(found, truth, s), 0.05);
  }
}

TEST(ConsistentFit, FindsTheMassMatrixFromLinksOfTwoKilograms) {
  ThreadPool pool(2);
  for (const ArmKinematics& kinematics : {testing::parallel_arm(), testing::panda()}) {
    Random random(3);
    const Arm truth = testing::random_arm(kinematics, kinematics.n(), true, random);
    const Samples s = driven_samples(truth, 3000, 0.05, 4);
    TorqueFit fit = fit_arm_torques(unknown_links(truth), {}, s, s, pool, {});
    EXPECT_EQ(fit.status, FitStatus::finished);
    EXPECT_LT(mass_error(*fit.model.as<Arm>(), truth, s), 0.05);
  }
}

// What torques tell are linear functions of pi: along the rows of the regressor.
TEST(ConsistentFit, StandardErrorsHoldTheTruth) {
  ThreadPool pool(2);
  Random random(5);
  int held = 0, all = 0;
  for (int draw = 0; draw < 4; ++draw) {
    const Arm truth = testing::random_arm(testing::parallel_arm(), 6, true, random);
    const Samples s = driven_samples(truth, 2000, 0.1, 10 + draw);
    const TorqueFit fit = fit_arm_torques(unknown_links(truth), {}, s, s, pool, {});
    const Arm& found = *fit.model.as<Arm>();
    const int p = found.parameter_count();
    const Eigen::Map<const Eigen::MatrixXd> covariance(fit.covariance.data(), p, p);
    Eigen::MatrixXd D = Eigen::MatrixXd::Identity(p, p);
    for (int i = 0; i < 6; ++i)
      D.block<10, 10>(10 * i, 10 * i) = link_moments_slope(found.parameters().subspan(10 * i, 10));
    const Eigen::VectorXd x = torque_numbers(found, found.parameters());
    const Eigen::VectorXd x0 = torque_numbers(truth, truth.parameters());
    const TorqueRows rows(found);
    auto w = rows.make_workspace();
    for (int k = 0; k < 200; k += 10) {
      rows.load(s, k, 1, w);
      for (int i = 0; i < 6; ++i) {
        Eigen::VectorXd row = Eigen::VectorXd::Zero(p);
        for (std::size_t c = 0; c < rows.columns(i).size(); ++c)
          row[rows.columns(i)[c]] = w.X[i](0, static_cast<int>(c));
        const double sd = std::sqrt(row.dot(D * covariance * D.transpose() * row));
        held += std::abs(row.dot(x - x0)) < 3 * sd;
        ++all;
      }
    }
  }
  EXPECT_GT(held, 0.95 * all);
}

TEST(GeometrySearch, FindsAnArmThatNobodyDescribed) {
  Random random(6);
  const Arm truth = testing::random_arm(testing::parallel_arm(), 6, true, random);
  const Samples s = driven_samples(truth, 3000, 0.02, 7);
  ThreadPool one(1), two(2);
  const std::vector<Stretch> parts = all_stretches(s);
  const GeometrySearch search = search_geometry(unknown_links(truth), s, parts, 0, two);
  EXPECT_EQ(search.eta, search_geometry(unknown_links(truth), s, parts, 0, one).eta);
  ArmConfig config = truth.config();
  std::vector<std::string> names;
  for (const ArmJoint& joint : config.kinematics.joints) names.push_back(joint.name);
  config.kinematics = chain_of(search.eta, names);
  const TorqueFit fit = fit_arm_torques(Arm(config), {}, s, s, two, {});
  EXPECT_LT(fit.history.best, 0.01);
  // This arm is built of right angles; gravity, angles and lengths that are 0 are told so.
  EXPECT_GT(std::count(search.sd.begin(), search.sd.end(), 0.0), 7);
  EXPECT_THAT(geometry_in_words(search, names)[0],
              ::testing::HasSubstr("refined starts end with the same"));
}

// The first 70 % of a real arm's log; torques of the last 30 %, known geometry and found one.
TEST(ArmFit, PredictsTheTorquesOfARealArmWithoutItsDescription) {
  const std::string folder = testing::shared_data("franka");
  if (folder.empty()) GTEST_SKIP() << "the record is not here";
  ThreadPool pool(2);
  ReadOptions read;
  read.time = "t_s";
  read.reclock = true;
  for (int j = 1; j <= 7; ++j) {
    read.q.push_back("q" + std::to_string(j) + "_rad");
    read.u.push_back("tau" + std::to_string(j) + "_Nm");
  }
  const Log log = read_log({folder + "/exciting.csv"}, read).log;
  const int size = log.runs[0].size(), cut = size * 7 / 10;
  Log train = log, test = log;
  train.runs = {slice(log.runs[0], 7, 7, 0, cut - 20)};
  test.runs = {slice(log.runs[0], 7, 7, cut, size)};
  const MotionPoints points = motion_points(smooth(test, {}, pool).log, InputAtSample::mean);
  FitOptions options;
  options.family = "arm";
  for (const bool known : {true, false}) {
    options.robot = nullptr;
    if (known) {
      auto panda = std::make_shared<ArmDescription>();
      panda->kinematics = testing::panda();
      options.robot = panda;
    }
    const FitResult result = fit(train, {}, options, pool);
    ASSERT_EQ(result.status, FitStatus::finished);
    const TorqueError error = torque_error(predict_torques(result.model, points, pool), points,
                                           driven_joints(result.model));
    EXPECT_LT(error.overall, known ? 0.0085 : 0.012);
  }
}

TEST(DoubtfulJoints, AreThoseThatWereCountedOtherwise) {
  Random random(8);
  ThreadPool pool(2);
  const Arm truth = testing::random_arm(testing::panda(), 7, true, random);
  const Samples s = driven_samples(truth, 2000, 0.05, 9);
  EXPECT_TRUE(doubtful_joints(truth, s, all_stretches(s), 0, pool).empty());
  ArmConfig wrong = truth.config();
  wrong.kinematics = with_sign_and_offset(wrong.kinematics, 3, -1, 0);
  const auto notes = doubtful_joints(Arm(wrong), s, all_stretches(s), 0, pool);
  ASSERT_FALSE(notes.empty());
  EXPECT_THAT(
      notes, ::testing::Contains(::testing::HasSubstr("joint 'joint4' of the description may be")));
}

TEST(ArmOptions, AreForLogsWithATorqueOnEveryJoint) {
  Channels channels;
  for (int k = 1; k <= 6; ++k) {
    channels.joints.push_back("q" + std::to_string(k));
    channels.inputs.push_back("u" + std::to_string(k));
    channels.joint_types.push_back(JointType::periodic);
  }
  ASSERT_TRUE(arm_options(channels, {}));
  EXPECT_EQ(arm_options(channels, {})->method, FitMethod::torque);
  FitOptions networks;
  networks.family = "smm";
  EXPECT_FALSE(arm_options(channels, networks));
  channels.inputs.pop_back();
  EXPECT_FALSE(arm_options(channels, {}));
}

}  // namespace
}  // namespace mechfit
