"""A small problem of Maxwell's equations for the tests."""

from __future__ import annotations

from engines.api import Problem
from engines.fdtd.engine import FdtdEngine
from engines.fdtd.parameters import FdtdParameters, GridSetting, PointSource, Pulse, Sphere, WaveSource

ENGINE = FdtdEngine()


GRID = GridSetting(cells_x=36, cells_y=32, cells_z=30, size_x=1.8, size_y=1.6, size_z=1.5)


POINT = PointSource(place=(0.9, 0.8, 0.7), signal=Pulse())


def small(**changes) -> Problem:
    settings = {
        "grid": GRID,
        "sources": [POINT, WaveSource(margin=2)],
        "objects": [Sphere(center=(0.9, 0.8, 0.7), radius=0.2)],
    }
    return Problem(FdtdParameters(**{**settings, **changes}))
