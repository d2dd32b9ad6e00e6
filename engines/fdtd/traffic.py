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


def traffic(
    yee: Yee, axes: Sequence[Axis], value_bytes: int, magnetic: bool, id_bytes: int = 1
) -> tuple[KernelTraffic, ...]:
    """Per cell a pass reads six values and an id for each of three components (H only with ``magnetic``), and writes
    three; in the layers it reads and writes ψ. A component takes 7 operations, ψ 4."""
    cells, psi = yee.cells, layer_values(yee, axes)
    return tuple(
        KernelTraffic(
            name,
            bytes_read=cells * (6 * value_bytes + (3 * id_bytes if ids else 0)) + psi * value_bytes,
            bytes_written=(3 * cells + psi) * value_bytes,
            flops=21 * cells + 4 * psi,
        )
        for name, ids in (("electric", True), ("magnetic", magnetic))
    )


def memory_bytes(yee: Yee, axes: Sequence[Axis], value_bytes: int, magnetic: bool, id_bytes: int = 1) -> int:
    """Fields, ids and ψ on the device."""
    ids = (6 if magnetic else 3) * id_bytes
    return yee.places * (6 * value_bytes + ids) + 2 * layer_values(yee, axes) * value_bytes
