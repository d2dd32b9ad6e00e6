"""What watches a run: traces, spectra, fluxes, far fields. One recorder stands for one monitor of the problem."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any

from engines.api import Array, FieldInfo, SeriesInfo
from engines.api.charts import ChartData, ChartInfo

NEVER = 1 << 62
"""``every`` of what is made of another recorder's sums: it is never given the fields."""


class Recorder(ABC):
    """Sums on the device while a run goes on; charts, series and results are made of the sums when they are asked for.

    ``every`` steps it is given the fields (it may change). ``charts``, ``series`` and ``fields`` have names that no
    other recorder has.
    """

    every: int = 1
    charts: tuple[ChartInfo, ...] = ()
    series: tuple[SeriesInfo, ...] = ()
    fields: tuple[FieldInfo, ...] = ()

    @abstractmethod
    def record(self, step: int) -> None:
        """``step`` steps are done: E is that of time ``step Δt``, H of half a step later. Inside ``backend.timed``."""

    def chart(self, name: str) -> ChartData:
        """The points of one of ``charts``."""
        raise KeyError(name)

    def observe(self) -> Mapping[str, float]:
        """The present value of each of ``series``."""
        return {}

    @property
    def ending(self) -> str:
        """Why the run has come to its end, a sentence; empty while it goes on."""
        return ""

    def field(self, name: str) -> Array:
        """The whole of one of ``fields``, (cells,) float32 on the host."""
        raise KeyError(name)

    def gather(self, name: str, elements: Array, made: dict[Any, Any]) -> Array:
        """One of ``fields`` in the cells ``elements``, (n,) float64; ``made`` keeps what is made once for them."""
        raise KeyError(name)

    def restored(self, step: int) -> None:
        """``parts`` are now those of a run that has taken ``step`` steps."""

    @abstractmethod
    def parts(self) -> dict[str, Any]:
        """What changes from step to step, by name: arrays on the device."""

    def results(self) -> Mapping[str, Array]:
        """What is exported beside fields: arrays on the host by ``monitor/quantity [unit]`` (frequencies, spectra)."""
        return {}

    def files(self) -> Mapping[str, str]:
        """Text files in forms that other programs read, by name."""
        return {}
