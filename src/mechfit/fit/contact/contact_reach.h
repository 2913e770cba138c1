#pragma once

#include <string>

#include "mechfit/estimate/motion/motion_quadratic.h"
#include "mechfit/mechanics/contact.h"

namespace mechfit {

// How far phi of a contact goes over a log, from its least to its largest value.
double gap_range(const Log& log, const Contact& contact);

// Standard deviation of phi by the noise of positions, where it is largest: sqrt(J' diag(sigma^2)
// J).
double gap_noise(const Log& log, const MotionNoise& noise, const Contact& contact);

// "floor at 0.1 +- 0.02 m, restitution 0.8 +- 0.01, friction 0.2 +- 0.03 (12 impacts)"
std::string in_words(const Contact& contact, const Channels& channels, int impacts);

}  // namespace mechfit
