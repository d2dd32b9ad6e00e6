"""Cells on a device, stepped and looked at."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from engines.api import Array, FieldInfo, KernelTiming, NonFinite, Selection, SeriesInfo, Simulation
from engines.backend.base import Backend
from engines.battery.bands import bands
from engines.battery.cells import Cells, Row
from engines.battery.constants import REFERENCE_TEMPERATURE
from engines.charts import ChartInfo
from engines.errors import ProblemError
from engines.geometry.particles import Particles

SERIES = (
    SeriesInfo("voltage", "Terminal voltage, mean", "V"),
    SeriesInfo("voltage_p05", "Terminal voltage, 5th percentile", "V"),
    SeriesInfo("voltage_p95", "Terminal voltage, 95th percentile", "V"),
    SeriesInfo("current", "Current, mean", "A"),
    SeriesInfo("temperature", "Temperature, mean", "°C"),
    SeriesInfo("capacity", "Charge given, mean", "A h"),
    SeriesInfo("running", "Cells still in the protocol", "1"),
    SeriesInfo("balance", "Lithium balance error, largest", "1"),
)
CHARTS = (
    ChartInfo(
        "voltage",
        "Voltage, mean and 5 to 95 %",
        "V",
        ("voltage",),
        (("voltage_p05", "voltage_p95"),),
        comparable=True,
    ),
    ChartInfo("current", "Current, mean", "A", ("current",), comparable=True),
    ChartInfo("temperature", "Temperature, mean", "°C", ("temperature",), comparable=True),
    ChartInfo("capacity", "Charge given, mean", "A h", ("capacity",), comparable=True),
)
KELVIN = 273.15


def fields(points: int, voltages: tuple[float, float]) -> tuple[FieldInfo, ...]:
    """What lives on the particles: ``stoichiometry`` has a component per shell from the centre to the surface."""
    return (
        FieldInfo("surface_stoichiometry", "Stoichiometry at the surface", "1", "point", (0.0, 1.0)),
        FieldInfo("stoichiometry", "Stoichiometry", "1", "point", (0.0, 1.0), components=points),
        FieldInfo("voltage", "Terminal voltage of the cell", "V", "point", voltages),
    )


@dataclass(frozen=True)
class _Selected:
    """``cells`` and ``positive``: which cell and electrode each selected particle is; ``offsets`` of means."""

    cells: Array
    positive: Array
    offsets: Array | None


class CellSimulation(Simulation):
    """N cells of two particles each; elements 0 to N−1 are the negative ones, N to 2N−1 the positive ones."""

    series = SERIES
    charts = CHARTS

    def __init__(self, backend: Backend, cells: Cells, geometry: Particles, points: int) -> None:
        self.geometry = geometry
        self.dt = cells.dt
        self.step = 0
        values = cells.parameters.values()
        self.fields = fields(points, (values["lower_cutoff"], values["upper_cutoff"]))
        self.traffic = (cells.traffic,)
        self._backend, self._cells, self._points = backend, cells, points
        self._everything = self.select(Selection(np.arange(geometry.n_cells, dtype=np.int32)))

    def advance(self, steps: int) -> None:
        if steps < 1:
            return
        with self._backend.timed("cells"):
            self._cells.advance(self.step, steps)
        self.step += steps

    def synchronize(self) -> None:
        self._backend.synchronize()

    def select(self, selection: Selection) -> _Selected:
        elements = np.asarray(selection.elements, np.int64)
        n = self._cells.n_cells
        if len(elements) and not (elements.min() >= 0 and elements.max() < 2 * n):
            raise ValueError(f"a selection of elements outside of 0 to {2 * n - 1}")
        return _Selected(elements % n, elements >= n, selection.offsets)

    def gather(self, name: str, handle: _Selected) -> Array:
        if name == "voltage":
            values = self._columns(handle.cells, slice(Row.VOLTAGE, Row.VOLTAGE + 1))[0]
        elif name == "surface_stoichiometry":
            values = np.where(handle.positive, *reversed(self._cells.surfaces(handle.cells)))
        else:
            negative, positive = self._cells.stoichiometry(self._points, handle.cells)
            values = np.where(handle.positive, positive, negative).T
        if handle.offsets is not None:
            runs = zip(handle.offsets[:-1], handle.offsets[1:], strict=True)
            values = np.array(
                [values[a:b].mean(axis=0) if b > a else np.full(values.shape[1:], np.nan) for a, b in runs]
            )
        return values.astype(np.float32)

    def field(self, name: str) -> Array:
        return self.gather(name, self._everything)

    def observe(self) -> Mapping[str, float]:
        state, n = self._cells.state, self._cells.n_cells
        voltage = bands(self._backend, state[Row.VOLTAGE : Row.VOLTAGE + 1], n)
        with self._backend.active():
            rows = (Row.CURRENT, Row.WARMTH, Row.CHARGE)
            current, warmth, charge = (float(state[int(row), :n].mean()) for row in rows)
            running = float((state[int(Row.INSTRUCTION), :n] < self._cells.n_instructions).sum())
        return {
            "voltage": float(voltage.mean[0]),
            "voltage_p05": float(voltage.low[0]),
            "voltage_p95": float(voltage.high[0]),
            "current": current,
            "temperature": warmth + REFERENCE_TEMPERATURE - KELVIN,
            "capacity": charge / 3600,
            "running": running,
            "balance": float(self._cells.balance().max()),
        }

    def set_control(self, name: str, value: Any) -> None:
        if name != "current_factor":
            raise ProblemError(f"'{name}' cannot change during a run: reset, change it, and run again.")
        self._cells.factor = float(value)

    def state(self) -> dict[str, Array]:
        return {
            "step": np.array(self.step),
            "cells": self._backend.to_host(self._cells.state),
            "current_factor": np.array(self._cells.factor),
        }

    def restore(self, state: Mapping[str, Array]) -> None:
        self.step = int(state["step"])
        self._cells.factor = float(state["current_factor"])
        with self._backend.active():
            self._cells.state[:] = self._backend.array(state["cells"])

    def drain_timings(self) -> tuple[KernelTiming, ...]:
        return self._backend.drain_timings()

    def non_finite(self) -> NonFinite | None:
        found = self._backend.first_non_finite(self._cells.state[int(Row.VOLTAGE), : self._cells.n_cells])
        if found is None:
            return None
        return NonFinite("The voltage", found, "use a smaller time step or a smaller current.")

    def close(self) -> None:
        del self._cells

    def _columns(self, cells: Array, rows: slice) -> Array:
        with self._backend.active():
            wanted = self._cells.state[rows][:, self._backend.array(cells)]
        return self._backend.to_host(wanted).astype(float)
