#pragma once

#include <vector>

#include "mechfit/base/thread_pool.h"
#include "mechfit/fit/contact/propose.h"

// Floors, walls and ceilings: half planes, level or upright, for points of machines that move in a
// plane.
namespace mechfit {

// The points that may touch: of those that are known the ones that move both across and up; where
// none is known and all joints are two that slide, the point that they move (the first across, the
// second up).
std::vector<PlanarPoint> moving_points(const std::vector<PlanarPoint>& known,
                                       const Channels& channels);

// A floor, a ceiling and walls for each point, at height or place 0.
Contacts planes_of(const std::vector<PlanarPoint>& points);

// Half planes where velocity jumps gather at one end of how far a point goes up, down, left or
// right: stops of its coordinates (propose_stops).
Proposal propose_planes(const Log& log, const std::vector<PlanarPoint>& points, ThreadPool& pool);

// Adds contacts of `other` that have three impacts or more which no contact of `all` has.
void add_proposal(const Proposal& other, Proposal& all);

// Stops and half planes of one log. Where joints slide a point, what it hits is a half plane;
// points that hang on rods are looked at only where no joint has a stop, which would do the same to
// them.
Proposal propose_both(const Log& log, const std::vector<PlanarPoint>& points, ThreadPool& pool);

}  // namespace mechfit
