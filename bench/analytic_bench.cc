#include <benchmark/benchmark.h>

#include "mechfit/base/random.h"
#include "mechfit/mechanics/families/analytic/analytic.h"
#include "tests/support/arms.h"

// Operations of the door on one block of kBlock points.
namespace mechfit {
namespace {

template <class L>
struct Block {
  explicit Block(const L& system)
      : n(system.joints()),
        w(system.make_workspace()),
        q(make_panel(n)),
        v(q),
        a(q),
        b(q),
        p(q),
        f(q) {
    Random random(1);
    for (auto* panel : {&q, &v, &a, &b})
      for (double& value : *panel) value = random.uniform(-1, 1);
  }
  int n;
  typename L::Workspace w;
  AlignedVector q, v, a, b, p, f;
};

void forces(benchmark::State& state) {
  const AnalyticSystem system = make_system("chain", static_cast<int>(state.range(0)));
  Block x(system);
  for (auto _ : state)
    system.forces({x.q.data(), x.v.data(), nullptr}, x.p.data(), x.f.data(), x.w);
  state.SetItemsProcessed(state.iterations() * kBlock);
}

void pullback(benchmark::State& state) {
  const AnalyticSystem system = make_system("chain", static_cast<int>(state.range(0)));
  Block x(system);
  system.forces({x.q.data(), x.v.data(), nullptr}, x.p.data(), x.f.data(), x.w);
  for (auto _ : state) system.pullback({.a = x.a.data(), .b = x.b.data()}, {.theta = true}, x.w);
  state.SetItemsProcessed(state.iterations() * kBlock);
}

// The Panda's geometry, 7 joints, with friction.
Arm panda_arm() {
  Random random(2);
  return testing::random_arm(testing::panda(), 0, true, random);
}

void arm_forces(benchmark::State& state) {
  const Arm arm = panda_arm();
  Block x(arm);
  for (auto _ : state) arm.forces({x.q.data(), x.v.data(), nullptr}, x.p.data(), x.f.data(), x.w);
  state.SetItemsProcessed(state.iterations() * kBlock);
}

void arm_pullback(benchmark::State& state) {
  const Arm arm = panda_arm();
  Block x(arm);
  AlignedVector lanes = make_panel(arm.parameter_count());
  const bool each_lane = state.range(0) == 1;
  arm.forces({x.q.data(), x.v.data(), nullptr}, x.p.data(), x.f.data(), x.w);
  for (auto _ : state)
    arm.pullback({.a = x.a.data(), .b = x.b.data()},
                 {.theta = !each_lane, .theta_lanes = each_lane ? lanes.data() : nullptr}, x.w);
  state.SetItemsProcessed(state.iterations() * kBlock);
}

BENCHMARK(arm_forces)->Name("arm/panda/forces");
BENCHMARK(arm_pullback)->Name("arm/panda/pullback")->ArgName("each_lane")->Arg(0)->Arg(1);
BENCHMARK(forces)->Name("analytic/chain/forces")->Arg(1)->Arg(2)->Arg(7)->Arg(14);
BENCHMARK(pullback)->Name("analytic/chain/pullback")->Arg(1)->Arg(2)->Arg(7)->Arg(14);

}  // namespace
}  // namespace mechfit

BENCHMARK_MAIN();
