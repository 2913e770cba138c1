#include "examples/control/recording.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "mechfit/integrate/input_signal.h"

namespace control {

namespace {
constexpr std::uint64_t kStartStream = 2;
}

mechfit::Log record(const Recording& recording, const mechfit::Channels& channels, Machine& machine,
                    std::uint64_t seed) {
  mechfit::Log log;
  log.channels = channels;
  mechfit::Random random(seed, kStartStream);
  const int samples = static_cast<int>(std::lround(recording.seconds / recording.h)) + 1;
  const int m = channels.m();
  const mechfit::InputOptions sines{mechfit::InputSignal::sines, 1, 0.1, recording.fastest};
  for (int r = 0; r < recording.runs; ++r) {
    std::vector<double> start;
    for (const double reach : recording.start) start.push_back(random.uniform(-reach, reach));
    machine.place(start);
    mechfit::Trajectory run;
    run.name = "run " + std::to_string(r);
    for (int k = 0; k < samples; ++k) run.t.push_back(k * recording.h);
    run.u = mechfit::make_input(sines, m, run.t, seed, r);
    for (int k = 0; k < samples; ++k) {
      const Vector seen = machine.encoders();
      run.q.insert(run.q.end(), seen.begin(), seen.end());
      std::vector<double> u(m);
      for (int i = 0; i < m; ++i) {
        u[i] = recording.sines[i] * run.u[k * m + i];
        if (i == 0) u[i] -= recording.spring * seen[0];
        run.u[k * m + i] = u[i] = std::clamp(u[i], -recording.limit, recording.limit);
      }
      machine.drive(u);
    }
    log.runs.push_back(std::move(run));
  }
  return log;
}

}  // namespace control
