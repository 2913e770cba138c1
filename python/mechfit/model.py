"""Models: what a fit found, as functions of numpy arrays."""

from __future__ import annotations

import html
import json
import os
import shutil
import tempfile
import warnings
from dataclasses import dataclass
from typing import Any, Optional, Union

import numpy as np

from . import _core
from ._options import takes
from .log import Files, Log, files_of

Path = Union[str, "os.PathLike[str]"]


@dataclass(frozen=True)
class Verdict:
    """Whether a model is any good, in words; see docs/verdicts.md for what they promise."""

    grade: str  #: good, usable or unusable
    explained: Optional[float]  #: share of the accelerations' mean square
    reliable_until: float  #: longest horizon up to which rollouts can be relied on [s]
    words: str
    good_for: str
    limits: tuple[str, ...]
    advice: tuple[str, ...]

    def __str__(self) -> str:
        sentences = [f"{self.words[:1].upper()}{self.words[1:]}.", self.good_for]
        return " ".join([*sentences, *self.limits, *self.advice])


@dataclass(frozen=True)
class Constant:
    """A number of a model that means something."""

    name: str
    value: float
    error: float  #: standard error; inf: the data do not tell, nan: not known
    unit: str
    given: bool  #: to the fit, which did not change it


@dataclass(frozen=True)
class Contact:
    """What a machine hits; see docs/contact.md. Standard errors are 0 where a value was given."""

    name: str
    shape: str  #: upper stop, lower stop or half plane
    joint: Optional[str]  #: of a stop
    position: float  #: in unit
    position_error: float
    restitution: float  #: share of the speed that is left after an impact
    restitution_error: float
    friction: float  #: Coulomb's, along half planes
    friction_error: float
    unit: str


class Scores(dict[str, Any]):
    """Every figure of `mechfit evaluate --json`, with the verdict that follows from them."""

    @property
    def verdict(self) -> Verdict:
        v = self["verdict"]
        return Verdict(
            v["grade"],
            v["explained"],
            v["reliable_until"],
            v["words"],
            v["good_for"],
            tuple(v["limits"]),
            tuple(v["advice"]),
        )


class Model:
    """A mechanical model: mass matrix M(q), potential V(q), force F(q, v, u).

    Arguments q, v, a are arrays [..., n], u is [..., m] or None for no input; leading axes are
    broadcast against each other. One point (no leading axes) is evaluated at once, many are
    evaluated by several threads without the interpreter's lock.

    >>> import mechfit as mf, numpy as np
    >>> model = mf.system("cart-pole")
    >>> model.joints, model.inputs
    (['x', 'q'], ['force'])
    >>> q = np.zeros((1000, 2))
    >>> model.acceleration(q, np.zeros(2), [1.0]).shape
    (1000, 2)
    >>> A, B = model.linearize([0.0, np.pi], [0.0, 0.0])
    >>> A.shape, B.shape
    ((4, 4), (4, 1))
    """

    def __init__(self, core: _core.Model) -> None:
        self._core = core
        self._threads = _core.default_threads()

    # What it is

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
    def family(self) -> str:
        """smm (networks), trig (trigonometric polynomials), analytic, arm ..."""
        return self._core.family

    @property
    def metadata(self) -> dict[str, str]:
        """Where the model comes from: method, seed, data, scores as text."""
        return self._core.metadata

    @property
    def notes(self) -> list[str]:
        """What the fit has to say about itself."""
        return self._core.notes

    @property
    def interrupted(self) -> bool:
        """Ctrl-C ended the fit: the best model so far."""
        return self._core.interrupted

    @property
    def constants(self) -> dict[str, Constant]:
        """The numbers of the model that mean something, with standard errors."""
        return {row[0]: Constant(*row) for row in self._core.constants()}

    @property
    def contacts(self) -> list[Contact]:
        """What the machine hits; `simulate` bounces off it.

        >>> import mechfit as mf, numpy as np
        >>> model = mf.system("pendulum", stops={"q1": (None, 0.4)}, restitution=0.6)
        >>> [(c.name, c.position, c.restitution) for c in model.contacts]
        [('upper stop of q1', 0.4, 0.6)]
        >>> q, v = model.simulate([0.0], [3.0], np.arange(0, 2, 0.01))
        >>> bool(q.max() <= 0.4)
        True
        """
        return [Contact(*row) for row in self._core.contacts()]

    @property
    def scores(self) -> Scores:
        """Scores on the runs that the fit held out. ValueError for a model without scores."""
        if "scores" not in self.metadata:
            raise ValueError("the model has no scores: it does not come from a fit")
        return Scores(json.loads(self.metadata["scores"]))

    @property
    def verdict(self) -> Verdict:
        """Whether the model is any good, judged by the runs that the fit held out."""
        return self.scores.verdict

    def __str__(self) -> str:
        text = f"{self._core.describe()}\n\n{self._core.text()}"
        if "scores" in self.metadata:
            text += f"{self.verdict}\n"
        return text.rstrip("\n")

    def __repr__(self) -> str:
        return f"<mechfit.Model: {self._core.describe()}>"

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(str(self))}</pre>"

    # What it says

    def acceleration(
        self, q: Any, v: Any, u: Any = None, *, std: bool = False, threads: Optional[int] = None
    ) -> Any:
        """a = M^-1 (f - Mdot v) [..., n]. ValueError where M(q) is not positive definite.

        With std a pair: the accelerations and how far they may be off (standard deviations from
        what the model file says is unsure about the model; None where it says nothing).
        """
        a = self._core.acceleration(q, v, u, threads or self._threads)
        if not std:
            return a
        return a, self._core.acceleration_sd(q, v, u, a, threads or self._threads)

    def mass(self, q: Any, *, threads: Optional[int] = None) -> np.ndarray:
        """M(q) [..., n, n]."""
        return self._core.mass(q, threads or self._threads)

    def potential(self, q: Any, *, threads: Optional[int] = None) -> Any:
        """V(q) [...]."""
        return self._core.potential(q, threads or self._threads)

    def energy(self, q: Any, v: Any, *, threads: Optional[int] = None) -> Any:
        """1/2 v' M v + V [...]."""
        return self._core.energy(q, v, threads or self._threads)

    def momentum(self, q: Any, v: Any, *, threads: Optional[int] = None) -> np.ndarray:
        """p = M v [..., n]."""
        return self._core.momentum(q, v, threads or self._threads)

    def force(
        self, q: Any, v: Any, u: Any = None, *, threads: Optional[int] = None
    ) -> np.ndarray:
        """f = dL/dq + F(q, v, u) [..., n], so that d/dt (M v) = f."""
        return self._core.force(q, v, u, threads or self._threads)

    def inverse_dynamics(
        self, q: Any, v: Any, a: Any, *, threads: Optional[int] = None
    ) -> np.ndarray:
        """tau = Mdot v + M a - f(q, v, 0) [..., n]: what the inputs must push to move it so."""
        return self._core.inverse_dynamics(q, v, a, threads or self._threads)

    def linearize(
        self, q: Any, v: Any, u: Any = None, *, threads: Optional[int] = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """A = df/dx [..., 2n, 2n] and B = df/du [..., 2n, m] of xdot = f(x, u), x = (q, v).

        Exact derivatives, not differences.
        """
        return self._core.linearize(q, v, u, threads or self._threads)

    def simulate(
        self,
        q0: Any,
        v0: Any,
        t: Any,
        u: Any = None,
        *,
        integrator: str = "variational",
        substeps: int = 0,
        std: bool = False,
        threads: Optional[int] = None,
    ) -> Any:
        """Motion from (q0, v0) at the times t [T]: q and v, [..., T, n] each.

        u [..., T, m] or [..., T-1, m]: u_k acts from t_k to t_k+1, unless the fit found that inputs
        act otherwise (a line between samples, a delay, a lag: `print(model)`). integrator: variational (keeps
        the energy), rk4 (more accurate over short times) or midpoint; substeps: inner steps per
        sample, 0: as many as model and motion ask for. With std four arrays: q, v and their standard
        deviations (None where nothing is known). ValueError where a motion cannot go on.

        >>> import mechfit as mf, numpy as np
        >>> model = mf.system("pendulum")
        >>> q, v = model.simulate([0.5], [0.0], np.linspace(0, 1, 101))
        >>> q.shape, v.shape
        ((101, 1), (101, 1))
        """
        out = self._core.simulate(
            q0, v0, t, u, integrator, substeps, std, threads or self._threads
        )
        return out if std else out[:2]

    # How good it is

    @takes(_core.evaluate_options())
    def score(
        self, log: Union[Log, Files], *, threads: Optional[int] = None, **options: Any
    ) -> Scores:
        """Scores on a log that the model has not seen; a file is read as `mechfit evaluate` does."""
        data = log._core if isinstance(log, Log) else self._core.read(files_of(log), {})
        return Scores(json.loads(self._core.score(data, options, threads or self._threads)))

    def held_out(self) -> Optional[Log]:
        """The runs that the fit held out; None for a model that was loaded."""
        log = self._core.held_out()
        return None if log is None else Log(log)

    def report(self, path: Path = "report.html", *, overwrite: bool = False) -> str:
        """Writes the fit's report, one HTML page that needs no network; returns its path."""
        target = os.fspath(path)
        if os.path.exists(target) and not overwrite:
            raise ValueError(f"{target}: exists, option 'overwrite' replaces it")
        with tempfile.TemporaryDirectory() as folder:
            self._core.report(folder, self.metadata.get("options", ""), self._threads)
            shutil.move(os.path.join(folder, "report.html"), target)
        return target

    def plot(self, log: Optional[Log] = None, *, horizon: Optional[float] = None) -> Any:
        """A matplotlib figure: rollouts and accelerations of the model beside those of a log.

        Without a log the runs that the fit held out. horizon: seconds that each rollout lasts.
        """
        from .plotting import plot_model

        data = log if log is not None else self.held_out()
        if data is None:
            raise ValueError("plot needs a log: a model file does not keep the held-out runs")
        return plot_model(self, data, horizon)

    # Files, copies

    def save(self, path: Path, *, overwrite: bool = False) -> None:
        """Writes the model file (.safetensors), the same bytes as `mechfit fit` writes."""
        self._core.save(os.fspath(path), overwrite)

    def export(
        self,
        path: Path,
        *,
        target: Optional[str] = None,
        name: str = "",
        precision: str = "float64",
        overwrite: bool = False,
    ) -> None:
        """Writes the model for other programs (docs/export.md): model.h is one C99 header,
        model.fmu an FMU 2.0, model.c for the target casadi or mex (MATLAB and Octave).

        name: prefix of all names in C, by default the file's name. precision: the numbers of a C
        header, float64 or float32. A warning says what the file lacks.

        >>> import mechfit as mf
        >>> mf.system("pendulum").export("swing.h")
        """
        note = self._core.export(os.fspath(path), target, name, precision, overwrite)
        if note:
            warnings.warn(f"{os.fspath(path)}: {note}", stacklevel=2)

    def __reduce__(self) -> Any:
        return _from_bytes, (self._core.to_bytes(),)

    def __copy__(self) -> "Model":
        return Model(self._core)

    def __deepcopy__(self, memo: Any) -> "Model":
        return Model(self._core)  # models do not change

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Model):
            return NotImplemented
        return self._core.to_bytes() == other._core.to_bytes()

    def __hash__(self) -> int:
        return hash(self._core.to_bytes())


def _from_bytes(data: bytes) -> Model:
    return Model(_core.Model.from_bytes(data))


def load(path: Path) -> Model:
    """The model of a file that `save` or `mechfit fit` wrote.

    >>> import mechfit as mf
    >>> mf.system("pendulum").save("pendulum.safetensors")
    >>> mf.load("pendulum.safetensors").joints
    ['q1']
    """
    return Model(_core.Model.load(os.fspath(path)))


def system(name: str, **options: Any) -> Model:
    """A built-in machine as a model; `set`, `links`, `stops`, `floor` ... as in `simulate`.

    >>> import mechfit as mf
    >>> round(float(mf.system("pendulum", set={"g": 1.62}).potential([0.0])), 2)
    -1.62
    """
    return Model(_core.system(name, options))
