"""The FDTD engine: Maxwell's equations on Yee's grid, stepped by leapfrog.

    ε ∂E/∂t = ∇×H − σE − J,      μ ∂H/∂t = −∇×E − σ*H

**Grid** (``grid/``). E stands on the edges of cells, H on their faces, half a cell and half a step apart (Yee,
doi 10.1109/TAP.1966.1138693), so that each curl is a sum of differences between neighbours, of second order. Axes may
be graded or flat. A face is a wall, a mirror, periodic, with a phase (Bloch), or absorbs in a layer, a CPML.

**Media** (``media/``). A cell is of one material; an edge has the mean of ε and σ of its four cells, a face that of 1/μ
of its two; near interfaces an edge may have what the voxel around it gives (``smoothing/``). One or two bytes for each
component name the mixture. Dispersive materials add poles, each with one or two states per edge.

**Sources** (``sources/``, ``ports/``). Point currents; plane waves through a total-field box from a line of their own;
beams and modes from sheets of currents. A port is a voltage source with a resistance in a gap.

**A step** (``step/``), from E at time n, H at n − ½:

1. ψ of the absorbing layers takes its step with the differences of H, which it adds to their curl;
2. E ← ca E + cb (∇×H − w), w of the poles, whose states take their step with it;
3. what the sources add to E, and E of the waves' lines;
4. H in the same way: H ← da H − db ∇×E with ψ of its own, the sources, and H of the lines.

It is stable for cΔt √Σ 1/Δ² ≤ √(ε_r μ_r), of the least material there is.

**What is seen** (``watch/``, ``monitors/``, ``far/``, ``ports/``). Fields at the centres of cells and their energy;
traces; running Fourier sums for fluxes, R and T, volumes and far fields; S-parameters of ports.

**What it costs** (``step/traffic.py``, ``setup/speed.py``). In fp32 75 bytes per cell and step in two passes over the
fields, 51 in one: the memory's bandwidth is the bound. README.md has the figures.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from engines.api import Benchmark, Engine, Estimate, Finding, Imported, Problem, Progress, no_progress
from engines.api.device import Backend
from engines.api.lab import LabTable, Study
from engines.api.placing import Placement
from engines.api.simulation.ranks import Part, Ranks
from engines.api.tools import Tool
from engines.api.verification import VerificationCase
from engines.backend.pace import small_pace, structure_of
from engines.fdtd.gprmax.reader import SUFFIX, read_gprmax
from engines.fdtd.grid.yee import TIME_UNITS
from engines.fdtd.lab.benchmarks import benchmarks, warming_problems
from engines.fdtd.monitors.incident import bare_of, incident_of
from engines.fdtd.monitors.plans import make_watchers
from engines.fdtd.monitors.settling import endless
from engines.fdtd.parameters import FdtdParameters
from engines.fdtd.placing.placement import placement_of
from engines.fdtd.ports.watcher import PortsWatcher
from engines.fdtd.ranks.part import part_of
from engines.fdtd.setup.grid import grid_of
from engines.fdtd.setup.imported import SURFACE, of_body
from engines.fdtd.setup.on_grid import on_grid
from engines.fdtd.setup.problem import Setup, checked
from engines.fdtd.setup.sources import expected_field
from engines.fdtd.step.simulation import FdtdSimulation
from engines.fdtd.step.steps import make_steps
from engines.fdtd.tools.find_resonances import FindResonances
from engines.fdtd.tools.fit_dispersion import FitDispersion
from engines.fdtd.tools.show_sources import ShowSources
from engines.fdtd.watch.fields import fields_of, frequency_of
from engines.fdtd.watch.permittivity import Permittivity
from engines.fdtd.watch.source_charts import SourceCharts
from engines.geometry.grid import Grid


class FdtdEngine(Engine):
    """Electromagnetic waves on a grid that the parameters describe."""

    id = "fdtd"
    title = "Electromagnetic waves"
    summary = "Maxwell's equations in the time domain (FDTD): antennas, scattering, interference, optics"
    time_unit = "fs"
    Parameters = FdtdParameters
    geometry_type = None
    bodies = (SURFACE,)
    imports = (SUFFIX,)

    def default_parameters(self, geometry: Any) -> FdtdParameters:
        return FdtdParameters()

    def of_body(self, path: Path, length_unit: str) -> FdtdParameters:
        return of_body(path, length_unit)

    def geometry_of(self, problem: Problem) -> Grid:
        return grid_of(checked(problem).grid)

    def time_unit_of(self, parameters: Any) -> str:
        return TIME_UNITS[parameters.grid.length_unit]

    def ends(self, problem: Problem) -> bool:
        return checked(problem).ending.at_decay

    def without_end(self, problem: Problem) -> Finding | None:
        return endless(checked(problem))

    def estimate(self, problem: Problem, backend: Backend) -> Estimate:
        setup = Setup(problem, backend)
        moved = sum(each.bytes for each in setup.traffic)
        bare = Setup(Problem(bare_of(setup.parameters)), backend)
        more = max(1.0, moved / sum(each.bytes for each in bare.traffic))  # what objects remember of the field
        key = __name__, structure_of(bare.parameters), moved, setup.memory
        seconds = more * small_pace(
            backend, key, lambda: self.build(Problem(bare.parameters), backend), setup.memory,
            setup.seconds_per_step / more,
        )  # fmt: skip
        return Estimate(
            memory_bytes=setup.memory,
            bytes_per_step=moved,
            step=setup.dt,
            stable_step=setup.limit,
            seconds_per_simulated_unit=seconds / setup.dt,
            findings=setup.findings,
        )

    def build(self, problem: Problem, backend: Backend, progress: Progress = no_progress) -> FdtdSimulation:
        """Grid, media, sources, steps, watchers, each made of those before it."""
        progress("Placing objects on the grid", 0.0)
        setup = Setup(problem, backend)
        parameters, monitors = setup.parameters, setup.monitors
        yee, axes, dt, unit = setup.yee, setup.axes, setup.dt, setup.parameters.grid.length_unit

        def without_objects(empty: FdtdParameters) -> FdtdSimulation:
            return self.build(Problem(empty), backend)

        # what R and T are parts of; first, so that two runs are never on the device at once
        incident = None
        if monitors.normalised:
            incident = incident_of(parameters, monitors, backend, progress, without_objects)

        placed = on_grid(setup, backend, progress)
        progress(f"Moving {yee.cells:,} cells to {backend.info.name}", 0.5)
        steps = make_steps(backend, yee, axes, placed.media, placed.sources, setup.precision, setup.parts)
        watchers = make_watchers(
            parameters, monitors, backend, steps, expected_field(parameters), incident, setup.keeps_all
        )
        if placed.gaps:
            watchers.append(PortsWatcher(backend, steps, placed.gaps, setup.ports, dt, unit))
        painter = placed.painter()
        simulation = FdtdSimulation(
            backend, grid_of(parameters.grid), yee, dt, steps, placed.sources, scale=parameters.source_scale,
            cells=placed.cells, fields=fields_of(parameters, setup.parts, setup.media),
            traffic=setup.traffic_of(placed.media, steps.passes), period=setup.period, watchers=watchers,
            painter=painter, there=setup.parts, still=SourceCharts(parameters),
            permittivity=Permittivity(yee, lambda: painter.media, setup.parts, frequency_of(parameters)),
        )  # fmt: skip
        progress("Ready", 1.0)
        return simulation

    def build_part(self, problem: Problem, backend: Backend, ranks: Ranks, progress: Progress = no_progress) -> Part:
        """A slab of the grid across z. Raises ProblemError for what runs on one rank."""
        return part_of(problem, backend, ranks, progress)

    def placed(self, problem: Problem) -> Placement:
        return placement_of(checked(problem))

    def imported(self, path: Path) -> Imported | None:
        """A gprMax file."""
        return read_gprmax(path)

    def tools(self) -> Sequence[Tool]:
        return (FindResonances(), FitDispersion(), ShowSources())

    def benchmarks(self, elements: Sequence[int] = ()) -> Sequence[Benchmark]:
        return benchmarks(elements)

    def studies(self) -> Sequence[Study]:
        from engines.fdtd.lab.studies import studies  # measured seldom

        return studies()

    def tables(self) -> Sequence[LabTable]:
        from engines.fdtd.lab.tables import TABLES  # measured seldom

        return TABLES

    def verification(self) -> Sequence[VerificationCase]:
        from engines.fdtd.verification.cases import CASES  # run seldom

        return CASES

    def warm(self, backend: Backend) -> None:
        for problem in warming_problems():
            simulation = self.build(problem, backend)
            simulation.advance(200)
            simulation.observe()
            for chart in simulation.charts:
                simulation.chart(chart.name)
            simulation.synchronize()
            simulation.close()
