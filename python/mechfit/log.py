"""Logs of motion: read from files, or made of arrays."""

from __future__ import annotations

import html
import os
from typing import Any, Iterator, List, Optional, Sequence, Union

import numpy as np

from . import _core
from ._options import takes

Files = Union[str, "os.PathLike[str]", Sequence[Union[str, "os.PathLike[str]"]]]


class Run:
    """One run of a log: `name`, times `t` [T], positions `q` [T, n], inputs `u` [T, m], and where
    the log has them velocities `qd`, accelerations `qdd` and standard deviations `q_sd`, `qd_sd`,
    `qdd_sd` [T, n]. What is missing is None."""

    def __init__(self, arrays: dict[str, Any]) -> None:
        self.name: str = arrays["name"]
        self.t: np.ndarray = arrays["t"]
        self.q: np.ndarray = arrays["q"]
        self.u: Optional[np.ndarray] = arrays.get("u")
        self.qd: Optional[np.ndarray] = arrays.get("qd")
        self.qdd: Optional[np.ndarray] = arrays.get("qdd")
        self.q_sd: Optional[np.ndarray] = arrays.get("q_sd")
        self.qd_sd: Optional[np.ndarray] = arrays.get("qd_sd")
        self.qdd_sd: Optional[np.ndarray] = arrays.get("qdd_sd")

    def __len__(self) -> int:
        return len(self.t)

    def __repr__(self) -> str:
        return f"<mechfit.Run '{self.name}': {len(self)} samples>"


def _is_frame(data: Any) -> bool:
    return hasattr(data, "to_csv") and hasattr(data, "columns")


def _runs(x: Any, runs: Optional[int], name: str, axes: int = 2) -> list[np.ndarray]:
    """One array for each run; `runs` None: x is the array of a single run."""
    out = [np.asarray(x)] if runs is None else [np.asarray(part) for part in x]
    if runs is not None and len(out) != runs:
        raise ValueError(f"{name} has {len(out)} runs, t has {runs}")
    # One joint or one input may come without its axis.
    return [part[:, None] if axes == 2 and part.ndim == 1 else part for part in out]


def _names(names: Optional[Sequence[str]], letter: str, count: int, keyword: str) -> list[str]:
    out = [f"{letter}{i + 1}" for i in range(count)] if names is None else list(names)
    if len(out) != count:
        raise ValueError(f"{keyword} has {len(out)} names, {letter} has {count} columns")
    return out


class Log:
    """A log of motion: one or several runs of one machine.

    Made of arrays, of lists of arrays (one for each run), or of a pandas DataFrame, whose columns
    are found as those of a CSV file are:

    >>> import mechfit as mf, numpy as np
    >>> t = np.arange(0, 10, 0.02)
    >>> log = mf.Log(t=t, q=0.5 * np.cos(3 * t), joints="periodic")
    >>> log
    <mechfit.Log: 1 run, 500 samples, joints q1>
    >>> log[0].q.shape
    (500, 1)

    `joint_names`, `input_names` and `units` (such as "rad" and "m") say more about the columns;
    other keywords are those of `mechfit.read`. `print(log)` says what is in it and what would spoil
    a fit.
    """

    truth: Optional["Log"] = None  #: of a simulated log: q, qd, qdd without noise, same times
    midpoints: Optional["Log"] = None  #: of a simulated log: the same in the middle of the steps

    def __init__(
        self,
        data: Any = None,
        *,
        t: Any = None,
        q: Any = None,
        u: Any = None,
        qd: Any = None,
        qdd: Any = None,
        joint_names: Optional[Sequence[str]] = None,
        input_names: Optional[Sequence[str]] = None,
        units: Optional[Sequence[str]] = None,
        **options: Any,
    ) -> None:
        if isinstance(data, _core.Log):
            self._core = data
            return
        if data is not None:
            if not _is_frame(data):
                raise ValueError("expected a DataFrame, or keywords t and q; files: mechfit.read")
            columns = {"q": q, "u": u, "qd": qd, "qdd": qdd, **options}
            self._core = _core.log_from_text(data.to_csv(index=False), "DataFrame", columns)
            return
        if t is None or q is None:
            raise ValueError("a log needs times t and positions q")
        several = isinstance(t, (list, tuple)) and len(t) > 0 and np.ndim(t[0]) == 1
        count = len(t) if several else None
        times = _runs(t, count, "t", axes=1)
        arrays = {"q": _runs(q, count, "q")}
        for name, x in (("u", u), ("qd", qd), ("qdd", qdd)):
            if x is not None:
                arrays[name] = _runs(x, count, name)
        runs = [
            {"name": str(i + 1), "t": times[i], **{name: x[i] for name, x in arrays.items()}}
            for i in range(len(times))
        ]
        n = arrays["q"][0].shape[-1]
        m = arrays["u"][0].shape[-1] if "u" in arrays else 0
        joints = _names(joint_names, "q", n, "joint_names")
        known = list(units) if units is not None else [""] * n
        if len(known) != n:
            raise ValueError(f"units has {len(known)} names, q has {n} columns")
        channels = _core.Channels(joints, [], known, _names(input_names, "u", m, "input_names"))
        self._core = _core.log_from_arrays(runs, channels, False, options)

    @property
    def joints(self) -> list[str]:
        """Names of the joints [n]."""
        return self._core.joints

    @property
    def joint_types(self) -> list[str]:
        """`periodic` or `plain` for each joint."""
        return self._core.types

    @property
    def units(self) -> list[str]:
        """Units of the joints, "" where not known."""
        return self._core.units

    @property
    def inputs(self) -> list[str]:
        """Names of the inputs [m]."""
        return self._core.inputs

    @property
    def notes(self) -> list[str]:
        """What was guessed and changed when the log was read."""
        return self._core.notes

    @property
    def warnings(self) -> list[str]:
        """What would spoil a fit, and what to do about it."""
        return self._core.warnings()

    def __len__(self) -> int:
        return self._core.runs

    def __getitem__(self, index: int) -> Run:
        if not -len(self) <= index < len(self):
            raise IndexError(f"run {index} of a log with {len(self)}")
        return Run(self._core.run(index % len(self)))

    def __iter__(self) -> Iterator[Run]:
        return (self[i] for i in range(len(self)))

    def save(self, path: Union[str, "os.PathLike[str]"], *, overwrite: bool = False) -> None:
        """Writes the log, .csv or .npz; the file appears whole or not at all."""
        self._core.save(os.fspath(path), overwrite)

    def to_frame(self) -> Any:
        """A pandas DataFrame with the columns of the CSV file, one row for each sample."""
        import pandas as pd

        def columns(run: Run) -> dict[str, Any]:
            out: dict[str, Any] = {"trajectory": run.name, "t": run.t}
            for name in ("q", "qd", "qdd", "u"):
                x = getattr(run, name)
                if x is not None:
                    out.update({f"{name}{i + 1}": x[:, i] for i in range(x.shape[1])})
            return out

        return pd.concat([pd.DataFrame(columns(run)) for run in self], ignore_index=True)

    def __str__(self) -> str:
        notes = "".join(f"note: {note}\n" for note in self.notes)
        return (notes + self._core.text()).rstrip("\n")

    def __repr__(self) -> str:
        samples = sum(len(run) for run in self)
        inputs = f", inputs {', '.join(self.inputs)}" if self.inputs else ""
        runs = f"{len(self)} run{'' if len(self) == 1 else 's'}"
        return f"<mechfit.Log: {runs}, {samples} samples, joints {', '.join(self.joints)}{inputs}>"

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(str(self))}</pre>"

    def __reduce__(self) -> Any:
        runs = [self._core.run(i) for i in range(len(self))]
        return _restore, (runs, self.joints, self.joint_types, self.units, self.inputs)


def _restore(runs: Any, joints: Any, types: Any, units: Any, inputs: Any) -> Log:
    channels = _core.Channels(joints, types, units, inputs)
    return Log(_core.log_from_arrays(runs, channels, True, {}))


def files_of(files: Files) -> List[str]:
    names = [files] if isinstance(files, (str, os.PathLike)) else list(files)
    return [os.fspath(name) for name in names]


@takes(_core.read_options())
def read(files: Files, **options: Any) -> Log:
    """Reads one or several files (names or patterns such as "runs/*.csv"), or a DataFrame.

    >>> import mechfit as mf
    >>> mf.simulate("pendulum", runs=2, steps=50).save("swing.csv")
    >>> mf.read("swing.csv", joints="periodic")
    <mechfit.Log: 2 runs, 102 samples, joints q1>
    """
    if _is_frame(files):
        return Log(files, **options)
    return Log(_core.read(files_of(files), options))


def as_log(data: Any, **options: Any) -> Log:
    """A log, or what `read` makes one of."""
    return data if isinstance(data, Log) else read(data, **options)


@takes(_core.simulate_options())
def simulate(system: str, *, threads: Optional[int] = None, **options: Any) -> Log:
    """The log of a built-in machine, as a sensor would see it; `truth` has what it hides.

    >>> import mechfit as mf
    >>> log = mf.simulate("cart-pole", runs=3, steps=100, step=0.02, noise=0.001, input="sines")
    >>> log
    <mechfit.Log: 3 runs, 303 samples, joints x, q, inputs force>
    >>> log.truth[0].qdd.shape
    (101, 2)
    """
    parts = _core.simulate(system, options, threads or _core.default_threads())
    observed, observed.truth, observed.midpoints = (Log(part) for part in parts)
    return observed


def systems() -> dict[str, str]:
    """The built-in machines: names that `simulate` and `fit(family=...)` know, and what they are.

    >>> import mechfit as mf
    >>> "cart-pole" in mf.systems()
    True
    """
    return dict(_core.systems())
