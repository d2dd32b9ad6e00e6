"""What watches a run: traces, spectra, fluxes, far fields. One recorder stands for one monitor of the problem."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any

from engines.api import Array, SeriesInfo
from engines.charts import ChartData, ChartInfo


class Recorder(ABC):
    """Sums on the device while a run goes on; charts, series and results are made of the sums when they are asked for.

    ``every`` steps it is given the fields. ``charts`` and ``series`` have names that no other recorder has.
    """

    every: int = 1
    charts: tuple[ChartInfo, ...] = ()
    series: tuple[SeriesInfo, ...] = ()

    @abstractmethod
    def record(self, step: int) -> None:
        """``step`` steps are done: E is that of time ``step Δt``, H of half a step later. Inside ``backend.timed``."""

    def chart(self, name: str) -> ChartData:
        """The points of one of ``charts``."""
        raise KeyError(name)

    def observe(self) -> Mapping[str, float]:
        """The present value of each of ``series``."""
        return {}

    @abstractmethod
    def parts(self) -> dict[str, Any]:
        """What changes from step to step, by name: arrays on the device."""

    def results(self) -> Mapping[str, Array]:
        """What is exported beside fields: arrays on the host by name (frequencies, spectra, angles)."""
        return {}
