#include "mechfit/fit/contact/contact_friction.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "mechfit/mechanics/impact.h"

namespace mechfit {
namespace {

// Of a chi-squared number of one degree of freedom, what chance exceeds once in 600 contacts.
constexpr double kLeastGain = 10;
constexpr double kDeviations = 2;
// A start below is none: friction that small changes no velocity by what can be seen.
constexpr double kSmallest = 1e-3;

// |Lt| / Ln of the impulse that takes the velocity before an impact to that behind; -1: unknown.
double friction_of(Touching& at, int contact, const Eigen::VectorXd& before,
                   const Eigen::VectorXd& behind) {
  const Eigen::Index n = before.size() / 2;
  const int touching[] = {contact};
  if (!at.set({before.data(), static_cast<std::size_t>(n)}, touching)) return -1;
  if (std::fabs(at.W().determinant()) == 0) return -1;
  const Eigen::VectorXd jump = behind.tail(n) - before.tail(n);
  const Eigen::VectorXd L = at.W().lu().solve(at.A() * jump);
  return L[0] > 0 ? std::fabs(L[1]) / L[0] : -1;
}

// What friction each half plane begins with; 0: none is looked for.
std::vector<double> starts(const Model& model, Contacts contacts,
                           const std::vector<Impact>& impacts, const CutLog& cut,
                           const std::vector<PartMotion>& motions) {
  const int n = model.joints();
  for (Contact& contact : contacts) contact.friction = 1;  // so that there is a row along it
  Touching at(model, contacts);
  std::vector<std::vector<double>> found(contacts.size());
  for (std::size_t i = 0; i < impacts.size(); ++i) {
    const int behind = cut.behind[i], ahead = cut.ahead[i], c = impacts[i].contact;
    if (contacts[c].shape != ContactShape::half_plane || behind < 0 || ahead < 0) continue;
    if (!motions[behind].ok || !motions[ahead].ok) continue;
    const double mu =
        friction_of(at, c, motions[behind].ends.tail(2 * n), motions[ahead].ends.head(2 * n));
    if (mu >= 0) found[c].push_back(mu);
  }
  std::vector<double> out;
  for (auto& own : found) {
    std::sort(own.begin(), own.end());
    out.push_back(own.empty() ? 0 : own[own.size() * 3 / 4]);
    if (out.back() < kSmallest) out.back() = 0;
  }
  return out;
}

bool any_friction(const Contacts& contacts) {
  return std::any_of(contacts.begin(), contacts.end(),
                     [](const Contact& contact) { return contact.friction > 0; });
}

}  // namespace

ContactEstimate estimate_friction(const Model& model, const Contacts& contacts,
                                  const std::vector<Impact>& impacts, const CutLog& cut,
                                  const std::vector<PartMotion>& motions,
                                  const std::function<ContactEstimate(const Contacts&)>& estimate) {
  Contacts smooth = contacts, rough = contacts;
  const std::vector<double> start = starts(model, contacts, impacts, cut, motions);
  for (std::size_t c = 0; c < contacts.size(); ++c) {
    smooth[c].friction = 0;
    rough[c].friction = start[c];
  }
  ContactEstimate without = estimate(smooth);
  if (!any_friction(rough)) return without;
  ContactEstimate with = estimate(rough);
  bool dropped = false;
  for (std::size_t c = 0; c < contacts.size(); ++c) {
    const Contact& own = with.contacts[c];
    if (own.friction == 0 || own.friction > kDeviations * own.friction_error) continue;
    rough[c].friction = 0;
    dropped = true;
  }
  if (!any_friction(rough)) return without;
  if (dropped) with = estimate(rough);
  const double unit = std::max(1.0, std::isfinite(with.misfit) ? with.misfit : 1.0);
  return without.total - with.total > kLeastGain * unit ? with : without;
}

}  // namespace mechfit
