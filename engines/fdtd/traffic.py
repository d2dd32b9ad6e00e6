"""Bytes and operations of the two passes, counted from the algorithm."""

from __future__ import annotations

from collections.abc import Sequence

from engines.api import KernelTraffic
from engines.fdtd.boundaries import Axis, psi_shapes
from engines.fdtd.dimensions import ALL, Parts
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
    yee: Yee, axes: Sequence[Axis], value_bytes: int, magnetic: bool, parts: Parts = ALL, states: int = 0,
    id_bytes: int = 1,
) -> tuple[KernelTraffic, ...]:  # fmt: skip
    """Per cell a pass reads the components that there are (six, but in two dimensions three) and an id for each that it
    steps (H only with ``magnetic``), which it writes; in the layers it reads and writes ψ, where poles are ``states``
    values of theirs, and in absorbers the field once more. A component takes 7 operations, ψ 4, a state 4."""
    cells, psi = yee.cells, layer_values(yee, axes) * yee.planes // yee.shape[0]
    faded, there = faded_values(yee, axes), parts.count
    if there < ALL.count:
        psi //= 2  # of the two components that have a difference along an axis of the plane there is one
    return tuple(
        KernelTraffic(
            name,
            bytes_read=(cells * there + psi + held + faded) * value_bytes + (cells * stepped * id_bytes if ids else 0),
            bytes_written=(stepped * cells + psi + held + faded) * value_bytes,
            flops=7 * stepped * cells + 4 * (psi + held) + faded,
        )
        for name, ids, stepped, held in (
            ("electric", True, sum(parts.electric), states), ("magnetic", magnetic, sum(parts.magnetic), 0),
        )
    )  # fmt: skip


def together(name: str, passes: Sequence[KernelTraffic]) -> KernelTraffic:
    """What ``passes`` move, as that of one kernel."""
    return KernelTraffic(
        name,
        sum(each.bytes_read for each in passes),
        sum(each.bytes_written for each in passes),
        sum(each.flops for each in passes),
    )


def memory_bytes(
    yee: Yee, axes: Sequence[Axis], value_bytes: int, magnetic: bool, states: int = 0, id_bytes: int = 1
) -> int:
    """Fields, ids, ψ and ``states`` values of poles, with the spans of their rows, on the device."""
    ids = (6 if magnetic else 3) * id_bytes
    spans = 3 * yee.shape[0] * yee.shape[1] * 16 if states else 0
    values = 2 * layer_values(yee, axes) + states
    return yee.places * (6 * value_bytes + ids) + values * value_bytes + spans
