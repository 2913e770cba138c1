// Rate of reading and writing logs, in bytes of the file per second. Two dresses: numbers as short
// as a logger prints them, and doubles with all their digits.
#include <benchmark/benchmark.h>

#include <cmath>

#include "mechfit/base/random.h"
#include "mechfit/files/csv.h"
#include "mechfit/files/npz_log.h"

namespace mechfit {
namespace {

Log make_log(bool all_digits) {
  constexpr int kSamples = 400'000;
  Random random(1);
  Log log;
  log.channels = {{"q1", "q2"}, {JointType::plain, JointType::plain}, {"", ""}, {"u1"}};
  Trajectory& run = log.runs.emplace_back();
  run.name = "0";
  const auto value = [&] {
    const double x = random.uniform(-3.0, 3.0);
    return all_digits ? x : std::round(x * 1e5) / 1e5;
  };
  for (int k = 0; k < kSamples; ++k) {
    run.t.push_back(k / 1000.0);
    run.q.push_back(value());
    run.q.push_back(value());
    run.u.push_back(value());
  }
  return log;
}

void set_rate(benchmark::State& state, std::size_t bytes) {
  state.SetBytesProcessed(static_cast<std::int64_t>(bytes) * state.iterations());
  state.counters["MB"] = static_cast<double>(bytes) / 1e6;
}

void ReadCsv(benchmark::State& state) {
  const std::string text = format_csv(make_log(state.range(0) != 0));
  std::vector<std::string> notes;
  for (auto _ : state) benchmark::DoNotOptimize(parse_csv(text, "log.csv", {}, notes));
  set_rate(state, text.size());
}
BENCHMARK(ReadCsv)->ArgName("all_digits")->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond);

void WriteCsv(benchmark::State& state) {
  const Log log = make_log(state.range(0) != 0);
  std::size_t size = 0;
  for (auto _ : state) {
    const std::string text = format_csv(log);
    size = text.size();
    benchmark::DoNotOptimize(text.data());
  }
  set_rate(state, size);
}
BENCHMARK(WriteCsv)->ArgName("all_digits")->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond);

void ReadNpz(benchmark::State& state) {
  const std::string bytes = format_npz_log(make_log(true));
  std::vector<std::string> notes;
  for (auto _ : state) benchmark::DoNotOptimize(parse_npz_log(bytes, "log.npz", {}, notes));
  set_rate(state, bytes.size());
}
BENCHMARK(ReadNpz)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace mechfit

BENCHMARK_MAIN();
