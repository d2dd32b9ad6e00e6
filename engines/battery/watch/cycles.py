"""What cells that age have become after each cycle: capacity, lithium lost, thickness of the SEI."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from engines.api import Array
from engines.api.charts import ChartData, ChartInfo, Curve
from engines.battery.step.cell_rows import Coefficient, CycleRow, Row

if TYPE_CHECKING:
    from engines.battery.cells.step.cells import Cells

HOUR, PERCENT, NANOMETRE = 3600.0, 100.0, 1e-9
BAND = (5, 95)
"""Percentiles of the cells around their mean."""

CHARTS = (
    ChartInfo(
        "cycle_capacity",
        "Capacity over cycles",
        "A h",
        x_title="Cycle",
        x_unit="1",
        comparable=True,
        y_title="Capacity",
    ),
    ChartInfo("cycle_lithium", "Loss of lithium inventory", "%", x_title="Cycle", x_unit="1", comparable=True),
    ChartInfo("cycle_film", "Thickness of the SEI", "nm", x_title="Cycle", x_unit="1", comparable=True),
    ChartInfo("cycle_anode", "Lowest potential of the anode", "V", x_title="Cycle", x_unit="1"),
)
CURVES = {
    "cycle_capacity": ("Discharge", "Charge"),
    "cycle_lithium": ("Together", "In the SEI", "Plated"),
    "cycle_film": ("SEI",),
    "cycle_anode": ("Against lithium",),
}


class Cycles:
    """The cycles that all recorded cells have been through; each is fetched from the device once."""

    def __init__(self, cells: Cells) -> None:
        self._cells = cells
        self._recorded = cells.record.shape[2]
        _, self._given = cells.columns(np.arange(self._recorded))
        lithium = [self._given[Coefficient[f"{e}_START"]] / self._given[Coefficient[f"{e}_GROWTH"]] for e in
                   ("NEGATIVE", "POSITIVE")]  # fmt: skip
        self._lithium = np.abs(lithium[0]) + np.abs(lithium[1])
        self._known: list[dict[str, Array]] = []

    @property
    def charts(self) -> tuple[ChartInfo, ...]:
        ageing = self._cells.ageing
        assert ageing is not None
        left_out = {"cycle_film"} if ageing.sei == "none" else set()
        if ageing.plating == "none":
            left_out.add("cycle_anode")
        return tuple(chart for chart in CHARTS if chart.name not in left_out)

    def forget(self) -> None:
        """The record is another one (a restored run)."""
        self._known = []

    def chart(self, name: str) -> ChartData:
        """Mean and band of the cells against the number of the cycle; KeyError for what is no chart of cycles."""
        titles = CURVES[name]
        self._fetch()
        number = np.arange(1.0, len(self._known) + 1)
        found = np.array([each[name] for each in self._known]).reshape(-1, len(titles), 3)
        banded = self._recorded > 1
        return ChartData(
            tuple(
                Curve(
                    title, number, found[:, k, 0], low=found[:, k, 1] if banded else None,
                    high=found[:, k, 2] if banded else None, told=-1,
                )
                for k, title in enumerate(titles)
            )
        )  # fmt: skip

    def _fetch(self) -> None:
        cells = self._cells
        with cells.backend.active():
            slowest = int(cells.state[int(Row.INSTRUCTION), : self._recorded].min())
        through = min(slowest // cells.instructions_per_cycle, len(cells.record))
        if through > len(self._known):
            fresh = cells.backend.to_host(cells.record[len(self._known) : through]).astype(float)
            self._known += [self._reduced(record) for record in fresh]

    def _reduced(self, record: Array) -> dict[str, Array]:
        """(curves, 3) mean, low and high of each chart from ``record``: (len(CycleRow), recorded cells)."""
        sei, plated = record[CycleRow.SEI], record[CycleRow.PLATED]
        film = self._given[Coefficient.FILM] + self._given[Coefficient.FILM_GROWTH] * sei
        shares = [PERCENT * each / self._lithium for each in (sei + plated, sei, plated)]
        values = {
            "cycle_capacity": [record[CycleRow.DISCHARGED] / HOUR, record[CycleRow.CHARGED] / HOUR],
            "cycle_lithium": shares,
            "cycle_film": [film / NANOMETRE],
            "cycle_anode": [record[CycleRow.LOWEST_ANODE]],
        }
        return {name: np.array([[x.mean(), *np.percentile(x, BAND)] for x in rows]) for name, rows in values.items()}
