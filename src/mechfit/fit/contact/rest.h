#pragma once

#include <vector>

#include "mechfit/estimate/motion/motion_quadratic.h"
#include "mechfit/fit/contact/cut.h"
#include "mechfit/mechanics/contact.h"

namespace mechfit {

// Where a run lies on a floor or a wall (phi is 0 within the noise of positions, for 40 samples or
// more) contact forces act that no model of the motion between impacts has. Such stretches become
// gaps between parts like impacts, in place of the impacts that were seen in them. Joints on their
// stops: stays.h.
void leave_out_rest(const Log& log, const MotionNoise& noise, const Contacts& contacts,
                    std::vector<Impact>& impacts);

}  // namespace mechfit
