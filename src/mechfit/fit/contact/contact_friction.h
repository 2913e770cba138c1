#pragma once

#include <functional>
#include <vector>

#include "mechfit/fit/contact/contact_estimate.h"
#include "mechfit/fit/contact/part_motion.h"

namespace mechfit {

// The contacts without friction, and with an unknown mu of each half plane, which begins with what
// the velocities beside its impacts say (the upper quartile of |Lt| / Ln, since points may stick).
// Friction stays where the sum of squares falls by more than 10 (in units of what is expected per
// degree of freedom), and mu where it is twice its standard error.
//   estimate   the most likely psi, e, times, and mu of those contacts whose friction is not 0
ContactEstimate estimate_friction(const Model& model, const Contacts& contacts,
                                  const std::vector<Impact>& impacts, const CutLog& cut,
                                  const std::vector<PartMotion>& motions,
                                  const std::function<ContactEstimate(const Contacts&)>& estimate);

}  // namespace mechfit
