"""mechfit learns the mechanics of a machine from a log of its motion.

>>> import mechfit as mf
>>> log = mf.simulate("pendulum", runs=4, steps=100, noise=0.01, seed=1)   # or mf.read("runs/*.csv")
>>> model = mf.fit(log, family="pendulum", quick=True)
>>> model.verdict.grade
'good'
>>> a = model.acceleration([0.1], [0.0])
>>> A, B = model.linearize([0.0], [0.0])

See docs/python.md.
"""

from ._core import version as __version__
from .fitting import FitError, fit, smooth
from .log import Log, Run, read, simulate, systems
from .model import Constant, Contact, Model, Scores, Verdict, load, system

__all__ = [
    "Constant",
    "Contact",
    "FitError",
    "Log",
    "Model",
    "Run",
    "Scores",
    "Verdict",
    "__version__",
    "fit",
    "load",
    "read",
    "simulate",
    "smooth",
    "system",
    "systems",
]
