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

// The impacts of a log by a model whose contacts are known: of those proposed for other runs, or
// held out.
std::vector<Impact> locate_impacts(const Model& model, const MotionNoise& noise, const Log& log,
                                   const Contacts& contacts, std::vector<Impact> impacts,
                                   ThreadPool& pool, const MotionSteps& steps);

// Those of a fit by joint estimation.
MotionSteps steps_of_motions(const FitResult& fitted);

// How much more likely a log is between impacts under one model than as a whole under another, in
// units of log-likelihood. A jump is a pair of equations whose errors may be as large as twice the
// usual speed in one step, a sample that belongs to neither side may be anywhere in the joint's
// range: so much is taken off.
double contact_gain(const FitResult& between, const std::vector<Impact>& impacts,
                    const FitResult& whole, const Log& log, ThreadPool& pool);

}  // namespace mechfit
