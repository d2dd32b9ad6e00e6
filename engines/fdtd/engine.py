"""The FDTD engine: Maxwell's equations on Yee's grid, stepped by leapfrog.

Method: E and H stand on staggered edges and faces and half a step apart; each step updates E from the curl of H, then
H from the curl of E (Yee, doi 10.1109/TAP.1966.1138693). Materials are means over the cells around an edge; open space
is absorbed in a CPML; plane waves enter through a total-field box. README.md has the equations.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from engines.api import (
    Benchmark,
    Engine,
    Estimate,
    Imported,
    Problem,
    Progress,
    Simulation,
    no_progress,
)
from engines.api.device import Backend
from engines.api.lab import Study
from engines.api.lab_tables import LabTable
from engines.api.placing import Placement
from engines.api.tools import Tool
from engines.fdtd.gprmax.reader import SUFFIX, read_gprmax
from engines.fdtd.grid.yee import TIME_UNITS
from engines.fdtd.lab.benchmarks import benchmarks, warming_problems
from engines.fdtd.parameters import (
    Faces,
    FdtdParameters,
    GridSetting,
    Material,
    Numerics,
    ObliqueWaveSource,
    PlaneMonitor,
    PointSource,
    Sphere,
    TraceMonitor,
    VolumeMonitor,
    WaveSource,
)
from engines.fdtd.placing.placement import placement_of
from engines.fdtd.setup.problem import Setup, checked, grid_of
from engines.fdtd.tools.fit_dispersion import FitDispersion
from engines.fdtd.watch.source_charts import ShowSources
from engines.geometry.grid import Grid


class FdtdEngine(Engine):
    """Electromagnetic waves on a grid that the parameters describe."""

    id = "fdtd"
    title = "Electromagnetic waves"
    summary = "Maxwell's equations in the time domain (FDTD): antennas, scattering, interference, optics"
    time_unit = "fs"
    Parameters = FdtdParameters
    geometry_type = None
    imports = (SUFFIX,)

    def default_parameters(self, geometry: Any) -> FdtdParameters:
        return FdtdParameters()

    def geometry_of(self, problem: Problem) -> Grid:
        return grid_of(checked(problem).grid)

    def time_unit_of(self, parameters: Any) -> str:
        return TIME_UNITS[parameters.grid.length_unit]

    def estimate(self, problem: Problem, backend: Backend) -> Estimate:
        setup = Setup(problem, backend)
        return Estimate(
            memory_bytes=setup.memory,
            bytes_per_step=sum(each.bytes for each in setup.traffic),
            step=setup.dt,
            stable_step=setup.limit,
            seconds_per_simulated_unit=setup.seconds_per_step / setup.dt,
            findings=setup.findings,
        )

    def build(self, problem: Problem, backend: Backend, progress: Progress = no_progress) -> Simulation:
        progress("Placing objects on the grid", 0.0)
        setup = Setup(problem, backend)
        simulation = setup.build(progress)
        progress("Ready", 1.0)
        return simulation

    def ends(self, problem: Problem) -> bool:
        return checked(problem).ending.at_decay

    def placed(self, problem: Problem) -> Placement:
        return placement_of(checked(problem))

    def imported(self, path: Path) -> Imported | None:
        """A gprMax file."""
        return read_gprmax(path)

    def tools(self) -> Sequence[Tool]:
        return (FitDispersion(), ShowSources())

    def benchmarks(self, elements: Sequence[int] = ()) -> Sequence[Benchmark]:
        return benchmarks(elements)

    def studies(self) -> Sequence[Study]:
        from engines.fdtd.lab.studies import studies  # measured seldom

        return studies()

    def tables(self) -> Sequence[LabTable]:
        from engines.fdtd.lab.tables import TABLES  # measured seldom

        return TABLES

    def warm(self, backend: Backend) -> None:
        """Steps of a small grid with all that sources and monitors need, in both precisions, without and with a metal,
        and with smoothing; and of one with a middle beyond all layers."""
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
        problems = [
            Problem(FdtdParameters(grid=grid, sources=sources, monitors=monitors, **extras)) for extras in (*both, ball)
        ]
        for problem in (*problems, *warming_problems()):
            simulation = self.build(problem, backend)
            simulation.advance(200)
            simulation.observe()
            for chart in simulation.charts:
                simulation.chart(chart.name)
            simulation.synchronize()
            simulation.close()
