#include "mechfit/estimate/kalman/lane_kalman.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "mechfit/base/random.h"
#include "tests/estimate/oracle.h"
#include "tests/support/instruction_sets.h"

namespace mechfit {
namespace {

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

struct Smoothed {
  std::vector<double> x;  // [T][3]
  std::vector<double> p;  // [T][6]
  LaneSummary summary;
};

// Smooths several series in the lanes of one kernel.
std::vector<Smoothed> smooth_lanes(const std::vector<Series>& series, const LaneParameters& model,
                                   const std::vector<StatePrior>& priors) {
  const std::size_t lanes = series.size();
  std::vector<Smoothed> out(lanes);
  std::vector<LaneSummary> summaries(lanes);
  for (std::size_t l = 0; l < lanes; ++l) {
    out[l].x.resize(series[l].size * 3);
    out[l].p.resize(series[l].size * 6);
  }
  LaneKalman kalman(series);
  kalman.smooth(model, priors, summaries, [&](int begin, int count, const double* smoothed) {
    for (std::size_t l = 0; l < lanes; ++l) {
      for (int k = 0; k < std::min(count, series[l].size - begin); ++k) {
        const double* row = smoothed + k * kSmoothRows * kSeriesLanes + l;
        for (int i = 0; i < 3; ++i) out[l].x[(begin + k) * 3 + i] = row[i * kSeriesLanes];
        for (int i = 0; i < 6; ++i) out[l].p[(begin + k) * 6 + i] = row[(3 + i) * kSeriesLanes];
      }
    }
  });
  for (std::size_t l = 0; l < lanes; ++l) out[l].summary = summaries[l];
  return out;
}

Smoothed smooth_one(const std::vector<double>& t, const std::vector<double>& y,
                    const LaneParameters& family, double r, double intensity,
                    const StatePrior& prior) {
  LaneParameters model = family;
  model.r[0] = r;
  model.intensity[0] = intensity;
  return smooth_lanes({{t.data(), y.data(), 1, static_cast<int>(t.size()), 1.0}}, model,
                      {prior})[0];
}

LaneParameters white_jerk() {
  LaneParameters model;
  model.white_jerk = true;
  return model;
}

LaneParameters fixed_noise(double q0, double q1, double q2) {
  LaneParameters model;
  model.fixed_noise[0] = q0;
  model.fixed_noise[1] = q1;
  model.fixed_noise[2] = q2;
  return model;
}

Eigen::Matrix3d matrix(const double* p) {
  Eigen::Matrix3d m;
  m << p[0], p[1], p[2], p[1], p[3], p[4], p[2], p[4], p[5];
  return m;
}

// Times with uneven steps and a random walk of observations, some of them missing.
struct RandomSeries {
  std::vector<double> t, y;
};

RandomSeries random_series(std::uint64_t seed, int samples) {
  Random random(seed);
  RandomSeries out;
  double t = random.uniform(), y = random.normal();
  for (int k = 0; k < samples; ++k) {
    out.t.push_back(t);
    out.y.push_back(k % 5 == 3 ? kMissing : y);
    t += random.uniform(0.02, 0.3);
    y += 0.3 * random.normal();
  }
  return out;
}

StatePrior random_prior(Random& random) {
  Eigen::Matrix3d m;
  for (int i = 0; i < 9; ++i) m(i / 3, i % 3) = random.normal();
  m = m * m.transpose() + 0.1 * Eigen::Matrix3d::Identity();
  return {{random.normal(), random.normal(), random.normal()},
          {m(0, 0), m(0, 1), m(0, 2), m(1, 1), m(1, 2), m(2, 2)}};
}

void expect_equals_dense(const Smoothed& smoothed, const test::DenseSmoother& dense, int samples,
                         double tolerance) {
  for (int k = 0; k < samples; ++k) {
    const Eigen::Matrix3d p = dense.covariance.block<3, 3>(3 * k, 3 * k);
    const Eigen::Matrix3d own = matrix(&smoothed.p[k * 6]);
    for (int i = 0; i < 3; ++i) {
      // Means in units of their standard deviations, covariances relative to them.
      const double sd = std::sqrt(p(i, i));
      EXPECT_NEAR(smoothed.x[k * 3 + i] / sd, dense.mean(3 * k + i) / sd, tolerance)
          << "sample " << k << " component " << i;
      for (int j = 0; j < 3; ++j) {
        EXPECT_NEAR(own(i, j) / (sd * std::sqrt(p(j, j))), p(i, j) / (sd * std::sqrt(p(j, j))),
                    tolerance)
            << "sample " << k;
      }
    }
  }
}

TEST(LaneKalman, EqualsBatchLeastSquaresWithWhiteJerk) {
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    const RandomSeries s = random_series(seed, 40);
    Random random(seed, 1);
    const StatePrior prior = random_prior(random);
    const double r = std::exp(random.normal()), intensity = std::exp(3 * random.normal());
    const auto noise = [&](double h) { return test::white_jerk_noise(intensity, h); };
    const Eigen::Vector3d x0(prior.x[0], prior.x[1], prior.x[2]);
    const Smoothed smoothed = smooth_one(s.t, s.y, white_jerk(), r, intensity, prior);
    SCOPED_TRACE(seed);
    expect_equals_dense(smoothed, test::dense_smoother(s.t, s.y, r, x0, matrix(prior.p), noise), 40,
                        1e-9);
    EXPECT_NEAR(smoothed.summary.log_likelihood(1),
                test::dense_log_likelihood(s.t, s.y, r, x0, matrix(prior.p), noise), 1e-9);
  }
}

TEST(LaneKalman, EqualsBatchLeastSquaresWithFixedNoise) {
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    const RandomSeries s = random_series(seed, 40);
    Random random(seed, 1);
    const StatePrior prior = random_prior(random);
    const double r = std::exp(random.normal());
    const auto noise = [&](double) {
      return Eigen::Matrix3d(Eigen::Vector3d(1e-3, 1e-3, 1).asDiagonal());
    };
    const Eigen::Vector3d x0(prior.x[0], prior.x[1], prior.x[2]);
    const Smoothed smoothed = smooth_one(s.t, s.y, fixed_noise(1e-3, 1e-3, 1), r, 0, prior);
    SCOPED_TRACE(seed);
    expect_equals_dense(smoothed, test::dense_smoother(s.t, s.y, r, x0, matrix(prior.p), noise), 40,
                        1e-9);
    EXPECT_NEAR(smoothed.summary.log_likelihood(1),
                test::dense_log_likelihood(s.t, s.y, r, x0, matrix(prior.p), noise), 1e-9);
  }
}

// With velocity and acceleration nailed to zero the position is a scalar random walk, whose
// stationary filter and smoother have closed forms.
TEST(LaneKalman, ReachesTheSteadyStateOfAScalarRandomWalk) {
  const double q = 0.3, r = 2.0;
  const int samples = 401, middle = 200;
  std::vector<double> t(samples), y(samples);
  Random random(3);
  double level = 0;
  for (int k = 0; k < samples; ++k) {
    t[k] = k;
    level += std::sqrt(q) * random.normal();
    y[k] = level + std::sqrt(r) * random.normal();
  }
  const Smoothed s =
      smooth_one(t, y, fixed_noise(q, 1e-40, 1e-40), r, 0, {{0, 0, 0}, {1, 0, 0, 1e-40, 0, 1e-40}});
  // Predicted variance pp: pp = pp r / (pp + r) + q; smoothed variance q r / sqrt(q^2 + 4 q r);
  // smoothed mean: two-sided exponential weights rho^|k|, rho = r / (pp + r).
  const double pp = (q + std::sqrt(q * q + 4 * q * r)) / 2;
  const double rho = r / (pp + r);
  EXPECT_NEAR(s.p[middle * 6], q * r / std::sqrt(q * q + 4 * q * r), 1e-12);
  double mean = 0;
  for (int k = 0; k < samples; ++k) {
    mean += (1 - rho) / (1 + rho) * std::pow(rho, std::abs(k - middle)) * y[k];
  }
  EXPECT_NEAR(s.x[middle * 3], mean, 1e-9);
}

TEST(LaneKalman, FlatPriorAndNoProcessNoiseGiveTheLeastSquaresParabola) {
  const int samples = 60;
  std::vector<double> t(samples), y(samples);
  Eigen::MatrixXd rows(samples, 3);
  Eigen::VectorXd right(samples);
  Random random(5);
  const double r = 0.04;
  for (int k = 0; k < samples; ++k) {
    t[k] = 10 + 0.1 * k;
    y[k] = right(k) = 1 + 0.3 * k - 0.01 * k * k + 0.2 * random.normal();
    const double d = 0.1 * (k - 20);
    rows.row(k) << 1, d, d * d / 2;
  }
  const Smoothed s =
      smooth_one(t, y, white_jerk(), r, 1e-25, {{y[0], 0, 0}, {1e18, 0, 0, 1e18, 0, 1e18}});
  const Eigen::Vector3d x = rows.householderQr().solve(right);
  const Eigen::Matrix3d p = r * (rows.transpose() * rows).inverse();
  for (int i = 0; i < 3; ++i) EXPECT_NEAR(s.x[20 * 3 + i], x(i), 1e-9);
  EXPECT_LT((matrix(&s.p[20 * 6]) - p).norm(), 1e-9 * p.norm());
}

TEST(LaneKalman, UnevenStepsEqualADenseGridWithMissingSamples) {
  Random random(11);
  std::vector<double> dense_t, dense_y, t, y;
  std::vector<int> kept;
  for (int k = 0; k < 700; ++k) {
    dense_t.push_back(0.01 * k);
    const bool keep = k == 0 || k == 699 || random.uniform() < 0.3;
    const double value = std::sin(0.05 * k) + 0.05 * random.normal();
    dense_y.push_back(keep ? value : kMissing);
    if (!keep) continue;
    t.push_back(dense_t.back());
    y.push_back(value);
    kept.push_back(k);
  }
  const StatePrior prior{{0, 0, 0}, {10, 0, 0, 10, 0, 10}};
  const Smoothed a = smooth_one(t, y, white_jerk(), 0.0025, 50, prior);
  const Smoothed b = smooth_one(dense_t, dense_y, white_jerk(), 0.0025, 50, prior);
  EXPECT_NEAR(a.summary.log_likelihood(1), b.summary.log_likelihood(1), 1e-9);
  for (std::size_t i = 0; i < kept.size(); ++i) {
    for (int c = 0; c < 3; ++c) {
      const double sd = std::sqrt(a.p[i * 6 + (c == 0 ? 0 : c == 1 ? 3 : 5)]);
      EXPECT_NEAR(a.x[i * 3 + c] / sd, b.x[kept[i] * 3 + c] / sd, 1e-9);
    }
    const Eigen::Matrix3d own = matrix(&a.p[i * 6]), dense = matrix(&b.p[kept[i] * 6]);
    const Eigen::Vector3d scale = own.diagonal().cwiseSqrt().cwiseInverse();
    EXPECT_LT((scale.asDiagonal() * (own - dense) * scale.asDiagonal()).norm(), 1e-9);
  }
}

TEST(LaneKalman, ALaneDoesNotDependOnItsCompany) {
  std::vector<RandomSeries> data;
  std::vector<Series> series;
  std::vector<StatePrior> priors;
  LaneParameters model = white_jerk();
  Random random(21);
  const int sizes[] = {300, 1, 57, 600, 256, 257, 512, 90};
  for (int l = 0; l < kSeriesLanes; ++l) {
    data.push_back(random_series(100 + l, sizes[l]));
    priors.push_back(random_prior(random));
    model.r[l] = 0.1 + l;
    model.intensity[l] = 1 + l;
  }
  for (const RandomSeries& d : data) {
    series.push_back({d.t.data(), d.y.data(), 1, static_cast<int>(d.t.size()), 1.0});
  }
  const std::vector<Smoothed> together = smooth_lanes(series, model, priors);
  for (int l = 0; l < kSeriesLanes; ++l) {
    const Smoothed alone =
        smooth_one(data[l].t, data[l].y, model, model.r[l], model.intensity[l], priors[l]);
    EXPECT_EQ(together[l].x, alone.x) << l;
    EXPECT_EQ(together[l].p, alone.p) << l;
    EXPECT_EQ(together[l].summary.log_det, alone.summary.log_det);
    EXPECT_EQ(together[l].summary.squares, alone.summary.squares);
    EXPECT_EQ(together[l].summary.residual, alone.summary.residual);
  }
}

TEST(LaneKalman, GivesTheSameBitsOnEveryInstructionSet) {
  const RandomSeries s = random_series(31, 300);
  const StatePrior prior{{0, 0, 0}, {10, 0, 0, 10, 0, 10}};
  const Smoothed best = smooth_one(s.t, s.y, white_jerk(), 0.01, 3, prior);
  on_every_instruction_set([&](const std::string& name) {
    const Smoothed other = smooth_one(s.t, s.y, white_jerk(), 0.01, 3, prior);
    EXPECT_EQ(best.x, other.x) << name;
    EXPECT_EQ(best.p, other.p) << name;
    EXPECT_EQ(best.summary.log_det, other.summary.log_det) << name;
  });
}

// A gap far longer than the memory of the filter, then steps far shorter: after it a velocity of
// large variance is measured by two precise samples close together, where covariances kept as plain
// matrices lose every digit.
TEST(LaneKalman, SurvivesGapsAndTinyNoise) {
  std::vector<double> t{0, 1e-4, 2e-4, 3e-4, 50, 50.0001, 50.0002, 50.0003, 50.0004};
  std::vector<double> y;
  for (double s : t) y.push_back(std::sin(s));
  const double r = 1e-16, intensity = 1e4;
  const Smoothed s =
      smooth_one(t, y, white_jerk(), r, intensity, {{0, 0, 0}, {1e10, 0, 0, 1e10, 0, 1e10}});
  for (std::size_t k = 0; k < t.size(); ++k) {
    EXPECT_NEAR(s.x[k * 3], y[k], 5e-8);
    EXPECT_NEAR(s.x[k * 3 + 1], std::cos(t[k]), 1e-3) << k;
    EXPECT_GT(s.p[k * 6], 0);
    EXPECT_LE(s.p[k * 6], 1.0001 * r);
    const Eigen::Matrix3d p = matrix(&s.p[k * 6]);
    const Eigen::Vector3d scale = p.diagonal().cwiseSqrt().cwiseInverse();
    const Eigen::Matrix3d correlation = scale.asDiagonal() * p * scale.asDiagonal();
    EXPECT_GT(correlation.selfadjointView<Eigen::Lower>().eigenvalues().minCoeff(), 0) << k;
  }
}

}  // namespace
}  // namespace mechfit
