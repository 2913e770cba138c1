#pragma once

#include "mechfit/mechanics/families/analytic/analytic.h"

// Which machine a seed has, and what its drawings say.
namespace control {

// Every constant but gravity, friction included, within 20 % of the nominal one.
mechfit::AnalyticSystem machine_of(const mechfit::AnalyticSystem& nominal, std::uint64_t seed);

// The machine as computed from its drawings: each mass, length and inertia off by 10 to 30 %, up or
// down by itself; friction and gravity are those of the machine.
mechfit::AnalyticSystem drawing_of(const mechfit::AnalyticSystem& machine, std::uint64_t seed);

}  // namespace control
