"""What a run keeps for its owner as it goes on: every sample of its series and of its probes."""

from __future__ import annotations

import numpy as np

from engines.api import Array, Simulation
from workbench.run.frames import Sample
from workbench.run.observer import Observer


class Keeper(Observer):
    """Nothing is thinned out: 8 bytes for each series, and 4 for each field at each probe, of every sample."""

    def __init__(self) -> None:
        self._batches: list[Sample] = []

    def sampled(self, sample: Sample) -> None:
        if len(sample.trace_times):
            self._batches.append(sample)

    def restarted(self, simulation: Simulation) -> None:
        self._batches.clear()

    @property
    def times(self) -> Array:
        """(n,) float64, in the run's unit of time."""
        return _joined([batch.trace_times for batch in self._batches])

    def series(self, name: str) -> Array:
        """(n,) float64; NaN where the simulation did not tell."""
        return _joined([batch.series.get(name, np.full(len(batch.trace_times), np.nan)) for batch in self._batches])

    def trace(self, field: str, probe: int) -> tuple[Array, Array]:
        """Times (n,), and (n,) or (n, components) float32: a field at a probe."""
        found = [batch.trace(field, probe) for batch in self._batches if field in batch.traces]
        return _joined([times for times, _ in found]), _joined([values for _, values in found])

    @property
    def traced(self) -> list[str]:
        """The fields that are followed at probes."""
        return list(dict.fromkeys(field for batch in self._batches[:1] for field in batch.traces))


def _joined(parts: list[Array]) -> Array:
    return np.concatenate(parts) if parts else np.empty(0)
