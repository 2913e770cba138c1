#include "examples/control/study.h"

#include <cmath>
#include <optional>

#include "examples/control/spread.h"
#include "mechfit/base/error.h"
#include "mechfit/integrate/simulate.h"

namespace control {
namespace {

// The encoders' noise of a seed is one stream while it is recorded, another one in the loop.
Machine machine_for_log(const mechfit::AnalyticSystem& system, double h, double noise, int seed) {
  return Machine(system, h, noise, 2 * seed);
}
Machine machine_for_trial(const mechfit::AnalyticSystem& system, double h, double noise, int seed) {
  return Machine(system, h, noise, 2 * seed + 1);
}

// The model of a source, or why there is none.
struct Attempt {
  std::optional<mechfit::Model> model;
  std::string failure = {};
};

Attempt learned(const Recording& recording, const mechfit::Channels& channels,
                const std::vector<std::string>& driven, const mechfit::AnalyticSystem& system,
                double noise, int seed, const std::string& family) {
  Machine machine = machine_for_log(system, recording.h, noise, seed);
  try {
    return {learn(record(recording, channels, machine, seed), driven, family)};
  } catch (const mechfit::InputError& error) {
    return {std::nullopt, error.what()};
  }
}

void forget_motion(Trial& trial) {
  trial.t.clear();
  trial.u.clear();
  trial.q.clear();
}

}  // namespace

std::vector<SwingUp> swing_ups(const Task& task, int seed, const std::vector<double>& noises,
                               const std::string& family) {
  const mechfit::AnalyticSystem system = machine_of(task.nominal, seed);
  std::vector<SwingUp> out;
  const auto attempt = [&](const mechfit::Model& model, const Controller& controller, double noise,
                           Source source) {
    Machine machine = machine_for_trial(system, task.h, noise, seed);
    Trial trial = swing_up(task, controller, model, machine, noise);
    if (seed != 0) forget_motion(trial);
    out.push_back({task.name, seed, noise, source, std::move(trial)});
  };
  // Plans and regulators do not depend on the noise unless their model does.
  for (const Source source : {Source::truth, Source::drawing}) {
    const mechfit::Model model(source == Source::truth ? system : drawing_of(system, seed));
    const Controller controller = make_controller(task, model);
    for (const double noise : noises) attempt(model, controller, noise, source);
  }
  for (const double noise : noises) {
    const Attempt fit = learned(task.recording, mechfit::system_channels(task.nominal),
                                {task.driven}, system, noise, seed, family);
    if (fit.model) {
      attempt(*fit.model, make_controller(task, *fit.model), noise, Source::log);
    } else {
      out.push_back({task.name, seed, noise, Source::log, {}});
      out.back().trial.failure = fit.failure;
    }
  }
  return out;
}

std::vector<TrackingRun> tracking_runs(const TrackingTask& task, int seed,
                                       const std::vector<double>& noises,
                                       const std::string& family) {
  const mechfit::AnalyticSystem system = machine_of(task.nominal, seed);
  std::vector<TrackingRun> out;
  for (const double noise : noises) {
    const Attempt fit =
        learned(task.recording, task.channels, task.channels.joints, system, noise, seed, family);
    if (!fit.model) throw mechfit::InputError("tracking: " + fit.failure);
    const mechfit::Model models[] = {mechfit::Model(system), *fit.model,
                                     mechfit::Model(drawing_of(system, seed))};
    for (const Source source : {Source::truth, Source::log, Source::drawing}) {
      Machine machine = machine_for_trial(system, task.h, noise, seed);
      Tracking tracking = track(task, models[static_cast<int>(source)], machine, seed);
      if (seed != 0) tracking = {tracking.error, tracking.feedback, {}, {}, {}};
      out.push_back({seed, noise, source, std::move(tracking)});
    }
  }
  return out;
}

Success success_of(const std::vector<SwingUp>& runs, const std::string& task, double noise,
                   Source source) {
  Success out;
  for (const SwingUp& run : runs)
    if (run.task == task && run.noise == noise && run.source == source) {
      ++out.runs;
      out.good += run.trial.success;
    }
  return out;
}

double tracking_rms(const std::vector<TrackingRun>& runs, double noise, Source source,
                    double Tracking::*number) {
  double sum = 0;
  int count = 0;
  for (const TrackingRun& run : runs)
    if (run.noise == noise && run.source == source) {
      sum += run.tracking.*number * run.tracking.*number;
      ++count;
    }
  return std::sqrt(sum / count);
}

}  // namespace control
