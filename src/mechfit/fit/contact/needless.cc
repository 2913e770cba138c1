#include "mechfit/fit/contact/needless.h"

#include <algorithm>
#include <cmath>

#include "mechfit/base/constants.h"
#include "mechfit/log/split.h"

namespace mechfit {

void drop_needless(const Model& model, const MotionNoise& noise, const Log& log, const CutLog& cut,
                   const MotionSteps& steps, double price, std::vector<Impact>& impacts,
                   ThreadPool& pool) {
  const int n = log.n();
  const auto motions = part_motions(model, noise, on_steps(cut.log, steps), pool);
  Log joined;
  joined.channels = log.channels;
  std::vector<int> of(impacts.size(), -1);  // its run in `joined`
  for (std::size_t i = 0; i < impacts.size(); ++i) {
    const int behind = cut.behind[i], ahead = cut.ahead[i];
    if (impacts[i].rests() || behind < 0 || ahead < 0) continue;
    if (!motions[behind].ok || !motions[ahead].ok) continue;
    const CutLog::Part &a = cut.parts[behind], &b = cut.parts[ahead];
    of[i] = static_cast<int>(joined.runs.size());
    joined.runs.push_back(slice(log.runs[a.run], n, log.m(), a.begin, b.end));
    auto& q = joined.runs.back().q;
    std::fill(q.begin() + (a.end - a.begin) * n, q.begin() + (b.begin - a.begin) * n, kNan);
  }
  if (joined.runs.empty()) return;
  const auto as_one = part_motions(model, noise, on_steps(joined, steps), pool);
  std::vector<Impact> kept;
  for (std::size_t i = 0; i < impacts.size(); ++i) {
    bool needless = false;
    if (of[i] >= 0 && as_one[of[i]].ok) {
      const CutLog::Part &a = cut.parts[cut.behind[i]], &b = cut.parts[cut.ahead[i]];
      const auto& t = log.runs[a.run].t;
      const auto nodes = [n](const PartMotion& motion) {
        return static_cast<int>(motion.q.size()) / n;
      };
      const int gap =
          nodes(as_one[of[i]]) - nodes(motions[cut.behind[i]]) - nodes(motions[cut.ahead[i]]);
      const double h = (t[b.begin] - t[a.end - 1]) / (gap + 1);
      const double two = motions[cut.behind[i]].log_likelihood +
                         motions[cut.ahead[i]].log_likelihood - price +
                         n * (2 * gap * std::log(h) - std::log(gap + 1.0));
      needless = two < as_one[of[i]].log_likelihood;
    }
    if (!needless) kept.push_back(impacts[i]);
  }
  impacts = std::move(kept);
}

}  // namespace mechfit
