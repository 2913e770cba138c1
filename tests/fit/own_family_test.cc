#include <gtest/gtest.h>

#include <cmath>

#include "mechfit/evaluate/scores.h"
#include "mechfit/files/safetensors.h"
#include "mechfit/fit/fit.h"
#include "mechfit/integrate/simulate.h"
#include "mechfit/mechanics/families/analytic/analytic.h"
#include "mechfit/mechanics/families/families.h"
#include "mechfit/mechanics/families/smm/smm.h"
#include "mechfit/mechanics/model_file.h"

// A family of somebody else's: registered, it is fitted, saved, loaded and evaluated like our own.
namespace mechfit {
namespace {

// A pendulum: M = 1, V = -a cos q, F = -b v with theta = (a, b).
class OwnPendulum {
 public:
  struct Workspace {
    AlignedVector q, v, sums;  // last point; gathered gradient [2]
  };

  int joints() const { return 1; }
  int inputs() const { return 0; }
  int parameter_count() const { return 2; }
  std::span<const double> parameters() const { return theta_; }
  void set_parameters(std::span<const double> theta) { theta_.assign(theta.begin(), theta.end()); }
  Workspace make_workspace() const { return {make_panel(1), make_panel(1), AlignedVector(2, 0.0)}; }

  void forces(const Points& x, double* p, double* f, Workspace& w) const {
    for (int l = 0; l < kBlock; ++l) {
      w.q[l] = x.q[l];
      w.v[l] = x.v[l];
      p[l] = x.v[l];
      f[l] = -theta_[0] * std::sin(x.q[l]) - theta_[1] * x.v[l];
    }
  }
  void pullback(const Covectors& c, const Adjoints& out, Workspace& w) const {
    for (int l = 0; l < kBlock; ++l) {
      const double b = c.b ? c.b[l] : 0;
      if (out.q) out.q[l] = -b * theta_[0] * std::cos(w.q[l]);
      if (out.v) out.v[l] = (c.a ? c.a[l] : 0) - b * theta_[1];
      const double g[] = {-b * std::sin(w.q[l]), -b * w.v[l]};
      for (int k = 0; k < 2; ++k) {
        if (out.theta) w.sums[k] += g[k];
        if (out.theta_lanes) out.theta_lanes[k * kBlock + l] = g[k];
      }
    }
  }
  void mass_rate(double* rate, Workspace&) const { std::fill_n(rate, kBlock, 0.0); }
  void mass(const double*, double* m, Workspace&) const { std::fill_n(m, kBlock, 1.0); }
  void factor(double* g, Workspace&) const { std::fill_n(g, kBlock, 1.0); }
  void mass_pullback(const double*, const Adjoints& out, Workspace&) const {
    if (out.q) std::fill_n(out.q, kBlock, 0.0);
    if (out.theta_lanes) std::fill_n(out.theta_lanes, 2 * kBlock, 0.0);
  }
  void potential(double* v, Workspace& w) const {
    for (int l = 0; l < kBlock; ++l) v[l] = -theta_[0] * std::cos(w.q[l]);
  }
  int merged_size() const { return 2; }
  void clear_gradient(Workspace& w) const { w.sums.assign(2, 0.0); }
  void add_gradient(Workspace& w, std::span<double> merged, bool add = true) const {
    for (int k = 0; k < 2; ++k) merged[k] = (add ? merged[k] : 0) + w.sums[k];
  }
  void expand_gradient(std::span<const double> merged, std::span<double> theta) const {
    std::copy(merged.begin(), merged.end(), theta.begin());
  }

  static constexpr const char* kFamily = "own-pendulum";
  static constexpr ParameterKind kKind = ParameterKind::constants;
  static bool known_as(const std::string& option) { return option == kFamily; }
  static bool automatic(const StartData&) { return false; }
  static std::vector<Start> starts(const StartData& data) {
    (void)data;
    return {{kFamily, OwnPendulum(), {}}};
  }
  static OwnPendulum read(const Safetensors& file, const Channels&, const std::string& name) {
    OwnPendulum out;
    out.set_parameters(expect_doubles(file, "theta", {2}, name));
    return out;
  }
  void write(Safetensors& file) const {
    file.metadata["config"] = "{}";
    file.tensors["theta"] = {{2}, theta_};
  }
  std::vector<JointType> joint_types() const { return {JointType::periodic}; }
  std::vector<ParameterInfo> parameters_info() const {
    std::vector<ParameterInfo> info(2);
    info[0].name = "a";
    info[0].range = Range::positive;
    info[0].prior_mean = std::log(theta_[0]);
    info[0].prior_precision = 0.1;
    info[1].name = "b";
    info[1].range = Range::nonnegative;
    return info;
  }
  bool scale_is_free() const { return false; }
  const Scales* scales() const { return nullptr; }
  Description describe() const {
    return {"a pendulum of our own", {{"a", theta_[0], "", 0}, {"b", theta_[1], "", 1}}};
  }

 private:
  std::vector<double> theta_ = {3.0, 0.3};
};

class OwnFamily : public ::testing::TestWithParam<FitMethod> {
 protected:
  static void SetUpTestSuite() {
    static const bool once = [] {
      add_family(family_of<OwnPendulum>());
      return true;
    }();
    (void)once;
  }
};

TEST_P(OwnFamily, IsFittedSavedLoadedAndEvaluated) {
  AnalyticSystem truth = make_system("pendulum");  // g / l = 9.81 unless set
  truth.set_constant("g", 8.0);
  SimulateOptions options;
  options.runs = 6;
  options.steps = 150;
  options.h = 0.02;
  options.substeps = 8;
  options.integrator = Integrator::rk4;
  options.q0 = default_start(truth);
  options.v0 = {{0.0, 0.0}};
  options.noise = {0.002};
  ThreadPool pool(2);
  const Simulation data = simulate(Model(truth), system_channels(truth), options, pool);

  FitOptions fitting;
  fitting.family = "own-pendulum";
  fitting.method = GetParam();
  const FitResult result = fit(data.observed, {}, fitting, pool);
  ASSERT_EQ(result.status, FitStatus::finished);
  // Smoothed accelerations are flattened where they are largest, by about one per cent here.
  const double tolerance = GetParam() == FitMethod::joint ? 0.05 : 0.2;
  EXPECT_NEAR(result.model.parameters()[0], 8.0, tolerance);
  EXPECT_NEAR(result.model.parameters()[1], 0.0, 0.05);

  const std::string bytes = format_model({result.model, result.channels, {}});
  const ModelRecord loaded = parse_model(bytes, "own.safetensors");
  EXPECT_EQ(loaded.model.describe().words, "a pendulum of our own");
  const Scores scores = evaluate(loaded.model, data.truth, {}, pool);
  EXPECT_LT(scores.acceleration.mse, 1e-3 * scores.acceleration_zero.mse);
}

INSTANTIATE_TEST_SUITE_P(Methods, OwnFamily,
                         ::testing::Values(FitMethod::joint, FitMethod::acceleration),
                         [](const auto& test) {
                           return test.param == FitMethod::joint ? "Jointly" : "ByAcceleration";
                         });

TEST(Families, AnUnknownNameIsToldTheKnownOnes) {
  try {
    find_family("smn");
    FAIL();
  } catch (const std::exception& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("'smn'"), std::string::npos) << text;
    EXPECT_NE(text.find("trig"), std::string::npos) << text;
    EXPECT_NE(text.find("cart-pole"), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace mechfit
