// Our side of bench/compare.
//   compare_steps N WIDTH write FILE   weights, samples, batches, our losses and gradients
//   compare_steps N WIDTH serve        for every name read from stdin: seconds per step
//   compare_steps N WIDTH about        compiler, instruction set, peak in GFLOP/s
#include <time.h>

#include <functional>
#include <iostream>
#include <map>
#include <string>

#include "bench/peak.h"
#include "bench/steps.h"
#include "mechfit/base/error.h"
#include "mechfit/files/files.h"
#include "mechfit/files/safetensors.h"

namespace mechfit::bench {
namespace {

double processor_time() {
  timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

// Best of several batches, the same procedure as the peer's.
double seconds_per_step(const std::function<void()>& step) {
  step();
  double start = processor_time();
  step();
  const int count = std::max(1, static_cast<int>(0.02 / (processor_time() - start)));
  double best = 1e300;
  for (int batch = 0; batch < 6; ++batch) {
    start = processor_time();
    for (int i = 0; i < count; ++i) step();
    best = std::min(best, (processor_time() - start) / count);
  }
  return best;
}

struct Named {
  const char* name;
  FitMethod method;
  bool force;
};
constexpr Named kObjectives[] = {
    {"del", FitMethod::del, false},
    {"forced_del", FitMethod::del, true},
    {"gauge_free", FitMethod::gauge_free, false},
    {"acceleration", FitMethod::acceleration, false},
    {"next_state", FitMethod::next_state, false},
    {"forced_acceleration", FitMethod::acceleration, true},
    {"forced_next_state", FitMethod::next_state, true},
};

void write(int n, int width, const std::string& path) {
  Safetensors file;
  auto add = [&](const std::string& name, std::vector<std::int64_t> shape, auto values) {
    file.tensors[name] = {std::move(shape), std::move(values)};
  };
  auto add_vector = [&](const std::string& name, std::span<const double> x) {
    add(name, {static_cast<std::int64_t>(x.size())}, std::vector<double>(x.begin(), x.end()));
  };
  // a batch's items as numbers of their first samples
  auto add_batch = [&](const std::string& name, const std::vector<int>& batch,
                       const std::vector<int>& first) {
    std::vector<std::int64_t> rows;
    for (int item : batch) rows.push_back(first.empty() ? item : first[item]);
    add(name, {kBatch}, std::move(rows));
  };
  const Samples s = paper_sized_motion(n);
  add("shape", {2}, std::vector<std::int64_t>{n, width});
  add_vector("h", std::span(s.h).first(1));
  for (auto [name, x] : {std::pair{"q", &s.q}, {"v", &s.v}, {"a", &s.a}})
    add(name, {s.size, n}, *x);
  for (const auto& [name, method, force] : kObjectives) {
    ObjectiveStep step(method, n, width, force);
    add_vector(std::string(name) + ".loss", std::vector{step()});
    add_vector(std::string(name) + ".gradient", step.gradient);
    if (std::string(name) == "del") add_batch("triples", step.batch, s.triples);
    if (std::string(name) == "acceleration") add_batch("samples", step.batch, {});
    if (std::string(name) == "next_state") add_batch("pairs", step.batch, s.pairs);
    if (method == FitMethod::del) add_vector(force ? "forced.theta" : "theta", step.theta);
  }
  BarrierPass barrier(n, width);
  add_vector("barrier.loss", std::vector{BarrierPass::kWeight * barrier()});
  add_vector("barrier.gradient", barrier.gradient);
  add_vector("alpha", std::vector{barrier.barrier.alpha()});
  add_vector("mu", std::vector{BarrierPass::kWeight});
  write_file_atomically(path, format_safetensors(file));
}

void serve(int n, int width) {
  std::map<std::string, std::function<double()>> measure;
  auto offer = [&](const std::string& name, auto make) {
    measure[name] = [make] {
      auto step = make();
      return seconds_per_step([&] { (*step)(); });
    };
  };
  for (const auto& objective : kObjectives)
    offer(objective.name, [=] {
      return std::make_unique<ObjectiveStep>(objective.method, n, width, objective.force);
    });
  offer("barrier", [=] { return std::make_unique<BarrierPass>(n, width); });
  offer("full_del_step", [=] { return std::make_unique<FullDelStep>(n, width, false); });
  offer("full_forced_del_step", [=] { return std::make_unique<FullDelStep>(n, width, true); });
  std::string name;
  while (std::getline(std::cin, name)) std::cout << measure.at(name)() << std::endl;
}

void about() {
#ifdef __clang__
  std::cout << "clang++ " << __clang_version__ << "\n";
#else
  std::cout << "g++ " << __VERSION__ << "\n";
#endif
  std::cout << instruction_set() << "\n" << peak_gflops() << "\n";
}

}  // namespace
}  // namespace mechfit::bench

int main(int argc, char** argv) {
  try {
    mechfit::bench::restrict_instruction_set();
    const std::vector<std::string> arguments(argv + 1, argv + argc);
    if (arguments.size() < 3)
      throw mechfit::InputError("compare_steps N WIDTH write FILE | serve | about");
    const int n = std::stoi(arguments[0]), width = std::stoi(arguments[1]);
    if (arguments[2] == "write")
      mechfit::bench::write(n, width, arguments.at(3));
    else if (arguments[2] == "about")
      mechfit::bench::about();
    else
      mechfit::bench::serve(n, width);
    return 0;
  } catch (const std::exception& error) {
    std::cerr << "compare_steps: " << error.what() << "\n";
    return 1;
  }
}
