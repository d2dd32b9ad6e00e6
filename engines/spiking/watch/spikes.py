"""Every spike of a run: found on the device every few steps, held until its readers take it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numba import njit

from engines.api import Array
from engines.api.values import Population, Spikes

SOURCE = Path(__file__).with_name("spikes.cu")
THREADS = 256
ROOM = 1 << 20
"""Spikes that a GPU has room for at least: 8 MB."""
MOST_ROOM = 1 << 25
"""And at most, but for one look at more neurons: 256 MB."""
NONE = np.zeros((0, 2), np.int32)


class SpikeList(ABC):
    """The spikes that were found since they were last taken.

    ``within``: so many steps after a spike a neuron does not fire again, so whoever looks at the last spikes as often
    as that sees all of them.
    """

    def __init__(self, neurons: int, within: int) -> None:
        self.neurons, self.within = neurons, within

    @abstractmethod
    def collect(self, arrays: Mapping[str, Any], steps: int) -> None:
        """Find those of the last ``steps`` ≤ ``within``; ``arrays``: of the network after them."""

    @abstractmethod
    def take(self) -> Array:
        """(k, 2) int32 step and neuron, in order; they are forgotten here."""


@njit(nogil=True, cache=True)
def gather(last, since, count, kept):
    """Append step and number of those whose last spike came at ``since`` or later; returns how many there are then."""
    for i in range(len(last)):
        kept[count, 0], kept[count, 1] = last[i], i  # of those who did not, written over: nothing to predict
        count += last[i] >= since
    return count


class CpuSpikes(SpikeList):
    """In memory that grows with them."""

    def __init__(self, neurons: int, within: int) -> None:
        super().__init__(neurons, within)
        self._kept, self.count = np.empty((2 * neurons, 2), np.int32), 0

    def room(self, looks: int) -> tuple[Array, int]:
        """(rows, 2) int32 with room for all neurons at so many looks behind the first ``count``, and that."""
        return self._room_for(looks * self.neurons), self.count

    def add(self, steps: Array, neurons: Array) -> None:
        """Spikes that are known, in any order."""
        count = self.count + len(steps)
        rows = self._room_for(len(steps))[self.count : count]
        rows[:, 0], rows[:, 1] = steps, neurons
        self.count = count

    def _room_for(self, more: int) -> Array:
        wanted = self.count + more
        if wanted > len(self._kept):
            rows = np.empty((max(wanted, 2 * len(self._kept)) - len(self._kept), 2), np.int32)
            self._kept = np.concatenate([self._kept, rows])
        return self._kept

    def collect(self, arrays: Mapping[str, Any], steps: int) -> None:
        kept, count = self.room(1)
        self.count = gather(arrays["last"], arrays["clock"][0] - np.int32(steps), count, kept)

    def take(self) -> Array:
        found, self.count = in_order(self._kept[: self.count], self.neurons), 0
        return found


class CudaSpikes(SpikeList):
    """In a list of fixed length on the device, emptied to the host before it could be full."""

    def __init__(self, backend: Any, neurons: int, within: int, at_once: int) -> None:
        """``at_once``: steps of a graph, for which there is room where that is not too much."""
        super().__init__(neurons, within)
        self._backend = backend
        self.capacity = max(ROOM, neurons, min(self.bound(at_once), MOST_ROOM))
        self._kept = backend.empty((self.capacity, 2), np.int32)
        self._counter = backend.array(np.zeros(1, np.uint32))
        self._kernel = backend.compile(SOURCE).get_function("collect")  # now: a graph cannot load a kernel
        self._possible, self._moved = 0, [NONE]

    def bound(self, steps: int) -> int:
        """Spikes that so many steps can have at most."""
        return self.neurons * -(-steps // self.within)

    def make_room(self, steps: int) -> None:
        """Before so many steps, for which ``bound`` is not above ``capacity``: may wait for the device."""
        if self._possible + self.bound(steps) > self.capacity:
            self._empty()
        self._possible += self.bound(steps)

    def collect(self, arrays: Mapping[str, Any], steps: int) -> None:
        self._kernel(
            (-(-self.neurons // THREADS),), (THREADS,),
            (
                arrays["last"], arrays["clock"], np.int32(steps), np.int32(self.neurons), self._counter, self._kept,
                np.uint32(self.capacity),
            ),
        )  # fmt: skip

    def _empty(self) -> None:
        count = int(self._backend.to_host(self._counter)[0])
        if count:
            with self._backend.active():
                found, self._counter[...] = self._kept[:count], 0
            self._moved.append(self._backend.to_host(found))
        self._possible = 0

    def take(self) -> Array:
        self._empty()
        found, self._moved = in_order(np.concatenate(self._moved), self.neurons), [NONE]
        return found


def in_order(found: Array, neurons: int) -> Array:
    """(k, 2) by step, then by neuron."""
    keys = found[:, 0].astype(np.int64) * neurons + found[:, 1]
    keys.sort()
    return np.stack([keys // neurons, keys % neurons], axis=1).astype(np.int32)


class Readers:
    """Hands the spikes of one list to all who read them."""

    def __init__(self, dt: float, populations: tuple[Population, ...], find: Callable[[], Array]) -> None:
        """``find``: takes the list."""
        self._dt, self._find, self._readers = dt, find, list[Reader]()
        self._left_out = [(each.first, each.stop) for each in populations if not each.recorded]

    def __bool__(self) -> bool:
        return bool(self._readers)

    def open(self) -> Reader:
        """One who gets every spike from now on."""
        self.distribute()
        self._readers.append(Reader(self))
        return self._readers[-1]

    def leave(self, reader: Reader) -> None:
        """It wants nothing more."""
        if reader in self._readers:
            self._readers.remove(reader)

    def distribute(self) -> None:
        """Everyone gets what has come."""
        if not self._readers:
            return
        found = self._find()
        for first, stop in self._left_out:
            found = found[(found[:, 1] < first) | (found[:, 1] >= stop)]
        for reader in self._readers:
            reader.held.append(found)

    def go_back(self, step: int) -> None:
        """What has come at ``step`` and after it has not: the run stands there again."""
        self.distribute()
        for reader in self._readers:
            reader.held = [found[found[:, 0] < step] for found in reader.held]

    def spikes(self, found: Array) -> Spikes:
        return Spikes(found[:, 0], found[:, 1], self._dt)


class Reader:
    """A :class:`engines.api.abilities.SpikeReader`."""

    def __init__(self, readers: Readers) -> None:
        self._readers = readers
        self.held = [NONE]

    def take(self) -> Spikes:
        self._readers.distribute()
        found, self.held = np.concatenate(self.held), [NONE]
        return self._readers.spikes(found)

    def close(self) -> None:
        self._readers.leave(self)
        self.held = [NONE]
