"""Keywords that are options of the library: their names, defaults and help come from its tables."""

from __future__ import annotations

import inspect
import textwrap
from typing import Any, Callable, List, Tuple, TypeVar

Table = List[Tuple[str, Any, str]]
Function = TypeVar("Function", bound=Callable[..., Any])


def takes(table: Table) -> Callable[[Function], Function]:
    """Gives a function with **options the signature and the help of the options in the table."""

    def decorate(function: Function) -> Function:
        signature = inspect.signature(function)
        own = [p for p in signature.parameters.values() if p.kind is not p.VAR_KEYWORD]
        options = [
            inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default)
            for name, default, _ in table
            if name not in signature.parameters
        ]
        function.__signature__ = signature.replace(parameters=own + options)  # type: ignore[attr-defined]
        lines = [f"{name} = {default!r}\n    {text}" for name, default, text in table]
        function.__doc__ = (
            inspect.cleandoc(function.__doc__ or "")
            + "\n\nOptions, with the names of the command line's flags\n"
            + textwrap.indent("\n".join(lines), "  ")
            + "\n"
        )
        return function

    return decorate
