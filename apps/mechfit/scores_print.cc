#include "scores_print.h"

#include <cmath>
#include <cstdio>

#include "mechfit/evaluate/verdict.h"
#include "terminal.h"

namespace mechfit {
namespace {

std::string joint_label(const Channels& channels, int joint) {
  const std::string& unit = channels.units[joint];
  return channels.joints[joint] + (unit.empty() ? "" : " [" + unit + "]");
}

bool same_units(const Channels& channels) {
  for (const auto& unit : channels.units)
    if (unit != channels.units[0]) return false;
  return true;
}

void print_accelerations(const Channels& channels, const Scores& scores) {
  const int n = channels.n();
  const bool overall = n > 1 && same_units(channels);
  std::vector<std::string> header = {"accelerations, mean squared error"};
  for (int i = 0; i < n; ++i) header.push_back(channels.joints[i]);
  if (overall) header.push_back("all joints");
  Table table(header);
  const auto row = [&](const char* name, const AccelerationError& error) {
    std::vector<std::string> cells = {name};
    for (const double mse : error.joint_mse) cells.push_back(short_number(mse));
    if (overall) cells.push_back(short_number(error.mse));
    table.add(cells);
  };
  row(scores.logged_accelerations ? "  model" : "  model, from smoothed ones", scores.acceleration);
  row("  predict zero", scores.acceleration_zero);
  row("  predict their mean", scores.acceleration_mean);
  table.print();
}

// What the observations themselves say of the model's accelerations.
void print_model_error(const Channels& channels, const Scores& scores) {
  if (!scores.model_error) return;
  const ModelError& error = *scores.model_error;
  std::vector<std::string> header = {"accelerations, seen in the observations, rms"},
                           model = {"  error of the model"}, size = {"  they themselves"},
                           noise = {"  noise of the positions"};
  for (int i = 0; i < channels.n(); ++i) {
    header.push_back(channels.joints[i]);
    model.push_back(short_number(error.joint[i]));
    size.push_back(short_number(error.acceleration[i]));
    noise.push_back(short_number(error.noise[i]));
  }
  Table table(header);
  table.add(model);
  table.add(size);
  table.add(noise);
  table.print();
  std::printf("  error over all joints %s, with 90 %% probability between %s and %s\n\n",
              short_number(error.overall).c_str(), short_number(error.low).c_str(),
              short_number(error.high).c_str());
}

// What the inputs pushed against what the model would have them push.
void print_torques(const Channels& channels, const Scores& scores) {
  const TorqueError& error = scores.torque;
  if (error.joints.empty()) return;
  std::vector<std::string> header = {"torques of the inputs"},
                           model = {"  model, squared error over variance"},
                           friction = {"  friction alone, likewise"}, rms = {"  model, rms error"},
                           size = {"  they themselves, standard deviation"};
  for (std::size_t k = 0; k < error.joints.size(); ++k) {
    header.push_back(channels.joints[error.joints[k]]);
    model.push_back(short_number(error.nmse[k]));
    friction.push_back(short_number(error.friction[k]));
    rms.push_back(short_number(error.rms[k]));
    size.push_back(short_number(error.size[k]));
  }
  Table table(header);
  for (const auto& row : {model, friction, rms, size}) table.add(row);
  table.print();
  std::puts("  predicting their mean has 1; friction: viscous, Coulomb, offset of the own joint\n");
}

void print_rollouts(const Channels& channels, const Scores& scores) {
  const auto& horizons = scores.rollout.horizons;
  if (horizons.empty()) return;
  const int n = channels.n();
  std::vector<std::string> header = {"rollouts, rms error after"}, starts = {"  starts"},
                           failed = {"  failed"};
  int failures = 0;
  for (const HorizonScore& h : horizons) {
    header.push_back(short_number(h.seconds) + " s");
    starts.push_back(std::to_string(h.starts));
    failed.push_back(std::to_string(std::max(h.variational_failed, h.rk4_failed)));
    failures += h.variational_failed + h.rk4_failed;
  }
  Table table(header);
  const auto rows = [&](const std::string& name, JointErrors HorizonScore::*errors, bool joints) {
    const bool overall = same_units(channels);
    if (overall) {
      std::vector<std::string> cells = {"  " + name};
      for (const HorizonScore& h : horizons) cells.push_back(short_number((h.*errors).overall));
      table.add(cells);
    }
    if (overall && (!joints || n == 1)) return;
    for (int i = 0; i < n; ++i) {
      std::vector<std::string> cells = {overall ? "    " + joint_label(channels, i)
                                                : "  " + name + ", " + joint_label(channels, i)};
      for (const HorizonScore& h : horizons) cells.push_back(short_number((h.*errors).joint[i]));
      table.add(cells);
    }
  };
  rows("model", &HorizonScore::variational, true);
  rows("model, Runge-Kutta 4", &HorizonScore::rk4, false);
  rows("constant velocity", &HorizonScore::velocity, false);
  rows("stay put", &HorizonScore::stay, false);
  if (!horizons[0].variational_observed.joint.empty() && same_units(channels)) {
    std::vector<std::string> cells = {"  model, in the observations less their noise"};
    for (const HorizonScore& h : horizons)
      cells.push_back(h.judgeable ? short_number(h.variational_observed.overall) : "noise");
    table.add(cells);
  }
  table.add(starts);
  if (failures > 0) table.add(failed);
  table.print();
  if (failures > 0)
    std::printf("  failed rollouts (%s) count with the worse baseline's error\n",
                scores.rollout.first_failure.c_str());
}

void print_coverage(const Scores& scores) {
  if (scores.coverage.empty()) return;
  std::vector<std::string> header = {"share of measured values inside bands that should hold"},
                           accelerations = {"  accelerations"}, rollouts = {"  rollouts"};
  const auto percent = [](double share) {
    return std::isnan(share) ? std::string("-") : short_number(100 * share) + " %";
  };
  for (const BandCoverage& band : scores.coverage) {
    header.push_back(percent(band.band));
    accelerations.push_back(percent(band.acceleration));
    rollouts.push_back(percent(band.rollout));
  }
  Table table(header);
  table.add(accelerations);
  table.add(rollouts);
  table.print();
  std::puts("  bands from what is unsure about the model, its error and the start\n");
}

}  // namespace

void print_scores(const Channels& channels, const Scores& scores) {
  const auto source = [](bool logged) { return logged ? "logged" : "smoothed"; };
  std::printf("%d run%s, %d samples, %s s; velocities %s, accelerations %s\n\n", scores.runs,
              scores.runs == 1 ? "" : "s", scores.samples, short_number(scores.seconds).c_str(),
              source(scores.logged_velocities), source(scores.logged_accelerations));
  print_torques(channels, scores);
  print_model_error(channels, scores);
  print_accelerations(channels, scores);
  std::puts("");
  print_rollouts(channels, scores);
  if (scores.start == StartKind::estimated)
    std::printf("  started from states estimated by %d samples each\n", scores.window);
  std::puts("");

  print_coverage(scores);
  Table table({"other figures", ""});
  const bool overall = same_units(channels);
  const auto add = [&](const std::string& name, const JointErrors& errors) {
    if (overall) table.add({"  " + name, short_number(errors.overall)});
    for (int i = 0; !overall && i < channels.n(); ++i)
      table.add({"  " + name + ", " + channels.joints[i], short_number(errors.joint[i])});
  };
  add("next position, rms error", scores.next_state.q);
  add("  constant velocity", scores.next_state.q_baseline);
  add("next velocity, rms error", scores.next_state.v);
  add("  constant velocity", scores.next_state.v_baseline);
  add("DEL residual as acceleration, rms", scores.del.acceleration);
  table.add({"  energy drift of rollouts",
             short_number(100 * scores.rollout.energy_drift) + " % of the kinetic energy"});
  table.add({"  smallest eigenvalue of M", short_number(scores.mass.smallest)});
  table.print();

  const Verdict verdict = judge(scores);
  std::printf("\nVerdict: %s. %s\n", verdict.words.c_str(), verdict.good_for.c_str());
  for (const std::string& limit : verdict.limits) std::printf("  %s\n", with_flags(limit).c_str());
  for (const std::string& advice : verdict.advice)
    std::printf("  %s\n", with_flags(advice).c_str());
}

}  // namespace mechfit
