"""The progress line of a fit, in a terminal and in Jupyter."""

from __future__ import annotations

import sys
import time


def in_notebook() -> bool:
    shell = sys.modules.get("IPython")
    return shell is not None and type(shell.get_ipython()).__name__ == "ZMQInteractiveShell"


class Progress:
    """Redraws one line on standard error at most ten times a second; says nothing elsewhere."""

    def __init__(self, label: str, show: bool | None = None) -> None:
        self.label = label
        self.show = (sys.stderr.isatty() or in_notebook()) if show is None else show
        self.start = self.last = time.monotonic()
        self.width = 0

    def __call__(
        self,
        fraction: float,
        what: str,
        step: int,
        objective: float,
        is_error: bool,
        validation: float,
        best: float,
    ) -> None:
        now = time.monotonic()
        if not self.show or (self.width and now - self.last < 0.1):
            return
        self.last = now
        filled = round(20 * min(max(fraction, 0.0), 1.0))
        name = "error" if is_error else "log-likelihood"
        self.draw(
            f"{self.label} [{'#' * filled}{'.' * (20 - filled)}] {what + ', ' if what else ''}"
            f"step {step}, objective {objective:.4g}, best {name} {best:.4g}"
        )

    def draw(self, text: str) -> None:
        sys.stderr.write("\r" + text.ljust(self.width))
        sys.stderr.flush()
        self.width = len(text)

    def close(self) -> None:
        if self.width:
            sys.stderr.write("\r" + " " * self.width + "\r")
            sys.stderr.flush()
