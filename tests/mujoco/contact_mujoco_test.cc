#include <fmt/format.h>
#include <gtest/gtest.h>
#include <mujoco/mujoco.h>

#include <cmath>
#include <cstring>
#include <memory>
#include <numbers>
#include <string>
#include <vector>

#include "mechfit/integrate/rollout.h"
#include "mechfit/integrate/simulate.h"
#include "mechfit/mechanics/families/analytic/analytic.h"

// A double pendulum of rods whose second joint has stops, beside MuJoCo's soft limits made stiff.
namespace mechfit {
namespace {

constexpr double kStep = 1e-4, kStiffness = 3e6;
constexpr double kUpper = 0.5, kLower = -0.7;

// A limit is a spring with damping, r'' = -k r - b r', while it is touched: it gives back
//   e = exp(-pi z / sqrt(1 - z^2)),  b = 2 z sqrt(k)
std::string limited(double e) {
  const double log_e = std::log(e), pi = std::numbers::pi;
  const double z = -log_e / std::sqrt(pi * pi + log_e * log_e);
  return fmt::format(R"(
    <mujoco><compiler angle="radian" inertiafromgeom="false"/>
    <option gravity="0 0 -10" timestep="{}" integrator="RK4"/>
    <worldbody><body><joint axis="0 -1 0"/>
      <inertial pos="0 0 -0.5" mass="1" diaginertia="{} {} 1e-12"/>
      <body pos="0 0 -1"><joint axis="0 -1 0" limited="true" range="{} {}"
          solreflimit="{} {}" solimplimit="0.9999 0.9999 0.001"/>
        <inertial pos="0 0 -0.5" mass="1" diaginertia="{} {} 1e-12"/></body>
    </body></worldbody></mujoco>)",
                     kStep, 1.0 / 12, 1.0 / 12, kLower, kUpper, -kStiffness,
                     -2 * z * std::sqrt(kStiffness), 1.0 / 12, 1.0 / 12);
}

using Model3 = std::unique_ptr<mjModel, void (*)(mjModel*)>;

Model3 load(const std::string& xml) {
  const auto files = std::make_unique<mjVFS>();
  mj_defaultVFS(files.get());
  mj_makeEmptyFileVFS(files.get(), "model.xml", static_cast<int>(xml.size()));
  std::memcpy(files->filedata[0], xml.data(), xml.size());
  char error[1000] = "";
  Model3 model(mj_loadXML("model.xml", files.get(), error, sizeof error), mj_deleteModel);
  mj_deleteVFS(files.get());
  EXPECT_TRUE(model) << error;
  return model;
}

TEST(ContactsAgainstMujoco, ADoublePendulumWithStopsMovesAsWithStiffLimits) {
  for (const double e : {1.0, 0.6}) {
    const Model3 judge = load(limited(e));
    ASSERT_TRUE(judge);
    const std::unique_ptr<mjData, void (*)(mjData*)> data(mj_makeData(judge.get()), mj_deleteData);
    AnalyticSystem system = make_system("double-pendulum");
    system.set_constant("g", 10);
    const Channels channels = system_channels(system);
    const Contacts contacts = {joint_stop(channels, 1, true, kUpper, e),
                               joint_stop(channels, 1, false, kLower, e)};
    const std::vector<double> q0{1.2, 0.1}, v0{0.0, 3.0};
    const double h = 1e-3;
    const int steps = 1500;
    RolloutRequest request;
    request.trajectories = 1;
    request.steps = steps;
    request.q0 = q0;
    request.v0 = v0;
    request.h = {&h, 1};
    request.contacts = contacts;
    ThreadPool pool(1);
    const Rollout out = roll_out(Model(system), request, Integrator::rk4, pool);
    ASSERT_TRUE(out.all_ok());
    EXPECT_GE(out.events[0].size(), 3u);
    std::copy(q0.begin(), q0.end(), data->qpos);
    std::copy(v0.begin(), v0.end(), data->qvel);
    double worst = 0;
    for (int k = 0; k < steps; ++k) {
      for (int inner = 0; inner < 10; ++inner) mj_step(judge.get(), data.get());
      for (int i = 0; i < 2; ++i)
        worst = std::max(worst, std::fabs(out.q[2 * (k + 1) + i] - data->qpos[i]));
    }
    // A limit holds for pi / sqrt(k) = 2 ms, in which rigid stops have long let go.
    EXPECT_LT(worst, 0.03) << "e " << e;
    RecordProperty(fmt::format("worst_e{}", e), fmt::format("{:.4f}", worst));
  }
}

}  // namespace
}  // namespace mechfit
