"""Grids and fields with known answers, and an engine that lets a person paint on one."""

from __future__ import annotations

import numpy as np

from engines.api import (
    Array,
    Engine,
    Estimate,
    FieldInfo,
    KernelTiming,
    KernelTraffic,
    PaintInfo,
    Selection,
    SimulationInfo,
)
from engines.cardiac.parameters import CardiacParameters
from engines.geometry.grid import Grid
from tests.ui.doubles import FakeServices
from tests.ui.wave import Stepped
from workbench.project.document import Document
from workbench.project.project import Project

CONCENTRATION = FieldInfo("u", "Concentration", "mol/m³", "cell", (0.0, 1.0), "viridis")
ARRIVAL = FieldInfo("arrival", "Arrival", "s", "grid", (0.0, 10.0), "inferno", missing=-1.0)
FLOW = FieldInfo("flow", "Flow", "m/s", "cell", (0.0, 5.0), components=2)
PAINT = PaintInfo("u", "Concentration", "mol/m³", 0.25, 0.05)


def info(grid: Grid, *fields: FieldInfo, brushes: tuple[PaintInfo, ...] = ()) -> SimulationInfo:
    return SimulationInfo(grid, 0.1, "s", fields or (CONCENTRATION,), (), (), None, brushes)


def gather(values: Array, selection: Selection) -> Array:
    """What a simulation answers to a selection."""
    taken = values[selection.elements].astype(np.float32)
    if selection.offsets is None:
        return taken
    return np.add.reduceat(taken, selection.offsets[:-1], axis=0) / np.diff(selection.offsets).astype(np.float32)


class Pond(Stepped):
    """Ripples around the middle of a grid, and what a person paints, which stays."""

    def __init__(self, grid: Grid) -> None:
        self.geometry, self.dt, self.step = grid, 0.1, 0
        self.fields, self.brushes = (CONCENTRATION,), (PAINT,)
        self.traffic = (KernelTraffic("diffusion", 8 * grid.n_cells, 4 * grid.n_cells, 10 * grid.n_cells),)
        self.dabs = []
        self.painted = np.zeros(grid.n_cells, np.float32)
        self._centers = grid.centers(np.arange(grid.n_cells))
        low, high = grid.bounds
        self._distance = np.linalg.norm(self._centers - (low + high) / 2, axis=1) / max(grid.lengths)

    def _values(self) -> Array:
        ripples = 0.45 * (1 + np.cos(40 * self._distance - self.time)) * np.exp(-((2.4 * self._distance) ** 2))
        return (ripples + self.painted).astype(np.float32)

    def gather(self, name, handle):
        return gather(self._values(), handle)

    def field(self, name):
        return self._values()

    def paint(self, dab):
        self.dabs.append(dab)
        inside = np.linalg.norm(self._centers - np.array(dab.position), axis=1) <= dab.radius
        self.painted[inside] = 0 if dab.erase else self.painted[inside] + dab.amount

    def state(self):
        return {"step": np.array(self.step), "painted": self.painted.copy()}

    def restore(self, state):
        self.step, self.painted = int(state["step"]), np.array(state["painted"])

    def drain_timings(self):
        return (KernelTiming("diffusion", 1, 1e-4),)


class PondEngine(Engine):
    id, title, summary, time_unit = "pond", "Pond", "Ripples on a grid", "s"
    Parameters = CardiacParameters
    geometry_type = None

    def __init__(self) -> None:
        self.built: list[Pond] = []

    def default_parameters(self, geometry):
        return CardiacParameters(regions=[], stimuli=[])

    def estimate(self, problem, backend):
        return Estimate(10**6, 12 * problem.geometry.n_cells, 0.1, 0.2, 1e-3)

    def build(self, problem, backend, progress=lambda *_: None):
        self.built.append(Pond(problem.geometry))
        return self.built[-1]


class PondServices(FakeServices):
    """Every preset is a pond on ``grid``."""

    def __init__(self, grid: Grid) -> None:
        super().__init__()
        self.engine, self.grid = PondEngine(), grid

    def document(self, title="Pond", shape=()):
        return Document(
            Project(title=title, engine="pond"), self.engine, self.engine.default_parameters(None), self.grid
        )

    def locate(self, document, position):
        return int(self.grid.nearest(np.array(position))[0])
