#pragma once

#include <vector>

#include "mechfit/base/thread_pool.h"
#include "mechfit/fit/contact/cut.h"
#include "mechfit/mechanics/contact.h"

namespace mechfit {

struct Proposal {
  Contacts contacts;  // where they are is known roughly, restitution is not
  std::vector<Impact> impacts;
  std::vector<PlanarPoint> hanging;  // points of rods, whose impacts a model tells (spikes.h)
};

// Stops where velocity jumps gather at one end of a joint's positions: motion towards the end
// before, away from it or none behind, at least three at one place, and next to no sample beyond.
// A joint with a stop at one end has one proposed at the other, too, where its positions end.
Proposal propose_stops(const Log& log, ThreadPool& pool);

}  // namespace mechfit
