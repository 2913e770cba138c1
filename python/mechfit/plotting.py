"""Figures of a model beside a log (matplotlib)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Optional

import numpy as np

from .fitting import smooth
from .log import Log

if TYPE_CHECKING:
    from .model import Model


def plot_model(model: "Model", log: Log, horizon: Optional[float]) -> Any:
    """Left: rollouts over the observed positions of the first run. Right: predicted accelerations
    against smoothed ones, of all runs."""
    import matplotlib.pyplot as plt

    smoothed = smooth(log, model)
    n = len(model.joints)
    figure, axes = plt.subplots(n, 2, figsize=(11, 2.6 * n), squeeze=False, layout="constrained")
    run = smoothed[0]
    length = horizon or max((run.t[-1] - run.t[0]) / 5, 2 * float(np.diff(run.t).max()))
    for start, stop in pieces(run.t, length):
        part = slice(start, stop)
        u = None if run.u is None else run.u[part]
        q, _, sd, _ = model.simulate(
            run.q[start], run.qd[start], run.t[part], u, std=True  # type: ignore[index]
        )
        for i in range(n):
            axes[i, 0].plot(run.t[part], q[:, i], color="tab:orange", lw=1.5)
            if sd is not None:
                low, high = q[:, i] - 2 * sd[:, i], q[:, i] + 2 * sd[:, i]
                axes[i, 0].fill_between(run.t[part], low, high, color="tab:orange", alpha=0.2)
    given = np.concatenate([np.asarray(r.qdd) for r in smoothed])
    predicted = np.concatenate([model.acceleration(r.q, r.qd, r.u) for r in smoothed])
    for i, name in enumerate(model.joints):
        unit = model.units[i] or "?"
        axes[i, 0].plot(log[0].t, log[0].q[:, i], ".", color="tab:blue", ms=2, zorder=0)
        axes[i, 0].set(xlabel="t [s]", ylabel=f"{name} [{unit}]")
        span = [float(given[:, i].min()), float(given[:, i].max())]
        axes[i, 1].plot(span, span, color="gray", lw=0.8)
        axes[i, 1].plot(given[:, i], predicted[:, i], ".", ms=2)
        axes[i, 1].set(xlabel=f"smoothed acceleration [{unit}/s²]", ylabel="predicted")
    axes[0, 0].set_title(f"observed, and rollouts of {length:.3g} s")
    axes[0, 1].set_title("accelerations")
    return figure


def pieces(t: np.ndarray, length: float) -> list[tuple[int, int]]:
    """Sample ranges of about `length` seconds that cover a run, neighbours sharing a sample."""
    out = []
    start = 0
    while start < len(t) - 1:
        stop = max(int(np.searchsorted(t, t[start] + length)), start + 1)
        out.append((start, min(stop, len(t) - 1) + 1))
        start = stop
    return out
