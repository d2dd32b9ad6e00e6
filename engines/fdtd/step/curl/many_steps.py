"""Many steps of a small grid in one launch on an NVIDIA GPU: launches ``many_steps.cu``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from engines.api import Array
from engines.fdtd.grid.boundaries import Axis
from engines.fdtd.grid.yee import Yee
from engines.fdtd.sources.currents import Entries, Sources

MANY_STEPS = Path(__file__).with_name("many_steps.cu")
ManyShape = tuple[int, int, int, int, int]
"""Values of a thread along x, threads of a block, bricks of a block, whether it keeps H, whether it asks in advance."""
Brick = tuple[int, int]
"""Rows and planes."""
NO_SHAPE: ManyShape = (0, 0, 0, 0, 0)
LAUNCHES: dict[str, tuple[ManyShape, ...]] = {
    "float32": ((4, 512, 1, 0, 0), (4, 640, 1, 1, 0), (4, 512, 1, 1, 1), (4, 512, 2, 1, 1)),
    "float64": ((2, 512, 1, 0, 0), (2, 512, 1, 1, 1), (2, 512, 2, 1, 1)),
}
STATIC = 4096
"""Bytes of shared memory that a block takes besides at most."""


def many_shapes(backend: Any, yee: Yee, dtype: np.dtype[Any]) -> list[ManyShape]:
    """Shapes worth measuring: those whose bricks have room in the shared memory of a block."""
    blocks, room = backend.multiprocessors, backend.shared_memory - STATIC
    return [shape for shape in LAUNCHES[dtype.name] if _cut(yee, dtype, shape, blocks)[2] <= room]


def _cut(
    yee: Yee, dtype: np.dtype[Any], shape: ManyShape, blocks: int, brick: Brick | None = None
) -> tuple[Brick, int, int]:
    """The bricks of a grid, how many blocks have some, and the bytes of shared memory that one of these takes."""
    packed, _, pieces, kept, _ = shape
    tall, deep = brick or best_brick(yee, blocks * pieces)
    bricks = -(-yee.shape[1] // tall) * -(-yee.shape[0] // deep)
    blocks = min(blocks, bricks)
    values = 3 * _vectors(yee, packed) * packed * tall * deep * -(-bricks // blocks)
    return (tall, deep), blocks, values * dtype.itemsize * kept


def _vectors(yee: Yee, packed: int) -> int:
    """Of a row's nodes."""
    return (yee.counts[0] + packed) // packed


def apart(yee: Yee, axes: Sequence[Axis], slots: tuple[int, int], sources: Sources, of_h: Entries) -> bool:
    """Whether H may get what the layers add to it before what sources add: none of them is in a layer or beside one.

    slots: places of x that have ψ, as (low_x, high_x) of yee.cuh; of_h: what entries of E bring to H
    """
    ends = {drive[2] for drive in sources.drives if not drive[3]}
    if sources.oblique or ends.intersection(sources.electric.slots.tolist()):
        return False
    nz, ny, row = yee.shape
    first = (slots[0], axes[1].low, axes[2].low)
    last = (slots[1], axes[1].n - axes[1].high, axes[2].n - axes[2].high)
    layered = (slots[0] + yee.row > slots[1], axes[1].low + axes[1].high > 0, axes[2].low + axes[2].high > 0)
    for places, beside in ((sources.electric.places, 1), (of_h.places, 0)):  # E is seen by the half before it too
        index = places % row, places // row % ny, places // (row * ny) % nz
        for d in range(3):
            if layered[d] and bool(((first[d] > 0) & (index[d] < first[d] + beside) | (index[d] >= last[d])).any()):
                return False
    return True


class ManySteps:
    """Of a grid with ids of 8 bits, without poles, absorbers or μ, whose sources are :func:`apart` from its layers.

    entries: of E, of H with them and of H later; real: the macro for the type of the fields; brick: rows and planes of
    one, all of one block; None: as large as leaves each block its share
    """

    def __init__(
        self, backend: Any, yee: Yee, axes: Sequence[Axis], dtype: np.dtype[Any], real: str, entries: Sequence[Entries],
        sources: Sources, shape: ManyShape, brick: Brick | None = None,
    ) -> None:  # fmt: skip
        packed, threads, _, kept, asks = shape
        macros = [real, f"-DV={packed}", f"-DTHREADS={threads}", *["-DKEPT"] * kept, *["-DASKS"] * asks]
        self._kernel = backend.compile(MANY_STEPS, macros, cooperative=True).get_function("step_many")
        (tall, deep), self._blocks, self._shared = _cut(
            yee, dtype, shape, 1 if brick else backend.multiprocessors, brick
        )
        backend.allow_shared(self._kernel, self._shared)
        self._threads = min(threads, -(-_vectors(yee, packed) * tall * deep // 32) * 32)
        placed = [part for each in entries for part in by_brick(yee, each, (tall, deep), dtype)]
        lengths = [line.n + 1 for line in sources.lines]
        between = len(lengths) + len(sources.magnetic.places)
        numbers = len(lengths), max(lengths, default=0), between, tall, deep
        order = brick_order(yee, axes, (tall, deep), self._blocks)
        spare = np.zeros(max(sources.count, 1), dtype), np.zeros(2, np.uint32)
        self._last = *map(backend.array, placed), *map(np.int32, numbers), *map(backend.array, (order, *spare))

    def launch(self, steps: int, arguments: Sequence[Any]) -> None:
        """``arguments``: those of the kernel from E to the drives' count."""
        every = (*arguments, *self._last, np.int32(steps))
        self._kernel((self._blocks,), (self._threads,), every, shared_mem=self._shared)


def best_brick(yee: Yee, blocks: int) -> Brick:
    """Rows and planes of the smallest bricks of which there are no more than ``blocks``; of the squarest of them."""
    planes, rows, _ = yee.shape
    found = []
    for tall in range(1, rows + 1):
        layers = max(1, blocks // -(-rows // tall))
        deep = -(-planes // layers)
        if -(-rows // tall) * -(-planes // deep) <= blocks:
            found.append((tall * deep, tall + deep, tall, deep))
    return min(found)[2:]


def brick_order(yee: Yee, axes: Sequence[Axis], brick: Brick, blocks: int) -> Array:
    """(bricks,) int32: block n has those at n, n + blocks, …. Heavy ones are shared out first, the lightest of the
    next go to who has the heaviest: a place in a layer costs about as much as one of the fields again."""
    planes, rows, _ = yee.shape
    heavy = []
    for axis, count, size in ((axes[2], planes, brick[1]), (axes[1], rows, brick[0])):
        layered = (np.arange(count) <= axis.low) & (axis.low > 0) | (np.arange(count) >= axis.n - axis.high) & (
            axis.high > 0
        )
        starts = np.arange(0, count, size)
        heavy.append((np.add.reduceat(layered.astype(int), starts), np.add.reduceat(np.ones(count, int), starts)))
    (z, deep), (y, tall) = heavy
    cost = deep[:, None] * tall + z[:, None] * tall + deep[:, None] * y
    order = np.argsort(-cost.reshape(-1), kind="stable").astype(np.int32)
    rounds = [order[first : first + blocks] for first in range(0, len(order), blocks)]
    return np.concatenate([each if n % 2 == 0 else each[::-1] for n, each in enumerate(rounds)])


def by_brick(yee: Yee, entries: Entries, brick: Brick, dtype: np.dtype[Any]) -> tuple[Array, Array, Array, Array]:
    """Places, weights and slots in the order of bricks, and where those of each begin."""
    planes, rows, row = yee.shape
    up, layers = -(-rows // brick[0]), -(-planes // brick[1])
    line = entries.places // row
    number = line // rows % planes // brick[1] * up + line % rows // brick[0]
    order = np.argsort(number, kind="stable")
    starts = np.searchsorted(number[order], np.arange(up * layers + 1)).astype(np.int32)
    return entries.places[order], entries.weights[order].astype(dtype), entries.slots[order], starts
