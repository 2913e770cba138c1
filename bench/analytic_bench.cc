#include <benchmark/benchmark.h>

#include "mechfit/base/random.h"
#include "mechfit/mechanics/families/analytic/analytic.h"

// Operations of the door on one block of kBlock points.
namespace mechfit {
namespace {

struct Block {
  explicit Block(const AnalyticSystem& system)
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
  AnalyticSystem::Workspace w;
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

BENCHMARK(forces)->Name("analytic/chain/forces")->Arg(1)->Arg(2)->Arg(7)->Arg(14);
BENCHMARK(pullback)->Name("analytic/chain/pullback")->Arg(1)->Arg(2)->Arg(7)->Arg(14);

}  // namespace
}  // namespace mechfit

BENCHMARK_MAIN();
