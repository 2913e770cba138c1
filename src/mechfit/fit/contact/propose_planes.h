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

// Half planes where velocity jumps gather at one end of how far a point goes up, down, left or
// right: stops of its coordinates (propose_stops).
Proposal propose_planes(const Log& log, const std::vector<PlanarPoint>& points, ThreadPool& pool);

// Stops and half planes of one log. Where joints slide a point, what it hits is a half plane; what
// else rods may explain counts only where stops do not explain it.
Proposal propose_both(const Log& log, const std::vector<PlanarPoint>& points, ThreadPool& pool);

}  // namespace mechfit
