"""Mean rates of populations: of few neurons over a longer time than that between two samples."""

from __future__ import annotations

import numpy as np

from engines.api import Array
from engines.spiking.watch.groups import Groups


class Rates:
    """past: (samples, 1 + populations) step, and spikes of each population since the beginning, at samples before."""

    def __init__(self, groups: Groups, dt: float) -> None:
        self._windows = np.round(groups.windows / dt).astype(int)
        self._neurons, self._dt = np.maximum(np.diff(groups.bounds), 1), dt
        self.past = np.zeros((1, 1 + len(self._neurons)), np.int64)

    def then(self, seen: tuple[int, Array], now: tuple[int, Array]) -> Array:
        """(populations,) [Hz] of step and spikes ``now``, after those of the sample before it. None had fired before
        the beginning."""
        oldest = np.searchsorted(self.past[:, 0], now[0] - self._windows.max(initial=0), side="right") - 1
        self.past = np.concatenate([self.past[max(0, oldest) :], [(seen[0], *seen[1])]])
        begin = np.searchsorted(self.past[:, 0], now[0] - np.maximum(self._windows, 1), side="right") - 1
        begin = np.maximum(begin, 0)
        steps, before = self.past[begin, 0], self.past[begin, 1 + np.arange(len(begin))]
        seconds = np.maximum(now[0] - steps, self._windows) * self._dt / 1000.0
        return np.asarray((now[1] - before) / self._neurons / seconds)
