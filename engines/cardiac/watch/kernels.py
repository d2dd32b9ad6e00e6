"""What the watchers ask of a device, whatever runs it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from engines.api import Array
from engines.api.device import Backend
from engines.backend.twins import Twins


class MapArrays(NamedTuple):
    """The arrays of the maps, ``(n_padded,)`` each on the device, in the order of the kernels' arguments.

    before: voltage of the look before [mV], NaN if there was none; level: where this beat ends [mV], ``WAITING``
    between beats; low: the resting voltage since the beat before [mV], as far as it is known; peak [mV]; activation,
    repolarisation, duration [ms] of the latest; cycle [ms]: from the activation before it; beats: how many there were
    since they were last counted from zero; rest: what low was when the latest began [mV].
    """

    before: Any
    level: Any
    low: Any
    peak: Any
    activation: Any
    repolarisation: Any
    duration: Any
    cycle: Any
    beats: Any
    rest: Any


BOARD = 64
"""Numbers on a board; more than are left get one of their own."""


class Board:
    """Numbers (float64) that watchers leave on the device at their looks, and that are read together: waiting for the
    device takes longer than a look."""

    def __init__(self, backend: Backend, room: int) -> None:
        self._backend, self._numbers = backend, backend.array(np.zeros(room))
        self._taken = 0
        self._read: Callable[[], Array] | None = None

    @property
    def left(self) -> int:
        return len(self._numbers) - self._taken

    def place(self, count: int) -> Place:
        first, self._taken = self._taken, self._taken + count
        return Place(self, self._numbers[first : self._taken], slice(first, self._taken))

    def change(self) -> None:
        self._read = None

    def read_later(self) -> Callable[[], Array]:
        """The numbers as they are now, copied once for all who ask before the next change."""
        if self._read is None:
            self._read = cache(self._backend.to_host_later(self._numbers))
        return self._read


class Place:
    """``device: (count,)`` of a board. Who writes there says so with :meth:`change`."""

    def __init__(self, board: Board, device: Any, where: slice) -> None:
        self.device, self._where, self._board = device, where, board
        self.change = board.change

    def read_later(self) -> Callable[[], Array]:
        """(count,) on the host, as they were last left."""
        read = self._board.read_later()
        return lambda: read()[self._where]


class WatcherKernels(ABC):
    """Kernels over ``n_cells`` cells with voltages of ``dtype``; they are launched inside ``backend.active``."""

    def __init__(self, backend: Backend, n_cells: int, dtype: np.dtype[Any]) -> None:
        self.backend, self.n_cells, self.dtype = backend, n_cells, dtype
        self._board = Board(backend, BOARD)

    def place(self, count: int) -> Place:
        """For so many numbers of a watcher."""
        board = self._board if count <= self._board.left else Board(self.backend, count)
        return board.place(count)

    @abstractmethod
    def look_maps(
        self, voltage: Any, arrays: MapArrays, threshold: float, fraction: float, time: float, since: float
    ) -> None:
        """Take note of what happened in the last ``since`` ms up to ``time`` (``maps.cu``)."""

    @abstractmethod
    def weighted_sums(self, voltage: Any, weights: Any, out: Any) -> None:
        """``out[lead] = Σ weights[lead, i] (v_i − v_0)``; weights: (leads, n_cells) float32, out: (leads,) float64."""

    @abstractmethod
    def excited(self, arrays: MapArrays, out: Any) -> None:
        """Of arrays ``(n_cells,)``; out: (4,) float64: the latest activation [ms], the most beats of a cell, how many
        are in a beat, and the cycle length [ms] of the first cell that had the most."""

    @abstractmethod
    def phase(self, now: Any, then: Any, origin: float, out: Any) -> None:
        """``out = atan2(then − origin, now − origin)`` [rad]."""

    @abstractmethod
    def surface_phases(self, now: Any, then: Any, origin: float, cells: Any, offsets: Any, phases: Any) -> None:
        """The same at vertices, of the mean voltages of ``cells[offsets[i]:offsets[i+1]]``; int32 and (vertices,)."""

    @abstractmethod
    def charges(self, phases: Any, triangles: Any, charge: Any, counts: Any) -> None:
        """Topological charges ``charge: (triangles,) int8`` of ``triangles: (n, 3) int32``; ``counts: (2,) int32``:
        how many are +1 and −1."""


KERNELS = Twins[WatcherKernels](__package__, cpu="cpu:CpuKernels", cuda="cuda:CudaKernels")
