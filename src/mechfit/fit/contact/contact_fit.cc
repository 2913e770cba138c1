#include "mechfit/fit/contact/contact_fit.h"

#include <algorithm>

#include "mechfit/base/error.h"
#include "mechfit/fit/contact/contact_search.h"

namespace mechfit {
namespace {

// The impacts of the log's first runs, or of those behind, numbered from 0.
std::vector<Impact> impacts_of(const std::vector<Impact>& impacts, int first, int count) {
  std::vector<Impact> out;
  for (Impact impact : impacts) {
    impact.run -= first;
    if (impact.run >= 0 && impact.run < count) out.push_back(impact);
  }
  return out;
}

}  // namespace

FitResult fit_with_contacts(const Log& observed, const std::optional<Log>& validation,
                            const FitOptions& given, ThreadPool& pool, const FitHooks& hooks) {
  if (given.method != FitMethod::joint)
    throw InputError("contacts are found by joint estimation only (option 'method' joint)");
  FitOptions options = given;
  options.contacts = ContactOption::none;
  Log all = observed;
  if (validation) all.runs.insert(all.runs.end(), validation->runs.begin(), validation->runs.end());
  const ContactFindings found = find_contacts(all, given, pool);
  if (found.contacts.empty()) {
    FitResult result = fit(observed, validation, options, pool, hooks);
    result.notes.push_back(found.note);
    return result;
  }
  const int runs = static_cast<int>(observed.runs.size());
  const Log parts = cut_log(observed, impacts_of(found.impacts, 0, runs)).log;
  std::optional<Log> held_out;
  if (validation)
    held_out = cut_log(*validation,
                       impacts_of(found.impacts, runs, static_cast<int>(validation->runs.size())))
                   .log;
  FitResult result = fit(parts, held_out, options, pool, hooks);
  result.contacts = found.contacts;
  result.impacts = found.impacts;
  result.struck = all;
  if (!result.noise.s.empty()) {
    CutLog cut = cut_log(all, found.impacts);
    cut.log = on_steps(cut.log, steps_of_motions(result));
    const ContactEstimate estimate =
        estimate_contacts(result.model, result.noise, all, found.contacts, found.impacts, cut, pool,
                          result.covariance);
    for (std::size_t c = 0; c < found.contacts.size(); ++c)
      if (estimate.used[c] >= 2) result.contacts[c] = estimate.contacts[c];
    for (std::size_t i = 0; i < found.impacts.size(); ++i)
      if (estimate.fits[i]) result.impacts[i].time = estimate.times[i];
  }
  result.notes.push_back(found.note);
  const bool rough = std::any_of(result.contacts.begin(), result.contacts.end(),
                                 [](const Contact& contact) { return contact.friction > 0; });
  if (rough && result.model.scale_is_free() && result.model.kind() != ParameterKind::constants)
    result.notes.push_back(
        "friction goes with the model's masses along and across the surface, whose ratio motion "
        "alone does not tell; a system whose equations are known (option 'family') has it");
  result.notes.push_back("the model is fitted to the motion between impacts");
  return result;
}

}  // namespace mechfit
