"""The same computations as CuPy writes them: array expressions, each operation a kernel of its own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from engines.api.device import Backend
from engines.api.lab import Case

Compute = Callable[..., None]


def roll_of(backend: Backend) -> Any:
    return backend.cupy.roll  # type: ignore[attr-defined]  # the Lab gives CuPy's variants to no other device


def laplace1d_rolled(backend: Backend, case: Case) -> Compute:
    roll = roll_of(backend)

    def compute(y: Any, x: Any) -> None:
        y[...] = roll(x, -1) - 2 * x + roll(x, 1)

    return compute


def laplace2d_rolled(backend: Backend, case: Case) -> Compute:
    roll = roll_of(backend)

    def compute(y: Any, x: Any) -> None:
        y[...] = roll(x, -1, 1) + roll(x, 1, 1) + roll(x, -1, 0) + roll(x, 1, 0) - 4 * x

    return compute
