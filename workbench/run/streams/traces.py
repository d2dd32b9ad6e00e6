"""The values that probes have seen, bounded in memory: a full buffer keeps the extremes of each stretch."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from engines.api import Array
from workbench.run.frames import Reading, Sample
from workbench.run.meters import LONGEST_VECTOR
from workbench.run.streams.curves import Curves

CAPACITY = 16384


class TraceBuffer:
    """One growing curve, stored in at most ``capacity`` points (a multiple of four).

    When full, each run of four points becomes its lowest and its highest in the order of time, and from then on
    twice as many new points share a stored one: the whole curve keeps one resolution, and its peaks and upstrokes.
    Points that do not yet fill a run are kept as they are.
    """

    def __init__(self, capacity: int = CAPACITY) -> None:
        if capacity < 4 or capacity % 4:
            raise ValueError(f"The capacity {capacity} must be a multiple of four.")
        self._times = np.empty(capacity)
        self._values = np.empty(capacity)
        self._count = 0
        self._share = 1  # points taken in per point stored
        self._tail: tuple[Array, Array] = (np.empty(0), np.empty(0))
        self._newest = (-np.inf, 0.0)

    def __len__(self) -> int:
        return len(self.times)

    @property
    def times(self) -> Array:
        return self._shown(0, self._times)

    @property
    def values(self) -> Array:
        return self._shown(1, self._values)

    def append(self, times: Array, values: Array) -> None:
        """Add points; those not later than the last are dropped."""
        later = times > self._newest[0]
        if not later.any():
            return
        times, values = times[later], values[later]
        self._newest = (float(times[-1]), float(values[-1]))
        self._tail = (np.concatenate([self._tail[0], times]), np.concatenate([self._tail[1], values]))
        while self._store():
            self._thin()

    def _shown(self, which: int, stored: Array) -> Array:
        """What is stored, the run that is not full yet, and the newest point if thinning has taken it."""
        tail = self._tail[which]
        last = self._tail[0][-1] if len(tail) else self._times[self._count - 1] if self._count else self._newest[0]
        newest = [self._newest[which]] if last < self._newest[0] else []
        return np.concatenate([stored[: self._count], tail, newest])

    def until(self, time: float, *, ended: bool = False) -> TraceBuffer:
        """The curve up to ``time``, to go on from there; ``ended``: nothing is added, so it takes no more room."""
        times = self.times
        shorter = TraceBuffer(4 * max(1, -(-len(times) // 4)) if ended else len(self._times))
        known = times <= time
        shorter.append(times[known], self.values[known])
        return shorter

    def since(self, time: float) -> tuple[Array, Array]:
        """Times and values after ``time``, and the point before them; nothing where none is after it."""
        times = self.times
        first = int(np.searchsorted(times, time, side="right"))
        if first == len(times):
            return np.empty(0), np.empty(0)
        return times[max(0, first - 1) :], self.values[max(0, first - 1) :]

    def at(self, time: float) -> float | None:
        """The value that is nearest to ``time``, which may be infinite; between two the later one."""
        times = self.times
        if not len(times):
            return None
        place = min(int(np.searchsorted(times, time)), len(times) - 1)
        before = max(place - 1, 0)
        return float(self.values[before if abs(time - times[before]) < abs(times[place] - time) else place])

    def _store(self) -> bool:
        """Store what fits of the tail; whether more would have been ready."""
        times, values = self._tail
        run = 1 if self._share == 1 else 2 * self._share
        yields = 1 if self._share == 1 else 2
        ready, room = len(times) // run, (len(self._times) - self._count) // yields
        runs = min(ready, room)
        if runs:
            used, end = runs * run, self._count + runs * yields
            stored = (times[:used], values[:used]) if run == 1 else _extremes(times[:used], values[:used], run)
            self._times[self._count : end], self._values[self._count : end] = stored
            self._count = end
            self._tail = (times[used:], values[used:])
        return ready > room

    def _thin(self) -> None:
        times, values = _extremes(self._times, self._values, 4)
        self._count = len(times)
        self._times[: self._count], self._values[: self._count] = times, values
        self._share *= 2


def _extremes(times: Array, values: Array, run: int) -> tuple[Array, Array]:
    """The lowest and the highest point of each ``run`` points, in the order of time."""
    times, values = times.reshape(-1, run), values.reshape(-1, run)
    unknown = np.isnan(values)
    least, most = np.where(unknown, np.inf, values).argmin(axis=1), np.where(unknown, -np.inf, values).argmax(axis=1)
    places = np.sort(np.stack([least, most], axis=1), axis=1)
    places[places[:, 0] == places[:, 1]] = (0, run - 1)  # a constant run keeps its ends
    rows = np.arange(len(times))[:, None]
    return times[rows, places].ravel(), values[rows, places].ravel()


def has_one_curve(components: tuple[int, ...]) -> bool:
    """Whether a field with this shape at an element is one curve over time: a number, or the length of a vector."""
    return math.prod(components) <= LONGEST_VECTOR


BRANCHES = 4
"""Branches that a run has left and that are still shown."""


LeftCurve = tuple[int, Array, Array]
"""The place of a curve among those of the present branch; times and values on one that was left."""


@dataclass(frozen=True)
class Branch:
    """What a run had seen after the moment to which it was rewound: times and values."""

    probes: dict[tuple[str, str], tuple[Array, Array]]
    series: dict[str, tuple[Array, Array]]


class TraceStore:
    """A buffer per probe and field, and one per series of the whole problem; ``left``: branches before the present."""

    def __init__(self) -> None:
        self.probes: dict[tuple[str, str], TraceBuffer] = {}
        self.series: dict[str, TraceBuffer] = {}
        self.left: list[Branch] = []
        self._whole: tuple[dict[tuple[str, str], TraceBuffer], dict[str, TraceBuffer]] | None = None

    def clear(self) -> None:
        self.probes.clear()
        self.series.clear()
        self.left.clear()
        self._whole = None

    def curves(self) -> Curves:
        """All that was drawn of the present branch."""
        series = [((name,), buffer) for name, buffer in self.series.items()]
        return {key: (buffer.times, buffer.values) for key, buffer in (*series, *self.probes.items())}

    def put(self, curves: Curves) -> None:
        """What :meth:`curves` gave of a run that goes on here, in the place of what there is."""
        self.clear()
        for key, (times, values) in curves.items():
            buffer = TraceBuffer()
            buffer.append(times, values)
            if len(key) == 1:
                self.series[key[0]] = buffer
            else:
                self.probes[key[0], key[1]] = buffer

    def rewind(self, time: float) -> None:
        """The run stands at ``time`` again: what came after it becomes a branch that it has left.

        Rewound again before it goes on, to whatever time, it leaves the same branch there.
        """
        if self._whole is None:
            self._whole = (self.probes, self.series)
        elif self.left:
            self.left.pop()
        probes, series = self._whole
        self.left.append(
            Branch(
                {key: buffer.since(time) for key, buffer in probes.items()},
                {name: buffer.since(time) for name, buffer in series.items()},
            )
        )
        del self.left[:-BRANCHES]
        self.probes = {key: buffer.until(time) for key, buffer in probes.items()}
        self.series = {name: buffer.until(time) for name, buffer in series.items()}

    def take(self, samples: Sequence[Sample]) -> None:
        """Append what the samples carry."""
        self._whole = None
        for sample in samples:
            for field, values in sample.traces.items():
                for place, probe in enumerate(sample.probes):
                    if values.ndim > 1 and place < values.shape[1] and has_one_curve(values.shape[2:]):
                        times, column = sample.trace(field, place)
                        column = column if column.ndim == 1 else np.linalg.norm(column, axis=1)
                        self.probes.setdefault((probe, field), TraceBuffer()).append(times, np.asarray(column, float))
            for name, series in sample.series.items():
                self.series.setdefault(name, TraceBuffer()).append(sample.trace_times, series)

    def read(self, reading: Reading) -> None:
        """Of probes that were placed since the run stands: others have what it has sampled."""
        time = np.array([reading.time])
        for field, values in reading.values.items():
            if not has_one_curve(values.shape[1:]):
                continue
            lengths = np.linalg.norm(values, axis=1) if values.ndim > 1 else values
            for probe, value in zip(reading.probes, lengths, strict=True):
                if (probe, field) not in self.probes:
                    self.probes[probe, field] = TraceBuffer()
                    self.probes[probe, field].append(time, np.array([value], float))

    def rename(self, old: str, new: str) -> None:
        for probe, field in [key for key in self.probes if key[0] == old]:
            self.probes[new, field] = self.probes.pop((probe, field))
        for branch in self.left:
            for probe, field in [key for key in branch.probes if key[0] == old]:
                branch.probes[new, field] = branch.probes.pop((probe, field))

    def drop(self, probe: str) -> None:
        for key in [key for key in self.probes if key[0] == probe]:
            del self.probes[key]
        for branch in self.left:
            for key in [key for key in branch.probes if key[0] == probe]:
                del branch.probes[key]
