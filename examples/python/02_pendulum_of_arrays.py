"""Constants of a pendulum from arrays: what was logged by any other program."""

import mechfit as mf
import numpy as np

# Three swings of a pendulum of 0.8 m, sampled unevenly, read by a sensor with 0.01 rad of noise.
random = np.random.default_rng(1)
pendulum = mf.system("pendulum", set={"l": 0.8})
times = [np.cumsum(random.uniform(0.01, 0.03, 300)) for _ in range(3)]
angles = [pendulum.simulate([start], [0.0], t)[0] for start, t in zip((0.4, 1.0, 2.0), times)]
observed = [angle + random.normal(0, 0.01, angle.shape) for angle in angles]

log = mf.Log(t=times, q=observed, joints="periodic", units=["rad"])
model = mf.fit(log, family="pendulum", fix={"m": 1.0, "g": 9.81})
length = model.constants["l"]
print(f"length {length.value:.4f} +- {length.error:.4f} {length.unit}")
print(model.verdict)

smoothed = mf.smooth(log, model)
a, sd = model.acceleration(smoothed[0].q, smoothed[0].qd, std=True)
print("accelerations", a.shape, "within", None if sd is None else float(np.sqrt(np.mean(sd**2))))
