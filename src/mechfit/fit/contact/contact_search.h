#pragma once

#include <optional>
#include <string>
#include <vector>

#include "mechfit/fit/contact/contact_estimate.h"
#include "mechfit/fit/contact/part_motion.h"
#include "mechfit/fit/fit.h"

// Finds where a machine hits stops, from its positions alone (docs/contact.md).
namespace mechfit {

struct ContactFindings {
  Contacts contacts;            // none: the log shows none
  std::vector<Impact> impacts;  // of the log
  std::string note;             // for the user
};

// Proposes stops (propose.h) and half planes (propose_planes.h), fits a model between their
// impacts, estimates the contacts from both sides of each, looks again where they are with that
// model, three times. With ContactOption::automatic they stay only where runs held out become more
// likely, jumps paid for (contact_gain).
ContactFindings find_contacts(const Log& observed, const FitOptions& options, ThreadPool& pool);

// Those of a fit by joint estimation.
MotionSteps steps_of_motions(const FitResult& fitted);

// How much more likely a log is between impacts under one model than as a whole under another, in
// units of log-likelihood, the price of jumps (locate_impacts.h) taken off.
double contact_gain(const FitResult& between, const std::vector<Impact>& impacts,
                    const FitResult& whole, const Log& log, ThreadPool& pool);

}  // namespace mechfit
