#pragma once

#include <vector>

#include "mechfit/fit/contact/cut.h"
#include "mechfit/fit/contact/part_motion.h"

namespace mechfit {

// Takes out impacts across which the motion may just as well go on: where the parts on either side
// are not more likely by themselves than as one, with what lies between them unobserved, by more
// than `price` (what a jump costs). Those that rest stay. The densities are of errors e, whose
// number differs: with a jump the g unobserved configurations make g of the g + 2 errors in between
// whatever they are, |de/dq| = (g + 1) / h^2g for each joint.
void drop_needless(const Model& model, const MotionNoise& noise, const Log& log, const CutLog& cut,
                   const MotionSteps& steps, double price, std::vector<Impact>& impacts,
                   ThreadPool& pool);

}  // namespace mechfit
