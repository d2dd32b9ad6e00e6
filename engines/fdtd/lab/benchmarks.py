"""Problems that are timed: a glass ball in open space, ten cells of CPML on six faces. And small ones that warm up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from engines.api import Benchmark, Problem
from engines.fdtd.parameters import (
    Faces,
    FdtdParameters,
    GridSetting,
    Material,
    Numerics,
    ObliqueWaveSource,
    PlaneMonitor,
    PointSource,
    Pulse,
    Sphere,
    TraceMonitor,
    VolumeMonitor,
    WaveSource,
)

Counts = tuple[int, int, int]
USUAL: tuple[Counts, ...] = ((64, 64, 64), (128, 128, 128), (256, 256, 256), (600, 600, 200))
"""Cells along x, y, z; the last are those of the guide whose figures the Kernel Lab has beside its own."""
LAYER = 10
WARM: Counts = (300, 40, 40)
"""So long that tiles of one pass (one_pass.py) lie in the middle, where a kernel without layers steps them."""
SMALLEST = 2 * LAYER + 12
"""Cells of a side that leave room for the ball and the current."""
CELL = 0.02
"""µm: 20 cells in a wavelength of 0.6 µm in glass."""


@dataclass(frozen=True)
class BallProblem:
    """Made when called: ``counts`` cells, precision ``"fp32"`` or ``"fp64"``."""

    counts: Counts
    precision: str

    @property
    def cells(self) -> int:
        return self.counts[0] * self.counts[1] * self.counts[2]

    @property
    def name(self) -> str:
        return f"{size_name(self.counts)} CPML-{LAYER} {self.precision}"

    def __call__(self) -> Problem:
        x, y, z = (CELL * count for count in self.counts)
        grid = GridSetting(
            **{f"cells_{axis}": count for axis, count in zip("xyz", self.counts, strict=True)},
            size_x=x, size_y=y, size_z=z,
        )  # fmt: skip
        clear = min(x, y, z) - 2 * LAYER * CELL
        return Problem(
            FdtdParameters(
                grid=grid,
                faces=Faces(layer=LAYER),
                materials=[Material(name="glass", permittivity=2.25)],
                objects=[Sphere(material="glass", center=(x / 2, y / 2, z / 2), radius=clear / 4)],
                sources=[PointSource(place=(x / 2, y / 2, z / 2), signal=Pulse(wavelength=1.2, cycles=2.0))],
                numerics=Numerics(precision=self.precision),
            )
        )


def size_name(counts: Sequence[int]) -> str:
    """``64³``, ``600×600×200``"""
    first = counts[0]
    return f"{first}³" if all(count == first for count in counts) else "×".join(map(str, counts))


def benchmarks(elements: Sequence[int] = ()) -> list[Benchmark]:
    """In both precisions; with ``elements`` a cube of about each number of cells."""
    sides = [max(SMALLEST, round(count ** (1 / 3))) for count in elements]
    sizes = [(side, side, side) for side in sides] or USUAL
    problems = [BallProblem(counts, precision) for counts in sizes for precision in ("fp32", "fp64")]
    return [Benchmark(problem.name, problem.cells, problem) for problem in problems]


def warming_problems() -> list[Problem]:
    """Small grids with all that sources and monitors need, in both precisions, without and with a metal, and with
    smoothing; and of those above one with a middle beyond all layers."""
    grid = GridSetting(cells_x=40, cells_y=40, cells_z=40, size_x=2.0, size_y=2.0, size_z=2.0)
    monitors = [TraceMonitor(place=(1.0, 1.0, 1.0)), PlaneMonitor(position=1.0), VolumeMonitor()]
    sources = [PointSource(place=(1.0, 1.0, 1.0)), WaveSource(), ObliqueWaveSource()]
    metal = {
        "materials": [Material(name="metal", library="Ag")],
        "objects": [Sphere(material="metal", center=(1.4, 1.0, 1.0), radius=0.2)],
        "faces": Faces(x_high="absorber", absorber=10),
    }
    ball = {"objects": [Sphere(center=(1.0, 1.0, 1.0), radius=0.2)], "numerics": Numerics(smoothing=True)}
    both = [{"numerics": Numerics(precision=p), **e} for p in ("fp32", "fp64") for e in ({}, metal)]
    small = [
        Problem(FdtdParameters(grid=grid, sources=sources, monitors=monitors, **extras)) for extras in (*both, ball)
    ]
    return [*small, *(BallProblem(WARM, precision)() for precision in ("fp32", "fp64"))]
