// Forward dynamics and derivatives of a model at one point: the library's (PointDynamics) beside
// the exported C99 header's, compiled by cc as docs/export.md says, in one run.
#include <benchmark/benchmark.h>
#include <dlfcn.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "bench/bench_models.h"
#include "bench/peak.h"
#include "mechfit/export/c_export.h"
#include "mechfit/mechanics/families/analytic/analytic.h"
#include "mechfit/mechanics/families/trig/trig.h"
#include "mechfit/mechanics/point.h"

namespace mechfit::bench {
namespace {

namespace fs = std::filesystem;
using Acceleration = int(const double*, const double*, const double*, double*);
using Jacobians = int(const double*, const double*, const double*, double*, double*, double*,
                      double*);

constexpr char kCalls[] = R"(#include "model.h"
int acceleration(const double* q, const double* v, const double* u, double* a) {
  return model_acceleration(q, v, u, a);
}
int jacobians(const double* q, const double* v, const double* u, double* a, double* a_q,
              double* a_v, double* a_u) {
  return model_acceleration_jacobians(q, v, u, a, a_q, a_v, a_u);
}
)";

// The two functions of an exported model, behind a call through a pointer. Stays loaded.
struct Exported {
  explicit Exported(const Model& model) {
    static int made = 0;
    const fs::path folder =
        fs::temp_directory_path() / fmt::format("mechfit_bench_{}_{}", getpid(), ++made);
    fs::create_directories(folder);
    ModelRecord record{model, {}, {}};
    record.channels.joint_types = model.joint_types();
    for (int i = 0; i < model.joints(); ++i) {
      record.channels.joints.push_back(fmt::format("q{}", i + 1));
      record.channels.units.emplace_back();
    }
    for (int i = 0; i < model.inputs(); ++i)
      record.channels.inputs.push_back(fmt::format("u{}", i + 1));
    std::ofstream(folder / "model.h") << export_c(record, {});
    std::ofstream(folder / "calls.c") << kCalls;
    const std::string command =
        fmt::format("cd {} && cc -std=c99 -O3 -march=native -shared -fPIC calls.c -o calls.so -lm",
                    folder.string());
    if (std::system(command.c_str()) != 0) throw std::runtime_error("failed: " + command);
    void* library = dlopen((folder / "calls.so").c_str(), RTLD_NOW | RTLD_LOCAL);
    fs::remove_all(folder);
    if (library == nullptr) throw std::runtime_error(dlerror());
    acceleration = reinterpret_cast<Acceleration*>(dlsym(library, "acceleration"));
    jacobians = reinterpret_cast<Jacobians*>(dlsym(library, "jacobians"));
  }

  Acceleration* acceleration;
  Jacobians* jacobians;
};

// A model with room for its results, at points of a motion, so that no call repeats the one before.
struct Subject {
  explicit Subject(Model m)
      : model(std::move(m)),
        n(model.joints()),
        samples(motion(n, 1, 256)),
        u(model.inputs() + 1, 0.1),
        a(n),
        A(4 * n * n),
        B(2 * n * model.inputs() + 1) {}

  const double* q() const { return &samples.q[at * n]; }
  const double* v() const { return &samples.v[at * n]; }
  std::span<const double> row(const double* x) const { return {x, static_cast<std::size_t>(n)}; }
  std::span<const double> input() const { return std::span(u).first(model.inputs()); }
  void next() { at = (at + 1) % samples.size; }

  Model model;
  int n;
  Samples samples;
  std::vector<double> u, a, A, B;
  int at = 0;
};

template <class Call>
void repeat(benchmark::State& state, Subject& s, const Call& call) {
  for (auto _ : state) {
    if (!call()) return state.SkipWithError("M is not positive definite");
    benchmark::DoNotOptimize(s.a.data());
    s.next();
  }
}

void add(const std::string& name, const Model& model) {
  const auto subject = std::make_shared<Subject>(model);
  const auto point = std::make_shared<PointDynamics>(subject->model);
  const Exported exported(model);
  const auto begin = [&](const char* what, const auto& call) {
    benchmark::RegisterBenchmark((name + "/" + what).c_str(), [subject, call](auto& state) {
      repeat(state, *subject, call);
    })->Unit(benchmark::kNanosecond);
  };
  Subject& s = *subject;
  begin("acceleration/library",
        [&s, point] { return point->acceleration(s.row(s.q()), s.row(s.v()), s.input(), s.a); });
  begin("acceleration/export", [&s, exported] {
    return exported.acceleration(s.q(), s.v(), s.u.data(), s.a.data()) == 0;
  });
  begin("derivatives/library", [&s, point] {
    return point->linearize(s.row(s.q()), s.row(s.v()), s.input(), s.A,
                            std::span(s.B).first(2 * s.n * s.model.inputs()));
  });
  begin("derivatives/export", [&s, exported] {
    return exported.jacobians(s.q(), s.v(), s.u.data(), s.a.data(), s.A.data(),
                              s.A.data() + s.n * s.n, s.B.data()) == 0;
  });
}

// With every coefficient, as before a fit prunes: two angles, friction, one input.
Model trig(int degree) {
  TrigConfig config;
  config.joints.assign(2, JointType::periodic);
  config.inputs = 1;
  config.input_matrix = {1, 0};
  config.degree = degree;
  config.friction = true;
  Trig trig(with_default_terms(config));
  Random random(3);
  std::vector<double> theta(trig.parameters().begin(), trig.parameters().end());
  // So small that M stays positive definite.
  for (double& value : theta) value += random.uniform(-0.01, 0.01);
  for (int i = trig.friction_offset(); i < trig.input_offset(); ++i) theta[i] = 0.1;
  trig.set_parameters(theta);
  return Model(std::move(trig));
}

}  // namespace
}  // namespace mechfit::bench

int main(int argc, char** argv) {
  using namespace mechfit;
  bench::restrict_instruction_set();
  benchmark::Initialize(&argc, argv);
  for (const char* name : {"double-pendulum", "cart-pole", "furuta", "acrobot"})
    bench::add(name, Model(make_system(name)));
  for (int degree : {1, 2}) bench::add("trig" + std::to_string(degree), bench::trig(degree));
  for (auto [n, width] : {std::pair{2, 16}, {2, 32}, {2, 64}, {4, 64}, {7, 128}})
    bench::add(fmt::format("smm/n:{}/width:{}", n, width), bench::network(n, width, false));
  benchmark::RunSpecifiedBenchmarks();
}
