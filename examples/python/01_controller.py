"""From a log of a rotary pendulum to the gains of a controller that holds it upright.

python 01_controller.py [LOG.csv ...]     logs of your own machine; without any, a simulated one
"""

import sys

import mechfit as mf
import numpy as np
from scipy.linalg import solve_continuous_are

if len(sys.argv) > 1:
    log = mf.read(sys.argv[1:], u="u_V", joints="plain,periodic")
else:
    log = mf.simulate(
        "furuta", runs=8, steps=300, step=0.02, noise=0.002, input="sines", amplitude=0.02, q0=[0.0, (-2.5, 2.5)]
    )
print(log)

model = mf.fit(log, family="trig", quick=True)
print(model)

# The motion near upright, xdot = A x + B u with x = (q, v) less the equilibrium.
upright, rest = np.array([0.0, np.pi]), np.zeros(2)
A, B = model.linearize(upright, rest)
print("poles of the machine   ", np.round(np.linalg.eigvals(A), 2))

# The gains that minimise the integral of x'Qx + u'Ru: u = -K x.
Q, R = np.diag([10.0, 10.0, 1.0, 1.0]), np.diag(1 / np.abs(log[0].u).max(0) ** 2)
K = np.linalg.solve(R, B.T @ solve_continuous_are(A, B, Q, R))
print("poles with the controller", np.round(np.linalg.eigvals(A - B @ K), 2))
print("gains                  ", np.round(K, 4))

# Does it hold the learned machine, started 0.1 rad off? The controller acts every 5 ms.
x, h = np.concatenate([upright + [0.0, 0.1], rest]), 0.005
for _ in range(600):
    u = -K @ (x - np.concatenate([upright, rest]))
    q, v = model.simulate(x[:2], x[2:], [0.0, h], u[None], integrator="rk4")
    x = np.concatenate([q[-1], v[-1]])
print("after 3 s               ", np.round(x, 4))
assert np.abs(x[:2] - upright).max() < 0.3 and np.abs(x[2:]).max() < 0.05, "the controller does not hold it"
