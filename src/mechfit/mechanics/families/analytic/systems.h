#pragma once

#include "mechfit/mechanics/families/analytic/equations.h"

// The equations of the analytic systems (see make_system). All angles are zero when hanging.
namespace mechfit {

Equations pendulum();
Equations double_pendulum();
Equations acrobot();
Equations pendubot();
Equations double_pendulum_points();
Equations double_pendulum_links();
Equations chain(int links);
Equations chain_points(int masses);
Equations ball();
Equations cart();
Equations cart_pole();
Equations furuta();
Equations spring_pendulum();

}  // namespace mechfit
