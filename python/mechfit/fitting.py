"""Fits: from a log to a model."""

from __future__ import annotations

import warnings
from typing import Any, Callable, Optional, Union

from . import _core
from ._options import takes
from ._progress import Progress
from .log import Files, Log, as_log
from .model import Model


class FitError(RuntimeError):
    """A fit found no model; the message says why and what to try."""


@takes(_core.fit_options())
def fit(
    log: Union[Log, Files],
    *,
    validation: Union[Log, Files, None] = None,
    progress: Union[bool, Callable[..., None], None] = None,
    threads: Optional[int] = None,
    **options: Any,
) -> Model:
    """Learns a model from a log: families are tried from simple to rich and chosen on held-out runs.

    validation: runs to validate on, instead of a part of the log. progress: True or False for a
    progress line (default: in a terminal and in Jupyter), or a function that is called after every
    step with (fraction, what, step, objective, is_error, validation, best). Ctrl-C ends the fit and
    returns the best model so far (`model.interrupted`). Raises FitError when no model was found.

    >>> import mechfit as mf
    >>> log = mf.simulate("pendulum", runs=4, steps=100, noise=0.01, seed=1)
    >>> model = mf.fit(log, family="pendulum", fix={"g": 9.81, "m": 1.0}, quick=True)
    >>> abs(model.constants["l"].value - 1) < 0.05
    True
    """
    line = Progress("fitting", progress if isinstance(progress, bool) else None)
    watcher: Any = progress if callable(progress) else line
    held_back = None if validation is None else as_log(validation)._core
    try:
        core = _core.fit(
            as_log(log)._core,
            held_back,
            options,
            threads or _core.default_threads(),
            watcher,
            FitError,
        )
    finally:
        line.close()
    model = Model(core)
    if model.interrupted:
        warnings.warn("the fit was interrupted: this is the best model so far", stacklevel=2)
    return model


def smooth(
    log: Union[Log, Files],
    model: Optional[Model] = None,
    *,
    method: str = "white-jerk",
    threads: Optional[int] = None,
) -> Log:
    """Velocities and accelerations from noisy positions, with standard deviations.

    With a model of the machine, else by method white-jerk or paper.

    >>> import mechfit as mf
    >>> smoothed = mf.smooth(mf.simulate("pendulum", runs=1, steps=100, noise=0.01))
    >>> smoothed[0].qdd.shape, smoothed[0].qd_sd.shape
    ((101, 1), (101, 1))
    """
    core = None if model is None else model._core
    return Log(_core.smooth(as_log(log)._core, core, method, threads or _core.default_threads()))
