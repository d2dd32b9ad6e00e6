"""Typed equations on the CPU."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from engines.api import Array
from engines.backend.threads import WORTH_A_THREAD, core_seconds, threads_for
from engines.backend.vector_math import REGISTER_BYTES
from engines.stencil.equations.cpu_kernels import march, march_apart, row_function, rows_of
from engines.stencil.equations.explicit import Explicit
from engines.stencil.equations.passes import Pass

CACHE_LINE = 64
"""[bytes]"""
REPEATED = 1 / 6
"""Of its part of a grid, what a thread works out beyond it at most where threads meet after several steps."""
MOST_AT_ONCE = 16
SHORT_SECONDS = 8 * WORTH_A_THREAD
"""Of a thread's part of a pass, up to which threads are to meet after several steps."""
MOST_ROOM = 1 << 27
"""[bytes] For the arrays of all threads, of which each uses its part: too few for an estimate of memory."""


def steps_at_once(units: int, reach: int, passes: int, seconds: float, most: int, room: int) -> tuple[int, int]:
    """(threads, steps after which they meet) for a grid of so many rows or planes.

    reach: of them that a step of so many passes reads beside one; seconds: of a step on one core; room: bytes of the
    grid's arrays.
    """
    short = seconds / passes / most < SHORT_SECONDS and reach > 0
    for threads in range(min(most, MOST_ROOM // room), 1, -1) if short else ():
        steps = min(MOST_AT_ONCE, 1 + int(REPEATED * units / threads / reach))
        if steps > 1 and threads_for(steps * seconds, most) >= threads:
            return threads, steps
    return threads_for(seconds, most), 1


class CpuExplicit(Explicit):
    """On the CPU: rows by whole SIMD vectors, bands of rows on all cores. Steps of which the numbers stay the same are
    one call, in which the threads of small grids meet after several steps."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        seconds, (nz, ny, _) = core_seconds(self.traffic), self.box
        self._reaches = np.array([one.reach(1 if nz == 1 else 2) for _, one, _ in self.sweeps()])
        most = self._backend.info.threads
        self._room = -(-max(each.nbytes for each in self._buffers) // CACHE_LINE) * CACHE_LINE
        self._bands, self._cores = threads_for(seconds, most), self._backend.cores_for(seconds)
        self._apart = steps_at_once(
            ny if nz == 1 else nz, int(self._reaches.sum()), len(self._reaches), seconds, most,
            len(self._buffers) * self._room,
        )  # fmt: skip
        self._cores_apart = self._backend.cores_for(seconds * self._apart[1])
        self._rooms: Array | None = None
        self._kernels: dict[Pass, tuple[Any, Array]] = {}
        names = len(self.sides.wraps)
        sides = [each.reshape(names, -1).astype(np.int64) for each in (self.sides.wraps, self.sides.where)]
        self._sides = np.concatenate(sides, 1)

    @property
    def _buffers(self) -> list[Array]:
        """What passes read and write: the fields, and what takes turns with them, first."""
        return [self._now, *self._banks, self.stored]

    def advance(self, step: int, steps: int) -> None:
        if self.timed or self._time_at_sides or self._implicit is not None or self.arrive is not None:
            with self._cores.of(steps):
                super().advance(step, steps)
            return
        if steps and (step == 0 or self.anew):  # the first step has numbers of its own
            with self._cores.of(1):
                super().advance(step, 1)
            step, steps = step + 1, steps - 1
        turns = []
        for _ in range(2 if len(self.plan.stages) == 1 else 1):
            turns.append([arrays for _, _, arrays in self.sweeps()])
            self.turn()
        passes, at_once = [one for _, one, _ in self.sweeps()], self._apart[1]
        with (self._cores if at_once == 1 else self._cores_apart).of(steps):
            self._march(passes, turns, self.usual(), self._laws(0.0), step, steps, at_once)
        if at_once > 1 and -(-steps // at_once) % 2:
            self._now, self._banks[0] = self._banks[0], self._now
        elif at_once == 1 and steps % 2:
            self.turn()

    def laws(self, numbers: Array) -> Any:
        return numbers.astype(self.dtype)

    def sweep(self, one: Pass, arrays: Sequence[Any], numbers: Array, laws: Any, step: int = 0) -> None:
        self._march([one], [[arrays]], [numbers], laws, step, 1)

    def _march(
        self, passes: Sequence[Pass], turns: Sequence[Sequence[Sequence[Any]]], numbers: Sequence[Array], laws: Any,
        step: int, steps: int, at_once: int = 1,
    ) -> None:  # fmt: skip
        """``steps`` steps of these passes. turns: arrays of each, in steps of which as many take turns; at_once: steps
        after which threads meet, and the fields and the first bank change places."""
        functions, places = zip(*map(self._kernel, passes), strict=True)
        bases = [[[each.__array_interface__["data"][0] for each in arrays] for arrays in turn] for turn in turns]
        given = np.zeros((len(passes), max(1, *map(len, numbers))), self.dtype)
        for row, values in zip(given, numbers, strict=True):
            row[: len(values)] = values
        begins = np.cumsum([0, *map(len, places)])
        bands = self._bands if at_once == 1 else self._apart[0]
        shares = REGISTER_BYTES // self.dtype.itemsize, bands, step, self.seed, *self.whole
        read = np.concatenate(places) if len(places) > 1 else places[0]
        addresses, same = np.array(functions), (self._sides, laws, given, self.box, shares)
        if at_once == 1:
            march(addresses, np.array(bases), read, begins, *same, steps)
            return
        buffers = self._buffers
        if self._rooms is None:
            self._rooms = self._backend.empty((bands, len(buffers), self._room), np.uint8)
        ends = np.array([buffer.__array_interface__["data"][0] for buffer in buffers])
        which = (np.array(bases)[..., None] >= ends) & (np.array(bases)[..., None] < ends + [b.nbytes for b in buffers])
        found = which.argmax(-1)
        at = np.stack([found, np.array(bases) - ends[found]], -1)
        march_apart((addresses, read, begins, self._reaches), at, self._rooms, ends[:2].copy(), *same, at_once, steps)

    def _kernel(self, one: Pass) -> tuple[int, Array]:
        """Where the row function of a pass stands, and what it reads and writes."""
        if one not in self._kernels:
            fields = self.plan.system.fields
            read = np.array([(*place, *how) for place, how in rows_of(one, fields).items()], np.int64)
            self._kernels[one] = row_function(one, fields, self.dtype), read
        function, read = self._kernels[one]
        return function.address, read
