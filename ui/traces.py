"""The values that probes have seen, bounded in memory: a full buffer keeps the extremes of each stretch."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from engines.api import Array
from workbench.frames import Sample

CAPACITY = 16384


class TraceBuffer:
    """One growing curve of at most ``capacity`` points.

    When full, each run of four points becomes its lowest and its highest in the order of time, so that peaks
    and upstrokes stay where they were; the plot looks the same and the memory is halved.
    """

    def __init__(self, capacity: int = CAPACITY) -> None:
        self._times = np.empty(capacity)
        self._values = np.empty(capacity)
        self._count = 0

    def __len__(self) -> int:
        return self._count

    @property
    def times(self) -> Array:
        return self._times[: self._count]

    @property
    def values(self) -> Array:
        return self._values[: self._count]

    def append(self, times: Array, values: Array) -> None:
        """Add points; those not later than the last are dropped (a restored earlier moment clears first)."""
        if self._count:
            later = times > self._times[self._count - 1]
            times, values = times[later], values[later]
        capacity = len(self._times)
        for start in range(0, len(times), capacity // 2):
            piece = slice(start, start + capacity // 2)
            size = len(times[piece])
            if self._count + size > capacity:
                self._thin()
            self._times[self._count : self._count + size] = times[piece]
            self._values[self._count : self._count + size] = values[piece]
            self._count += size

    def at(self, time: float) -> float | None:
        """The value next to ``time``."""
        if not self._count:
            return None
        place = int(np.clip(np.searchsorted(self.times, time), 0, self._count - 1))
        return float(self._values[place])

    def _thin(self) -> None:
        whole = self._count - self._count % 4
        times = self._times[:whole].reshape(-1, 4)
        values = self._values[:whole].reshape(-1, 4)
        places = np.sort(np.stack([values.argmin(axis=1), values.argmax(axis=1)], axis=1), axis=1)
        kept = whole // 2
        rest = self._count - whole
        tail = self._times[whole : self._count].copy(), self._values[whole : self._count].copy()
        rows = np.arange(len(times))[:, None]
        self._times[:kept] = times[rows, places].ravel()
        self._values[:kept] = values[rows, places].ravel()
        self._times[kept : kept + rest], self._values[kept : kept + rest] = tail
        self._count = kept + rest


class TraceStore:
    """A buffer per probe and field, and one per series of the whole problem."""

    def __init__(self) -> None:
        self.probes: dict[tuple[str, str], TraceBuffer] = {}
        self.series: dict[str, TraceBuffer] = {}

    def clear(self) -> None:
        self.probes.clear()
        self.series.clear()

    def take(self, samples: Sequence[Sample]) -> None:
        """Append what the samples carry."""
        for sample in samples:
            for field, values in sample.traces.items():
                for place, probe in enumerate(sample.probes):
                    if values.ndim > 1 and place < values.shape[1]:
                        column = np.asarray(values[:, place], float)
                        column = column if column.ndim == 1 else np.linalg.norm(column, axis=1)
                        self.probes.setdefault((probe, field), TraceBuffer()).append(sample.trace_times, column)
            for name, series in sample.series.items():
                self.series.setdefault(name, TraceBuffer()).append(sample.trace_times, series)

    def rename(self, old: str, new: str) -> None:
        for probe, field in [key for key in self.probes if key[0] == old]:
            self.probes[new, field] = self.probes.pop((probe, field))

    def drop(self, probe: str) -> None:
        for key in [key for key in self.probes if key[0] == probe]:
            del self.probes[key]

    def fields(self) -> list[str]:
        return sorted({field for _, field in self.probes})
