#pragma once

#include <vector>

#include "mechfit/base/thread_pool.h"
#include "mechfit/estimate/motion/motion_quadratic.h"
#include "mechfit/fit/contact/propose.h"
#include "mechfit/mechanics/model.h"

namespace mechfit {

// Half planes for the points of a machine, by a model that holds between its impacts: an impact
// between the samples k and k + 1 leaves errors e of the discrete equation there whose sum points
// along -M^-1 J' of what is hit,
//
//   E = (e_k + e_k+1) / s,   d = M^-1 J' / s,   (d'E)^2 / (d'd E'E) near 1
//
// where velocities of fast rods bend too much to be seen as kinks (propose_planes.h). Floors,
// ceilings and walls where three spikes or more gather at one place with next to no sample beyond.
Proposal propose_by_spikes(const Model& model, const MotionNoise& noise, const Log& log,
                           const std::vector<PlanarPoint>& points, ThreadPool& pool);

// The same in place of what had been proposed for points that hang on rods: of kinks (`first`), or
// by a worse model, whose proposals stay where this one has none.
void propose_again(const Model& model, const MotionNoise& noise, const Log& log, bool first,
                   Proposal& proposal, ThreadPool& pool);

}  // namespace mechfit
