"""Whether a matrix fits the device, said before it is made."""

from __future__ import annotations

import math

from engines.api.device import Backend
from engines.api.errors import ProblemError
from engines.backend.timing import free_bytes


def _amount(size: float) -> str:
    return f"{size / 1e9:.3g} GB" if size >= 1e9 else f"{size / 1e6:.3g} MB"


def need_dense(backend: Backend, rows: int, columns: int, bytes_per_weight: int) -> None:
    """Raises ProblemError that says how large a square matrix may be."""
    size, free = rows * columns * bytes_per_weight, free_bytes(backend)
    side = math.isqrt(free // bytes_per_weight)
    if size > free:
        raise ProblemError(
            f"{rows:,} × {columns:,} weights of {bytes_per_weight} bytes take {_amount(size)}; {backend.info.name} has "
            f"{_amount(free)} free, room for {side:,} × {side:,}."
        )


def need_sparse(backend: Backend, synapses: int, entries: int, bytes_per_weight: int, copies: int = 1) -> None:
    """The same of ``entries`` places for ``synapses``, in each of ``copies``."""
    each = copies * (4 + bytes_per_weight)
    size, free = entries * each, free_bytes(backend)
    if size > free:
        fitting = free // each * synapses // max(entries, 1)
        raise ProblemError(
            f"{synapses:,} synapses take {_amount(size)} in this format; {backend.info.name} has {_amount(free)} free, "
            f"room for {fitting:,}."
        )
