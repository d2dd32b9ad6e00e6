"""When Numba compiles a kernel anew: its cache on disk knows a function by its own file and what it closes over."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Callable
from pathlib import Path
from types import CellType, FunctionType, ModuleType
from typing import Any


def digest(*modules: ModuleType) -> int:
    """A number of the text of ``modules``, for a kernel to close over that others' code or names are compiled into."""
    text = b"\0".join(Path(str(module.__file__)).read_bytes() for module in modules)
    return int.from_bytes(hashlib.sha256(text).digest()[:7], "big")


def noticing(*modules: ModuleType) -> Callable[[Callable[..., Any]], FunctionType]:
    """Below ``@njit(cache=True)``: a function that takes names from ``modules`` is compiled anew when these change."""
    cell = CellType(digest(*modules))

    def decorate(function: Callable[..., Any]) -> FunctionType:
        assert isinstance(function, FunctionType)
        assert not function.__closure__
        code = function.__code__.replace(co_freevars=("sources",))
        closing = FunctionType(code, function.__globals__, function.__name__, function.__defaults__, (cell,))
        functools.update_wrapper(closing, function)
        del closing.__wrapped__  # type: ignore[attr-defined]  # set by the line above
        return closing

    return decorate
