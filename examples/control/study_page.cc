#include "examples/control/study_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "mechfit/integrate/simulate.h"
#include "mechfit/report/drawing.h"
#include "mechfit/report/html.h"
#include "mechfit/report/mechanism.h"
#include "mechfit/report/pages.h"

namespace control {
namespace {

constexpr Source kSources[] = {Source::truth, Source::log, Source::drawing};
const mechfit::Look kLooks[] = {{"ink"}, {"c0"}, {"c1"}};

const char* name_of(Source source) { return kSourceNames[static_cast<int>(source)]; }

std::string noise_text(double noise) { return fmt::format("{:.4g} mrad", 1e3 * noise); }

// Of a share with n runs, binomial.
double standard_error(const Success& s) {
  return s.runs > 0 ? std::sqrt(s.rate() * (1 - s.rate()) / s.runs) : 0;
}

// One figure of bars for each noise, a panel for each task.
mechfit::Figure success_bars(const StudyResults& results, std::size_t number) {
  const double noise = results.noises[number];
  mechfit::Figure figure;
  figure.id = fmt::format("success-{}", number);
  figure.title = "Encoders with noise of " + noise_text(noise);
  figure.caption = "Share of the machines that stand at the end; whiskers are one standard error.";
  mechfit::Table table{figure.id + "-data", figure.title};
  std::vector<std::string> systems, methods;
  std::vector<double> mean, error, runs, none;
  for (const Task& task : results.tasks)
    for (const Source source : kSources) {
      const Success success = success_of(results.swing_ups, task.name, noise, source);
      systems.push_back(task.title);
      methods.push_back(name_of(source));
      mean.push_back(success.rate());
      error.push_back(standard_error(success));
      runs.push_back(success.runs);
      none.push_back(0);
    }
  table.add("System", systems);
  table.add("Method", methods);
  table.add("Mean", mean);
  table.add("Standard error", error);
  table.add("Runs", runs);
  table.add("Left out", none);
  table.add("Failed", none);
  figure.drawing = {{"kind", "bars"},
                    {"table", table.id},
                    {"methods", kSourceNames},
                    {"y", "share of swing-ups that succeed"}};
  figure.tables.push_back(std::move(table));
  return figure;
}

std::string failures(const StudyResults& results, const Task& task, double noise, Source source) {
  std::vector<std::pair<std::string, int>> counts;
  for (const SwingUp& run : results.swing_ups) {
    if (run.task != task.name || run.noise != noise || run.source != source || run.trial.success)
      continue;
    const auto known = std::find_if(counts.begin(), counts.end(), [&](const auto& count) {
      return count.first == run.trial.failure;
    });
    if (known == counts.end())
      counts.emplace_back(run.trial.failure, 1);
    else
      ++known->second;
  }
  std::string text;
  for (const auto& [failure, count] : counts)
    text += fmt::format("{}{}: {}", text.empty() ? "" : ", ", failure, count);
  return text;
}

mechfit::Table success_table(const StudyResults& results) {
  mechfit::Table table{"success-table", "Swing-ups that succeed", 2};
  std::vector<std::string> task_cells, noise_cells, model_cells, why;
  std::vector<double> good, runs;
  for (const Task& task : results.tasks)
    for (const double noise : results.noises)
      for (const Source source : kSources) {
        const Success success = success_of(results.swing_ups, task.name, noise, source);
        task_cells.push_back(task.title);
        noise_cells.push_back(noise_text(noise));
        model_cells.push_back(name_of(source));
        good.push_back(success.good);
        runs.push_back(success.runs);
        why.push_back(failures(results, task, noise, source));
      }
  table.add("Task", task_cells);
  table.add("Encoder noise", noise_cells);
  table.add("Model", model_cells);
  table.add("Succeed", good);
  table.add("Of", runs);
  table.add("Failures", why);
  return table;
}

// What seed 0 did with each model: a panel for each joint and one for the input.
mechfit::Figure motion_figure(const StudyResults& results) {
  mechfit::Figure figure{"motions",
                         "",
                         "The machine of seed 0, moved by plans, filters and regulators of each "
                         "model. A curve ends where the cart leaves its rail or the estimate runs "
                         "away.",
                         mechfit::plot(1, "x"),
                         {}};
  for (const Task& task : results.tasks) {
    const auto names = task.nominal.joint_names();
    const auto units = mechfit::system_channels(task.nominal).units;
    nlohmann::json panels = nlohmann::json::array();
    for (std::size_t i = 0; i <= names.size(); ++i) {
      const bool input = i == names.size();
      const std::string what = input ? task.nominal.input_definitions()[0].name + " [" +
                                           task.nominal.input_definitions()[0].unit + "]"
                                     : names[i] + " [" + units[i] + "]";
      mechfit::Table data{fmt::format("motion-{}-{}", task.name, i), task.title + ", " + what};
      auto panel = mechfit::panel(data, "time [s]", what);
      for (const SwingUp& run : results.swing_ups) {
        if (run.task != task.name || run.seed != 0 || run.trial.t.empty() ||
            run.noise != results.noises[results.noises.size() / 2])
          continue;
        std::vector<double> y;
        for (std::size_t k = 0; k < run.trial.t.size(); ++k)
          y.push_back(input ? run.trial.u[k] : run.trial.q[k][i]);
        const int x = data.add(fmt::format("time of {} [s]", name_of(run.source)), run.trial.t);
        panel["series"].push_back(mechfit::series(data, x, name_of(run.source), std::move(y),
                                                  kLooks[static_cast<int>(run.source)]));
      }
      panels.push_back(std::move(panel));
      figure.tables.push_back(std::move(data));
    }
    figure.drawing["views"].push_back({{"name", task.title}, {"panels", std::move(panels)}});
  }
  return figure;
}

// The first task's machine in motion; one that left its rail stands still from there on.
std::optional<mechfit::Figure> animation(const StudyResults& results) {
  const Task& task = results.tasks.front();
  constexpr double kFrame = 0.04;  // [s]
  const std::size_t every = std::max(1L, std::lround(kFrame / task.h));
  std::vector<double> t;
  std::vector<mechfit::Motion> motions;
  for (const Source source : {Source::drawing, Source::log})
    for (const SwingUp& run : results.swing_ups) {
      if (run.task != task.name || run.seed != 0 || run.source != source || run.trial.t.empty() ||
          run.noise != results.noises[results.noises.size() / 2])
        continue;
      if (run.trial.t.size() / every > t.size()) {
        t.clear();
        for (std::size_t k = 0; k + every <= run.trial.t.size(); k += every)
          t.push_back(run.trial.t[k]);
      }
      motions.push_back({name_of(source), {}});
      for (std::size_t k = 0; k < run.trial.q.size(); k += every)
        motions.back().q.insert(motions.back().q.end(), run.trial.q[k].begin(),
                                run.trial.q[k].end());
    }
  const std::size_t n = task.nominal.joints();
  for (mechfit::Motion& motion : motions) {
    while (motion.q.size() < t.size() * n)
      for (std::size_t i = 0; i < n; ++i) motion.q.push_back(motion.q[motion.q.size() - n]);
    motion.q.resize(t.size() * n);
  }
  if (motions.empty()) return std::nullopt;
  const auto json = mechfit::animate(mechfit::Model(task.nominal), t, motions);
  if (!json) return std::nullopt;
  mechfit::Figure figure = mechfit::animation_figure(mechfit::Node(*json));
  figure.caption = task.title + " of seed 0, by the learned model; pale: by the drawings.";
  return figure;
}

mechfit::Section tracking_section(const StudyResults& results) {
  mechfit::Section section{
      "tracking",
      "Computed torque",
      "An arm of two joints follows a reference by the torques that a model computes for it, with "
      "low feedback gains. Root mean squares over seeds.",
      {}};
  mechfit::Table table{"tracking-table", "Tracking by noise and model", 1};
  std::vector<std::string> noise_cells, model_cells;
  std::vector<double> error, share;
  for (const double noise : results.noises)
    for (const Source source : kSources) {
      noise_cells.push_back(noise_text(noise));
      model_cells.push_back(name_of(source));
      error.push_back(1e3 * tracking_rms(results.tracking, noise, source, &Tracking::error));
      share.push_back(100 * tracking_rms(results.tracking, noise, source, &Tracking::feedback));
    }
  table.add("Encoder noise", noise_cells);
  table.add("Model", model_cells);
  table.add("Tracking error [mrad]", error);
  table.add("Share of feedback torque [%]", share);
  section.blocks.emplace_back(std::move(table));

  mechfit::Figure figure{"tracking-error", "", "The machine of seed 0.", mechfit::plot(1, "x"), {}};
  nlohmann::json panels = nlohmann::json::array();
  for (int i = 0; i < 2; ++i) {
    mechfit::Table data{fmt::format("tracking-error-{}", i), fmt::format("joint {}", i + 1)};
    auto panel = mechfit::panel(data, "time [s]", fmt::format("error of q{} [rad]", i + 1));
    int x = -1;
    for (const TrackingRun& run : results.tracking) {
      if (run.seed != 0 || run.noise != results.noises[results.noises.size() / 2]) continue;
      if (x < 0) x = data.add("time [s]", run.tracking.t);
      std::vector<double> y;
      for (std::size_t k = 0; k < run.tracking.t.size(); ++k)
        y.push_back(run.tracking.q[k][i] - run.tracking.reference[k][i]);
      panel["series"].push_back(mechfit::series(data, x, name_of(run.source), std::move(y),
                                                kLooks[static_cast<int>(run.source)]));
    }
    panels.push_back(std::move(panel));
    figure.tables.push_back(std::move(data));
  }
  figure.drawing["views"].push_back({{"name", "error"}, {"panels", std::move(panels)}});
  section.blocks.emplace_back(std::move(figure));
  return section;
}

}  // namespace

std::string study_page(const StudyResults& results) {
  mechfit::Page page;
  page.kind = "Study";
  page.title = "Models in a control loop";
  page.subtitle =
      "MuJoCo is the machine. Plans, filters and regulators come from one model each: the "
      "machine's "
      "true equations, a model learned from a short noisy log, or equations with the constants of "
      "its drawings.";
  if (!results.swing_ups.empty()) {
    for (const Source source : kSources) {
      Success all;
      for (const Task& task : results.tasks)
        for (const double noise : results.noises) {
          const Success one = success_of(results.swing_ups, task.name, noise, source);
          all.good += one.good;
          all.runs += one.runs;
        }
      page.headlines.push_back({fmt::format("{:.0f} %", 100 * all.rate()), name_of(source),
                                fmt::format("{} of {} swing-ups succeed", all.good, all.runs)});
    }
    mechfit::Section swing{"swing-up",
                           "Swing-up",
                           "Each seed is a machine of its own, whose constants lie within 20 % of "
                           "the nominal ones.",
                           {}};
    for (std::size_t i = 0; i < results.noises.size(); ++i)
      swing.blocks.emplace_back(success_bars(results, i));
    swing.blocks.emplace_back(success_table(results));
    page.sections.push_back(std::move(swing));
    mechfit::Section motions{"motion", "One machine", "What seed 0 did.", {}};
    if (auto figure = animation(results)) motions.blocks.emplace_back(std::move(*figure));
    motions.blocks.emplace_back(motion_figure(results));
    page.sections.push_back(std::move(motions));
  }
  if (!results.tracking.empty()) page.sections.push_back(tracking_section(results));
  page.settings = {{"Command", results.command}};
  return mechfit::render_html(page);
}

}  // namespace control
