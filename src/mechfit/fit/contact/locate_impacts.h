#pragma once

#include <vector>

#include "mechfit/base/thread_pool.h"
#include "mechfit/fit/contact/cut.h"
#include "mechfit/fit/contact/part_motion.h"
#include "mechfit/mechanics/contact.h"

namespace mechfit {

// Joins impacts that are closer than a part can be short.
void join_near(std::vector<Impact>& impacts);

// What a jump costs, and a sample that is on neither side: a jump is a pair of equations whose
// errors may be as large as twice the usual speed in one step, a sample that belongs to neither
// side may be anywhere in its joint's range.
struct Price {
  double jump = 0, sample = 0;
};
Price price_of(const Log& log);

// The impacts of a log by a model whose contacts are known: of those proposed for other runs, or
// held out.
std::vector<Impact> locate_impacts(const Model& model, const MotionNoise& noise, const Log& log,
                                   const Contacts& contacts, std::vector<Impact> impacts,
                                   ThreadPool& pool, const MotionSteps& steps);

}  // namespace mechfit
