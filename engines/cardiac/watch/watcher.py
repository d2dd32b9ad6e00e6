"""What an observer of the tissue is."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any

from engines.api import Array, FieldInfo, MarkerInfo, Markers, SeriesInfo
from engines.api.charts import ChartData, ChartInfo


class Observer(ABC):
    """Looks at the voltage every few steps, on the device, and keeps what it finds: fields, series, charts.

    Cells stand in the order of the device, as in the voltage. An observer never changes the tissue.
    """

    fields: tuple[FieldInfo, ...] = ()
    series: tuple[SeriesInfo, ...] = ()
    charts: tuple[ChartInfo, ...] = ()
    marked: MarkerInfo | None = None
    every: int = 1
    """Steps between two looks; looks come at the start and after steps whose number is a multiple of it."""

    @abstractmethod
    def look(self, time: float, voltage: Any) -> None:
        """See the voltage ``(n_padded,)`` [mV] at ``time`` [ms]. Called inside ``backend.active``; must not wait."""

    def conduct(self, changed: Array, left: Array) -> None:
        """Painting has changed the share of their conductivity that cells have left, ``left: (n_cells,)``, in those of
        ``changed: (m,)``. Called outside ``backend.active``."""

    def values(self, field: str) -> Any:
        """(n_padded,) on the device: one of ``fields``."""
        raise KeyError(field)

    def observe(self) -> Mapping[str, float]:
        """The present value of each of ``series``."""
        return {}

    def chart(self, name: str) -> ChartData:
        """One of ``charts`` that is not over time."""
        raise KeyError(name)

    def markers(self) -> Markers | None:
        """The points of ``marked`` as they were at the latest look."""
        return None

    def state(self) -> dict[str, Array]:
        """All that :meth:`restore` needs to go on as if nothing had been."""
        return {}

    def restore(self, state: Mapping[str, Array]) -> None:
        """Take a state back. A state without this observer's values starts it anew."""
