"""E and H in one pass over memory on an NVIDIA GPU: launches ``one_pass.cu``."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from engines.api import Array
from engines.fdtd.grid.boundaries import Axis
from engines.fdtd.grid.yee import Yee

ONE_PASS = Path(__file__).with_name("one_pass.cu")
OneShape = tuple[int, int, int, int, int]
"""Values of a thread along x, threads of a tile along x and y (the last of each compute E only), blocks that a
multiprocessor is to hold, planes of a tile."""
NO_SHAPE: OneShape = (0, 0, 0, 0, 0)
PACKED = {"float32": 4, "float64": 2}
BLOCKS = ((32, 8), (16, 16))
"""Of which that is quicker whose tiles leave less of the grid's rows over."""
RESIDENT = 2
SPANS = (12, 16, 24, 32)


def one_shapes(dtype: np.dtype[Any]) -> list[OneShape]:
    """Shapes worth measuring."""
    return [(PACKED[dtype.name], *block, RESIDENT, span) for block in BLOCKS for span in SPANS]


class OnePass:
    """Reads one pair of fields and writes another, which it keeps; places that do not exist are zero in both.

    slots: places of x that have ψ, as (low_x, high_x) of yee.cuh; real: the macro for the type of the fields; ends: the
    planes from the first to before the second are stepped before the others
    """

    def __init__(
        self, backend: Any, yee: Yee, axes: Sequence[Axis], slots: tuple[int, int], dtype: np.dtype[Any], real: str,
        shape: OneShape, ends: tuple[int, int] | None = None,
    ) -> None:  # fmt: skip
        self.shape = packed, across, rows, blocks, span = shape
        self._block = across, rows
        macros = [real, f"-DV={packed}", f"-DACROSS={across}", f"-DROWS={rows}", f"-DBLOCKS={blocks}"]
        self._kernel = backend.compile(ONE_PASS, macros).get_function("one_pass")
        tiles, layered = tiles_of(yee, axes, slots, packed, self._block, span, ends)
        later = (tiles[:, 2] < ends[0]) | (tiles[:, 3] > ends[1]) if ends is not None else np.zeros(len(tiles), bool)
        self._tiles = [
            (backend.array(np.concatenate([tiles[of & layered], tiles[of & ~layered]])), np.sum(of & layered))
            for of in (~later, later)
        ]
        self._next = tuple(backend.array(np.zeros((3, *yee.shape), dtype)) for _ in range(2))

    def launch(
        self, electric: Any, magnetic: Any, arguments: Sequence[Any], between: Callable[[], None] = lambda: None
    ) -> None:  # fmt: skip
        """One step of both into the other pair; ``arguments``: those of the kernel from the ids to the grid;
        ``between``: called before the planes that are stepped last."""
        for number, (tiles, layered) in enumerate(self._tiles):
            if len(tiles):
                every = electric, magnetic, *self._next, *arguments, tiles, np.int32(layered)
                self._kernel((len(tiles),), self._block, every)
            if number == 0:
                between()

    def swapped(self, electric: Any, magnetic: Any) -> tuple[Any, Any]:
        """The pair that was written; the given one is written next."""
        found, self._next = self._next, (electric, magnetic)
        return found[0], found[1]


def tiles_of(
    yee: Yee, axes: Sequence[Axis], slots: tuple[int, int], packed: int, block: tuple[int, int], span: int,
    ends: tuple[int, int] | None = None,
) -> tuple[Array, Array]:  # fmt: skip
    """(n, 4) int32: first place of x and y, first plane and the one behind the last; and which reach into layers.

    Tiles begin a vector and a row less than ``block`` apart: its last lane and row compute E only, for H beside them,
    unless they are the last of the grid. Planes are parted where the layers of z begin, and at ``ends``.
    """
    nx, ny, nz = yee.counts
    y, z = axes[1], axes[2]
    lanes, rows = block
    vectors = nx // packed + 1  # up to the last node; what rows are padded with is zero in all fields
    across = np.arange(max(1, -(-(vectors - 1) // (lanes - 1)))) * (lanes - 1) * packed
    along = np.arange(max(1, -(-ny // (rows - 1)))) * (rows - 1)
    bounds = sorted({0, z.low, nz - z.high if z.high else nz + 1, nz + 1, *(ends or ())})
    planes = []
    for low, high in itertools.pairwise(bounds):
        parts = -(-(high - low) // span)
        edges = low + (high - low) * np.arange(parts + 1) // parts
        planes += list(itertools.pairwise(edges))
    first, last = np.array(planes).T
    in_x = (across < slots[0]) | (across + lanes * packed > slots[1]) & (slots[1] < yee.row)
    in_y = (along < y.low) | (along + rows > ny - y.high + 1) & (y.high > 0)
    in_z = (first < z.low) | (last > nz - z.high) & (z.high > 0)
    k, j, i = (each.reshape(-1) for each in np.meshgrid(np.arange(len(first)), along, across, indexing="ij"))
    tiles = np.stack([i, j, first[k], last[k]], axis=1).astype(np.int32)
    return tiles, in_z[k] | in_y[j // (rows - 1)] | in_x[i // ((lanes - 1) * packed)]
