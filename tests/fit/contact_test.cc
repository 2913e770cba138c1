#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "mechfit/base/gradient_check.h"
#include "mechfit/base/random.h"
#include "mechfit/files/read_log.h"
#include "mechfit/fit/contact/contact_search.h"
#include "mechfit/fit/contact/flow.h"
#include "mechfit/fit/contact/impact_residual.h"
#include "mechfit/fit/contact/propose.h"
#include "mechfit/fit/contact/stays.h"
#include "mechfit/integrate/simulate.h"
#include "mechfit/log/split.h"
#include "mechfit/log/thin.h"
#include "mechfit/mechanics/families/analytic/analytic.h"
#include "mechfit/mechanics/point.h"
#include "tests/support/shared_data.h"

namespace mechfit {
namespace {

constexpr double kTolerance = 1e-6;

Eigen::VectorXd random_state(Random& random, int size) {
  Eigen::VectorXd x(size);
  for (double& value : x) value = random.uniform(-1, 1);
  return x;
}

std::vector<double> to_vector(const Eigen::VectorXd& x) { return {x.begin(), x.end()}; }
Eigen::VectorXd to_eigen(std::span<const double> x) {
  return Eigen::Map<const Eigen::VectorXd>(x.data(), static_cast<Eigen::Index>(x.size()));
}

TEST(ContactEstimate, FlowHasTheSlopesOfDifferences) {
  const Model model(make_system("cart-pole"));
  PointDynamics dynamics(model);
  Random random(4);
  const Eigen::VectorXd x = random_state(random, 4), pull = random_state(random, 4);
  const std::vector<double> u{0.7};
  const auto value = [&](const Eigen::VectorXd& start, double duration) {
    return pull.dot(flow(dynamics, 2, start, u, duration, 0.01)->x);
  };
  const auto at = flow(dynamics, 2, x, u, -0.013, 0.01);
  ASSERT_TRUE(at);
  const auto by_state = check_gradient([&](auto y) { return value(to_eigen(y), -0.013); },
                                       to_vector(x), to_vector(at->phi.transpose() * pull));
  EXPECT_TRUE(by_state.agrees(kTolerance)) << by_state.text();
  DerivativeCheckOptions small;
  small.step = 1e-3;
  const auto by_time =
      check_gradient([&](auto y) { return value(x, y[0]); }, std::vector<double>{-0.013},
                     std::vector<double>{pull.dot(at->rate)}, small);
  EXPECT_TRUE(by_time.agrees(kTolerance)) << by_time.text();
}

TEST(ContactEstimate, WhatVanishesAtAnImpactHasTheSlopesOfDifferences) {
  const AnalyticSystem system = make_system("double-pendulum");
  const Model model(system);
  PointDynamics dynamics(model);
  Random random(8);
  Contact contact = joint_stop(system_channels(system), 1, true, 0.4, 0.6);
  const Eigen::VectorXd before = random_state(random, 4), behind = random_state(random, 4),
                        pull = random_state(random, 5);
  const auto residual = [&](const Eigen::VectorXd& a, const Eigen::VectorXd& b, double time,
                            double psi, double e) {
    Contact own = contact;
    own.position = psi;
    own.restitution = e;
    return *impact_residual(dynamics, own, {a, b, 1.0, 1.01, {}, {}}, time, 0.01);
  };
  const double t = 1.004, psi = 0.4, e = 0.6;
  const ImpactResidual at = residual(before, behind, t, psi, e);
  const auto c = [&](const Eigen::VectorXd& a, const Eigen::VectorXd& b, double time, double place,
                     double restitution) {
    return pull.dot(residual(a, b, time, place, restitution).c);
  };
  const auto by_before = check_gradient([&](auto x) { return c(to_eigen(x), behind, t, psi, e); },
                                        to_vector(before), to_vector(at.before.transpose() * pull));
  EXPECT_TRUE(by_before.agrees(kTolerance)) << by_before.text();
  const auto by_behind = check_gradient([&](auto x) { return c(before, to_eigen(x), t, psi, e); },
                                        to_vector(behind), to_vector(at.behind.transpose() * pull));
  EXPECT_TRUE(by_behind.agrees(kTolerance)) << by_behind.text();
  DerivativeCheckOptions small;
  small.step = 1e-3;
  const auto one = [&](const auto& f, double x, double slope) {
    const auto report =
        check_gradient(f, std::vector<double>{x}, std::vector<double>{slope}, small);
    EXPECT_TRUE(report.agrees(kTolerance)) << report.text();
  };
  one([&](auto x) { return c(before, behind, x[0], psi, e); }, t, pull.dot(at.time));
  one([&](auto x) { return c(before, behind, t, x[0], e); }, psi, pull.dot(at.position));
  one([&](auto x) { return c(before, behind, t, psi, x[0]); }, e, pull.dot(at.restitution));
}

TEST(ContactEstimate, WithFrictionItHasTheSlopesOfDifferencesToo) {
  AnalyticSystem system = make_system("chain-points", 2);
  const Model model(system);
  PointDynamics dynamics(model);
  Random random(3);
  Contact contact = half_plane("floor", system.planar_points()[2], 0.2, 1, -1.5, 0.6, 0.3);
  Eigen::VectorXd before(4), behind = random_state(random, 4), pull = random_state(random, 5);
  before << 0.4, -0.6, 1, 3;  // downwards, sliding
  const auto residual = [&](const Eigen::VectorXd& a, double time, double psi, double e,
                            double mu) {
    Contact own = contact;
    own.position = psi;
    own.restitution = e;
    own.friction = mu;
    return *impact_residual(dynamics, own, {a, behind, 1.0, 1.01, {}, {}}, time, 0.01);
  };
  const double t = 1.004, psi = -1.5, e = 0.6, mu = 0.3;
  const ImpactResidual at = residual(before, t, psi, e, mu);
  const auto c = [&](const Eigen::VectorXd& a, double time, double place, double restitution,
                     double friction) {
    return pull.dot(residual(a, time, place, restitution, friction).c);
  };
  const auto by_before = check_gradient([&](auto x) { return c(to_eigen(x), t, psi, e, mu); },
                                        to_vector(before), to_vector(at.before.transpose() * pull));
  EXPECT_TRUE(by_before.agrees(kTolerance)) << by_before.text();
  DerivativeCheckOptions small;
  small.step = 1e-3;
  const auto one = [&](const auto& f, double x, double slope) {
    EXPECT_NE(slope, 0);
    const auto report =
        check_gradient(f, std::vector<double>{x}, std::vector<double>{slope}, small);
    EXPECT_TRUE(report.agrees(kTolerance)) << report.text();
  };
  one([&](auto x) { return c(before, x[0], psi, e, mu); }, t, pull.dot(at.time));
  one([&](auto x) { return c(before, t, x[0], e, mu); }, psi, pull.dot(at.position));
  one([&](auto x) { return c(before, t, psi, x[0], mu); }, e, pull.dot(at.restitution));
  one([&](auto x) { return c(before, t, psi, e, x[0]); }, mu, pull.dot(at.friction));
}

TEST(ModelDoubt, AddsUpToTheCovariance) {
  AnalyticSystem system = make_system("double-pendulum");
  std::vector<double> theta(system.parameter_count(), 50.0);  // far from the ends of their ranges
  system.set_parameters(theta);
  const Model model(system);
  const int p = model.parameter_count();
  Random random(3);
  Eigen::MatrixXd root = Eigen::MatrixXd::Zero(p, p);
  for (int i = 0; i < p; ++i)
    for (int k = 0; k + 1 < p; ++k) root(i, k) = random.uniform(-1, 1) * std::pow(10.0, i % 4);
  root.row(1).setZero();  // one that is known
  const Eigen::MatrixXd covariance = root * root.transpose();
  const std::vector<double> flat(covariance.data(), covariance.data() + p * p);
  const ModelDoubt doubt = model_doubt(model, flat);
  EXPECT_LE(doubt.size(), p - 1);
  Eigen::MatrixXd sum = Eigen::MatrixXd::Zero(p, p);
  for (const Model& along : doubt.along) {
    const Eigen::VectorXd r =
        (to_eigen(along.parameters()) - to_eigen(model.parameters())) / ModelDoubt::step;
    sum += r * r.transpose();
  }
  for (int i = 0; i < p; ++i)
    for (int j = 0; j < p; ++j)
      EXPECT_NEAR(sum(i, j), covariance(i, j),
                  1e-8 * std::sqrt(1e-12 + covariance(i, i) * covariance(j, j)));
}

Simulation pendulum_log(bool stops, double e) {
  AnalyticSystem system = make_system("pendulum");
  system.set_constant("eta", 0.05);
  const Channels channels = system_channels(system);
  SimulateOptions options;
  options.runs = 12;
  options.steps = 300;
  options.h = 0.01;
  options.substeps = 5;
  options.q0 = {{-0.5, 0.3}};
  options.v0 = {{-4, 4}};
  options.noise = {0.01};
  if (stops) options.contacts = {joint_stop(channels, 0, true, 0.4, e)};
  ThreadPool pool(1);
  return simulate(Model(system), channels, options, pool);
}

// A model is fitted on a coarser step than the log's: the shortest parts still have the samples
// that a run must have.
TEST(CutLog, ShortPartsKeepARunsFewestSamplesWhenThinned) {
  const Simulation log = pendulum_log(true, 0.6);
  const Trajectory& run = log.observed.runs[0];
  Log parts;
  parts.channels = log.observed.channels;
  parts.runs = {slice(run, 1, 0, 0, kShortestPiece), run};
  const Log coarse = thin(parts, 0.05);
  EXPECT_EQ(coarse.runs[0].size(), kShortestRun);
  EXPECT_EQ(coarse.runs[1].size(), (run.size() + 4) / 5);
}

// Double pendulum whose second joint falls onto its stops and stays there for a while, noise 0.01.
Simulation resting_log(double e) {
  const AnalyticSystem system = make_system("double-pendulum");
  const Channels channels = system_channels(system);
  SimulateOptions options;
  options.runs = 4;
  options.steps = 300;
  options.h = 0.01;
  options.substeps = 5;
  options.q0 = {{-1.5, 1.5}, {-0.6, 0.4}};
  options.v0 = {{-2, 2}, {-3, 3}};
  options.noise = {0.01, 0.01};
  options.contacts = {joint_stop(channels, 1, true, 0.5, e),
                      joint_stop(channels, 1, false, -0.7, e)};
  ThreadPool pool(1);
  return simulate(Model(system), channels, options, pool);
}

// The motion of the parts moves with the parameters as parts by another model do.
TEST(PartMotions, MoveWithTheModelsParametersAsDifferencesSay) {
  const Simulation log = resting_log(1);
  Log parts;
  parts.channels = log.observed.channels;
  for (const Trajectory& run : log.truth.runs) parts.runs.push_back(slice(run, 2, 0, 0, 30));
  for (Trajectory& run : parts.runs) run.qd.clear(), run.qdd.clear();
  const Model model(make_system("double-pendulum"));
  const int p = model.parameter_count();
  std::vector<double> covariance(static_cast<std::size_t>(p) * p, 0.0);
  for (int i = 0; i < p; ++i) covariance[i * p + i] = 1e-4;
  const ModelDoubt doubt = model_doubt(model, covariance);
  ASSERT_EQ(doubt.size(), p);
  const MotionNoise noise{{0.01, 0.01}, {0.01, 0.01}};
  ThreadPool pool(1);
  const auto motions = part_motions(model, noise, parts, pool, doubt);
  double largest = 0;
  for (int k = 0; k < p; ++k) {
    const auto moved = part_motions(doubt.along[k], noise, parts, pool);
    for (std::size_t i = 0; i < motions.size(); ++i) {
      ASSERT_TRUE(motions[i].ok && moved[i].ok);
      const Eigen::VectorXd change = (moved[i].ends - motions[i].ends) / ModelDoubt::step;
      largest = std::max(largest, change.norm());
      // Gauss-Newton's H, without what the errors' curvature adds.
      EXPECT_LT((change - motions[i].by_doubt.col(k)).norm(), 0.15 * change.norm() + 1e-4)
          << "part " << i << ", direction " << k;
    }
  }
  EXPECT_GT(largest, 1e-3);
}

TEST(Stays, RestsAreWhereTheMachineLiesOnItsStop) {
  const double sigma[] = {0.01, 0.01};
  const auto gap_at = [](const Simulation& log, const Contacts& contacts, const Stay& stay, int k) {
    return contacts[stay.contact].gap(std::span(log.truth.runs[stay.run].q).subspan(2 * k, 2));
  };
  int rests = 0;
  for (const double e : {0.0, 1.0}) {
    const Simulation log = resting_log(e);
    const Channels& channels = log.observed.channels;
    const Contacts contacts{joint_stop(channels, 1, true, 0.5, e),
                            joint_stop(channels, 1, false, -0.7, e)};
    for (const Stay& stay : find_stays(log.observed, contacts, sigma)) {
      EXPECT_LT(stay.begin, stay.end);
      if (stay.rest == stay.rest_end) continue;
      ++rests;
      EXPECT_EQ(e, 0) << "a machine that bounces back does not lie still";
      double mean = 0;
      for (int k = stay.rest; k < stay.rest_end; ++k)
        mean += gap_at(log, contacts, stay, k) / (stay.rest_end - stay.rest);
      EXPECT_LT(mean, 0.003) << "run " << stay.run << ", sample " << stay.rest;
    }
  }
  EXPECT_GT(rests, 1);
}

TEST(FitWithContacts, FindsAStopAndItsRestitutionFromPositions) {
  for (const double e : {0.0, 0.6}) {
    const Simulation simulation = pendulum_log(true, e);
    FitOptions options;
    options.family = "trig";
    options.quick = true;
    options.contacts = ContactOption::automatic;
    ThreadPool pool(2);
    const FitResult result = fit(simulation.observed, std::nullopt, options, pool);
    ASSERT_EQ(result.contacts.size(), 1u) << e;
    const Contact& stop = result.contacts[0];
    EXPECT_EQ(stop.shape, ContactShape::upper_stop);
    EXPECT_NEAR(stop.position, 0.4, 0.5 * 3.14159 / 180);
    EXPECT_LT(std::fabs(stop.position - 0.4), 4 * stop.position_error);
    EXPECT_NEAR(stop.restitution, e, 0.05);
    EXPECT_GT(stop.position_error, 0);
  }
}

// At noise 0.05 few impacts show by themselves: stops are found since all visits to the ends of a
// joint's range are judged by the model of what lies between them.
TEST(FitWithContacts, FindsStopsWhoseSingleImpactsNoiseHides) {
  AnalyticSystem system = make_system("pendulum");
  system.set_constant("eta", 0.05);
  const Channels channels = system_channels(system);
  SimulateOptions simulated;
  simulated.runs = 16;
  simulated.steps = 300;
  simulated.h = 0.01;
  simulated.substeps = 5;
  simulated.q0 = {{-0.5, 0.3}};
  simulated.v0 = {{-4, 4}};
  simulated.noise = {0.05};
  simulated.contacts = {joint_stop(channels, 0, true, 0.4, 0.5),
                        joint_stop(channels, 0, false, -0.6, 0.5)};
  simulated.seed = 20;
  ThreadPool pool(2);
  const Simulation log = simulate(Model(system), channels, simulated, pool);
  FitOptions options;
  options.family = "trig";
  options.quick = true;
  options.contacts = ContactOption::automatic;
  const FitResult result = fit(log.observed, std::nullopt, options, pool);
  ASSERT_EQ(result.contacts.size(), 2u);
  for (const Contact& stop : result.contacts) {
    const double truth = stop.shape == ContactShape::upper_stop ? 0.4 : -0.6;
    EXPECT_LT(std::fabs(stop.position - truth), 4 * stop.position_error) << stop.name;
    EXPECT_LT(stop.position_error, 0.01) << stop.name;
    EXPECT_LT(std::fabs(stop.restitution - 0.5), 4 * stop.restitution_error) << stop.name;
    EXPECT_LT(stop.restitution_error, 0.1) << stop.name;
  }
  EXPECT_EQ(result.struck.runs.size(), log.observed.runs.size());
}

TEST(FitWithContacts, FindsNoneWhereThereIsNone) {
  ThreadPool pool(2);
  EXPECT_TRUE(propose_stops(pendulum_log(false, 0).observed, pool).contacts.empty());
  FitOptions options;
  options.family = "trig";
  options.quick = true;
  options.contacts = ContactOption::automatic;
  const Simulation simulation = pendulum_log(false, 0);
  const ContactFindings none = find_contacts(simulation.observed, options, pool);
  EXPECT_TRUE(none.contacts.empty());
  EXPECT_EQ(none.note.rfind("no contacts", 0), 0u) << none.note;
}

TEST(FitWithContacts, RealMachinesWithoutStopsHaveNone) {
  const std::string pendulum = testing::shared_data("double_pendulum_real");
  const std::string emps = testing::shared_data("emps");
  if (pendulum.empty() || emps.empty()) GTEST_SKIP() << "no records of real machines";
  ThreadPool pool(2);
  std::vector<std::string> segments;
  for (const auto& entry : std::filesystem::directory_iterator(pendulum))
    if (entry.path().extension() == ".csv") segments.push_back(entry.path().string());
  std::sort(segments.begin(), segments.end());
  FitOptions options;
  options.family = "trig";
  options.contacts = ContactOption::automatic;
  ReadOptions two, axis;
  two.q = {"th1_rad", "th2_rad"};
  axis.q = {"q_m"};
  axis.u = {"force_N"};
  const Log logs[] = {read_log(segments, two).log, read_log({emps + "/train.csv"}, axis).log};
  for (const Log& log : logs) {
    const ContactFindings found = find_contacts(log, options, pool);
    EXPECT_TRUE(found.contacts.empty()) << log.channels.joints[0] << ": " << found.note;
  }
}

}  // namespace
}  // namespace mechfit
