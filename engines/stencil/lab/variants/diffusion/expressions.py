"""A diffusion step as CuPy writes it: array expressions, each operation a kernel of its own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from engines.api.device import Backend
from engines.api.lab import Case

Compute = Callable[..., None]


def fusion_sliced(r: Any, b: Any) -> Callable[[Backend, Case], Compute]:
    """Inside by slices, then the border."""

    def make(backend: Backend, case: Case) -> Compute:
        def compute(out: Any, u: Any) -> None:
            c = u[1:-1, 1:-1]
            out[1:-1, 1:-1] = c + r * (u[1:-1, 2:] + u[1:-1, :-2] + u[2:, 1:-1] + u[:-2, 1:-1] - 4 * c)
            out[0] = b
            out[-1] = b
            out[:, 0] = b
            out[:, -1] = b

        return compute

    return make
