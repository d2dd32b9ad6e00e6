"""Kernels by name: where one stands, and for arguments of which types it is compiled."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from importlib import import_module
from typing import Any, NamedTuple

from numba.core.dispatcher import Dispatcher

from engines.backend.compile.kinds import Told, kind_of, told_kind


class Listed(NamedTuple):
    """A kernel for arguments of these types: ``name`` of ``module``, or what that holds under ``key``, or makes of it;
    ``function`` is what Python calls it."""

    module: str
    name: str
    key: Any
    function: str
    kinds: Sequence[Told]

    @property
    def identity(self) -> str:
        return _identity(self.module, self.function, self.kinds)

    def compile(self) -> None:
        """In this process, and for all that look on the disk. Raises whatever compiling does."""
        self.kernel().compile(tuple(map(kind_of, self.kinds)))

    def kernel(self) -> Any:
        """Numba's object. Raises what looking for it does where it has gone."""
        found = getattr(import_module(self.module), self.name)
        if self.key is not None:
            key = tuple(self.key) if isinstance(self.key, list) else self.key
            found = found[key] if isinstance(found, dict) else found(key)
        return _within(found)


def identity(function: Any, kinds: Sequence[Any]) -> str:
    """Of a kernel's Python for arguments of these types of Numba's; nothing where a type cannot be told."""
    try:
        told = [told_kind(kind) for kind in kinds]
    except ValueError:
        return ""
    return _identity(function.__module__, function.__qualname__, told)


def _identity(module: str, function: str, kinds: Sequence[Told]) -> str:
    return f"{module} {function} {json.dumps(kinds)}"


def listed(kernel: Any, kinds: Sequence[Any]) -> Listed | None:
    """The kernel by name, found in its module; None where it cannot be found there, or a type cannot be told."""
    function = kernel.py_func
    try:
        told = [told_kind(kind) for kind in kinds]
    except ValueError:
        return None
    for name, key in _places(kernel, vars(import_module(function.__module__))):
        return Listed(function.__module__, name, key, function.__qualname__, told)
    return None


def _places(kernel: Any, names: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """Under which names of a module it stands, and below which keys."""
    own = kernel.py_func.__module__
    for name, value in list(names.items()):
        if _within(value) is kernel:
            yield name, None
        elif isinstance(value, dict):
            yield from ((name, key) for key, each in value.items() if _within(each) is kernel)
        elif hasattr(value, "cache_info") and value.__module__ == own and value.__wrapped__.__code__.co_argcount == 1:
            closed = [cell.cell_contents for cell in kernel.py_func.__closure__ or ()]
            yield from ((name, form) for form in closed if type(form) is int and _made(value, form) is kernel)


def _made(make: Any, form: int) -> Any:
    try:
        return _within(make(form))
    except Exception:  # it makes something else, of something else
        return None


def _within(value: Any) -> Any:
    """The kernel in what calls it in turn, or in parts."""
    while not isinstance(value, Dispatcher) and hasattr(value, "__wrapped__"):
        value = value.__wrapped__
    return value
