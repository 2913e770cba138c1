#include "mechfit/estimate/kalman/series_model.h"

namespace mechfit {

ModelFit fit_paper_models(std::span<const Series> series, int iterations, ThreadPool& pool,
                          const Tick& tick) {
  ModelFit fit;
  // The paper's process noise per sample of (q, qd, qdd), in radians and seconds.
  fit.family.fixed_noise[0] = 1e-3;
  fit.family.fixed_noise[1] = 1e-3;
  fit.family.fixed_noise[2] = 1;
  fit.models.resize(series.size());

  const auto groups = lane_groups(series, pool.size());
  pool.run(static_cast<int>(groups.size()), [&](int task, int) {
    const std::vector<int>& group = groups[task];
    const int lanes = static_cast<int>(group.size());
    std::vector<Series> members(lanes);
    for (int lane = 0; lane < lanes; ++lane) members[lane] = series[group[lane]];
    LaneKalman kalman(members);
    LaneParameters parameters = fit.family;
    for (int lane = 0; lane < lanes; ++lane) parameters.r[lane] = 1;
    std::vector<StatePrior> priors(lanes);
    std::vector<LaneSummary> summaries(lanes);
    for (int i = 0; i < iterations; ++i) {
      // E: smooth. M: R = mean E (y - q)^2, first sample ~ its smoothed distribution.
      kalman.smooth(parameters, priors, summaries);
      for (int lane = 0; lane < lanes; ++lane) {
        const LaneSummary& s = summaries[lane];
        parameters.r[lane] = s.residual / s.counted;
        priors[lane] = s.first;
        fit.models[group[lane]].history.push_back(s.log_likelihood(1));
      }
      if (tick) tick(static_cast<double>(lanes) * kalman.samples());
    }
    for (int lane = 0; lane < lanes; ++lane) {
      fit.models[group[lane]].r = parameters.r[lane];
      fit.models[group[lane]].prior = priors[lane];
    }
  });
  return fit;
}

}  // namespace mechfit
