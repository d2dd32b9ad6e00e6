"""Bytes and operations of the two passes, counted from the algorithm."""

from __future__ import annotations

from collections.abc import Sequence

from engines.api import KernelTraffic
from engines.fdtd.boundaries import Axis, psi_shapes
from engines.fdtd.yee import Yee


def layer_values(yee: Yee, axes: Sequence[Axis]) -> int:
    """Values of ψ that one pass reads and writes."""
    values = 0
    for shape in psi_shapes(yee, axes):
        size = 1
        for count in shape:
            size *= count
        values += size
    return values


def faded_values(yee: Yee, axes: Sequence[Axis]) -> int:
    """Values of a field in the absorbers; a corner counts for each of its axes."""
    return sum(3 * yee.cells * sum(axis.fading) // axis.n for axis in axes)


def traffic(
    yee: Yee, axes: Sequence[Axis], value_bytes: int, magnetic: bool, states: int = 0
) -> tuple[KernelTraffic, ...]:
    """Per cell a pass reads six values and an id for each of three components (H only with ``magnetic``), and writes
    three; in the layers it reads and writes ψ, where poles are ``states`` values of theirs, and in absorbers the field
    once more. A component takes 7 operations, ψ 4, a state 4."""
    cells, psi, faded = yee.cells, layer_values(yee, axes), faded_values(yee, axes)
    return tuple(
        KernelTraffic(
            name,
            bytes_read=cells * (6 * value_bytes + (3 if ids else 0)) + (psi + held + faded) * value_bytes,
            bytes_written=(3 * cells + psi + held + faded) * value_bytes,
            flops=21 * cells + 4 * (psi + held) + faded,
        )
        for name, ids, held in (("electric", True, states), ("magnetic", magnetic, 0))
    )


def memory_bytes(yee: Yee, axes: Sequence[Axis], value_bytes: int, magnetic: bool, states: int = 0) -> int:
    """Fields, ids, ψ and ``states`` values of poles, with the spans of their rows, on the device."""
    ids = 6 if magnetic else 3
    spans = 3 * yee.shape[0] * yee.shape[1] * 16 if states else 0
    values = 2 * layer_values(yee, axes) + states
    return yee.places * (6 * value_bytes + ids) + values * value_bytes + spans
