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


def traffic(
    yee: Yee, axes: Sequence[Axis], value_bytes: int, magnetic: bool, parts: Parts = ALL
) -> tuple[KernelTraffic, ...]:
    """Per cell a pass reads the components that there are (six, but in two dimensions three) and an id for each that it
    steps (H only with ``magnetic``), which it writes; in the layers it reads and writes ψ. A component takes 7
    operations, ψ 4."""
    cells, psi = yee.cells, layer_values(yee, axes) * yee.planes // yee.shape[0]
    if parts.count < ALL.count:
        psi //= 2  # of the two components that have a difference along an axis of the plane there is one
    return tuple(
        KernelTraffic(
            name,
            bytes_read=cells * (parts.count * value_bytes + (stepped if ids else 0)) + psi * value_bytes,
            bytes_written=(stepped * cells + psi) * value_bytes,
            flops=7 * stepped * cells + 4 * psi,
        )
        for name, ids, stepped in (
            ("electric", True, sum(parts.electric)), ("magnetic", magnetic, sum(parts.magnetic)),
        )
    )  # fmt: skip


def memory_bytes(yee: Yee, axes: Sequence[Axis], value_bytes: int, magnetic: bool) -> int:
    """Fields, ids and ψ on the device."""
    ids = 6 if magnetic else 3
    return yee.places * (6 * value_bytes + ids) + 2 * layer_values(yee, axes) * value_bytes
