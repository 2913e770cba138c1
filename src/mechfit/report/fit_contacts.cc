#include <algorithm>

#include "mechfit/report/fit_members.h"

namespace mechfit {

using nlohmann::json;

json contact_member(const FitResult& result) {
  const Log& log = result.struck;
  const int n = log.n(), most = 2 * shown_samples(n);
  json runs = json::array();
  for (std::size_t r = 0; r < log.runs.size() && static_cast<int>(runs.size()) < kShownRuns; ++r) {
    const Trajectory& run = log.runs[r];
    std::vector<std::vector<double>> impacts(result.contacts.size());
    const int samples = std::min(run.size(), most);
    bool any = false;
    for (const Impact& impact : result.impacts)
      if (impact.run == static_cast<int>(r) && impact.time <= run.t[samples - 1]) {
        impacts[impact.contact].push_back(impact.time - run.t[0]);
        any = true;
      }
    if (!any) continue;
    std::vector<double> t;
    for (int k = 0; k < samples; ++k) t.push_back(run.t[k] - run.t[0]);
    json contacts = json::array();
    for (std::size_t c = 0; c < result.contacts.size(); ++c) {
      const Contact& contact = result.contacts[c];
      const bool stop =
          contact.shape == ContactShape::upper_stop || contact.shape == ContactShape::lower_stop;
      if (!stop) continue;
      contacts.push_back({{"name", contact.name},
                          {"joint", contact.joint},
                          {"position", contact.position},
                          {"impacts", impacts[c]}});
    }
    json joints = json::array();
    for (int i = 0; i < n; ++i) {
      std::vector<double> q;
      for (int k = 0; k < samples; ++k) q.push_back(run.q[k * n + i]);
      joints.push_back({{"observed", q}});
    }
    runs.push_back(
        {{"name", "run " + run.name}, {"t", t}, {"joints", joints}, {"contacts", contacts}});
  }
  return runs;
}

}  // namespace mechfit
