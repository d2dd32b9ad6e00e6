"""The FDTD engine: Maxwell's equations on Yee's grid, stepped by leapfrog.

Method: E and H stand on staggered edges and faces and half a step apart; each step updates E from the curl of H, then
H from the curl of E (Yee, doi 10.1109/TAP.1966.1138693). Materials are means over the cells around an edge; open space
is absorbed in a CPML; plane waves enter through a total-field box. README.md has the equations.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np

from engines.api import (
    Engine,
    Estimate,
    FieldInfo,
    Finding,
    Imported,
    Preset,
    Problem,
    Progress,
    Simulation,
    no_progress,
)
from engines.backend.base import Backend
from engines.errors import ProblemError
from engines.fdtd.boundaries import make_axes
from engines.fdtd.gprmax.reader import SUFFIX, read_gprmax
from engines.fdtd.materials import make_media
from engines.fdtd.monitors import Surroundings, make_recorders, plan_monitors
from engines.fdtd.monitors.incident import incident_of
from engines.fdtd.monitors.making import Incident
from engines.fdtd.painting import Painter
from engines.fdtd.parameters import (
    FdtdParameters,
    GridSetting,
    Numerics,
    PlaneMonitor,
    PointSource,
    TraceMonitor,
    VolumeMonitor,
    WaveSource,
)
from engines.fdtd.placing import placement_of
from engines.fdtd.ports.lumped import gap_of, with_port_currents, with_resistors
from engines.fdtd.ports.recorder import PortsRecorder
from engines.fdtd.presets import presets
from engines.fdtd.scene import expected_field, make_faces, make_yee, media_of, ports_of, sources_of
from engines.fdtd.shapes import cells_of, object_findings
from engines.fdtd.simulation import FdtdSimulation
from engines.fdtd.sources import make_sources
from engines.fdtd.steps import make_steps
from engines.fdtd.traffic import memory_bytes, traffic
from engines.fdtd.waveforms import Waveform
from engines.fdtd.yee import SPEED_OF_LIGHT, TIME_UNITS, VACUUM_IMPEDANCE
from engines.geometry.grid import Grid
from engines.placing import Placement

PRECISIONS = {"fp32": "float32", "fp64": "float64"}
FEWEST_PER_WAVELENGTH = 6.0
"""Below this a wave on the grid is more than 5 % slower than light and depends on its direction."""
GOOD_PER_WAVELENGTH = 12.0
MEMORY_SHARE = 0.9
"""The part of a device's memory that a problem may take; the rest is the system's and the viewers'."""
ROUNDING = 1e-12


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
        return _grid(_checked(problem).grid.model_dump_json())

    def time_unit_of(self, parameters: Any) -> str:
        return TIME_UNITS[parameters.grid.length_unit]

    def estimate(self, problem: Problem, backend: Backend) -> Estimate:
        setup = _Setup(problem, backend)
        moved = sum(each.bytes for each in setup.traffic)
        return Estimate(
            memory_bytes=setup.memory,
            bytes_per_step=moved,
            step=setup.dt,
            stable_step=setup.limit,
            seconds_per_simulated_unit=moved / backend.ceilings().best / setup.dt,
            findings=setup.findings,
        )

    def build(self, problem: Problem, backend: Backend, progress: Progress = no_progress) -> Simulation:
        progress("Placing objects on the grid", 0.0)
        setup = _Setup(problem, backend)
        simulation = setup.build(progress)
        progress("Ready", 1.0)
        return simulation

    def ends(self, problem: Problem) -> bool:
        return _checked(problem).ending.at_decay

    def placed(self, problem: Problem) -> Placement:
        return placement_of(_checked(problem))

    def imported(self, path: Path) -> Imported | None:
        """A gprMax file."""
        return read_gprmax(path)

    def presets(self) -> Sequence[Preset]:
        return presets(resources.files("engines.fdtd").joinpath("presets"))

    def warm(self, backend: Backend) -> None:
        """Steps of a small grid with both kinds of source and the kinds of monitor, in both precisions."""
        for precision in ("fp32", "fp64"):
            grid = GridSetting(cells_x=40, cells_y=40, cells_z=40, size_x=2.0, size_y=2.0, size_z=2.0)
            numerics = Numerics(precision=precision)
            sources = [PointSource(place=(1.0, 1.0, 1.0)), WaveSource()]
            monitors = [TraceMonitor(place=(1.0, 1.0, 1.0)), PlaneMonitor(position=1.0), VolumeMonitor()]
            parameters = FdtdParameters(grid=grid, sources=sources, numerics=numerics, monitors=monitors)
            simulation = self.build(Problem(parameters), backend)
            simulation.advance(200)
            simulation.observe()
            for chart in simulation.charts:
                simulation.chart(chart.name)
            simulation.synchronize()
            simulation.close()


def _checked(problem: Problem) -> FdtdParameters:
    if not isinstance(problem.parameters, FdtdParameters):
        raise TypeError(f"parameters of the FDTD engine, not {type(problem.parameters).__name__}")
    return problem.parameters


@lru_cache(maxsize=16)
def _grid(settings: str) -> Grid:
    """The same object for the same settings: viewers compare grids by identity."""
    setting = GridSetting.model_validate_json(settings)
    yee = make_yee(setting)
    return Grid(yee.counts[::-1], yee.spacing, length_unit=setting.length_unit)


class _Setup:
    """A problem checked; nothing as large as the grid is made before ``build``. Raises ProblemError."""

    def __init__(self, problem: Problem, backend: Backend) -> None:
        self.parameters = parameters = _checked(problem)
        self.backend = backend
        self.yee = make_yee(parameters.grid)
        self.precision = PRECISIONS[parameters.numerics.precision]
        self.media = media_of(parameters)
        real = [medium for medium in self.media if not medium.perfect_conductor]
        self.limit = self.yee.largest_step(min(medium.index for medium in real))
        courant = parameters.numerics.courant
        if courant > 1 + ROUNDING:
            unit = TIME_UNITS[parameters.grid.length_unit]
            raise ProblemError(
                f"A Courant number of {courant:g} is not stable: use at most 1, "
                f"which is a step of {self.limit:.4g} {unit} on this grid."
            )
        self.dt = courant * self.limit
        self.axes = make_axes(self.yee, make_faces(parameters.faces), self.dt)
        magnetic = len({(medium.permeability, medium.magnetic_loss) for medium in self.media}) > 1
        value_bytes = np.dtype(self.precision).itemsize
        self.memory = memory_bytes(self.yee, self.axes, value_bytes, magnetic) + self.yee.cells
        self.traffic = traffic(self.yee, self.axes, value_bytes, magnetic)
        self.dipoles, self.waves = sources_of(parameters)
        self.ports = ports_of(parameters)
        self.monitors = plan_monitors(parameters, self._surroundings(value_bytes))
        self._check_memory()
        self.findings = (*self._resolution(), *self.monitors.findings, *object_findings(parameters, self.yee))

    def _check_memory(self) -> None:
        available = self.backend.info.memory_bytes
        if available and self.memory > MEMORY_SHARE * available:
            side = int((MEMORY_SHARE * available / (self.memory / self.yee.cells)) ** (1 / 3))
            raise ProblemError(
                f"This grid needs {self.memory / 2**30:,.1f} GB, and {self.backend.info.name} has "
                f"{available / 2**30:,.1f} GB: use at most about {side:,}³ cells, or fp32 if it is fp64."
            )
        self.memory += sum(memory for _, memory in self.monitors.memory)
        if available and self.memory > MEMORY_SHARE * available:
            name, largest = max(self.monitors.memory, key=lambda each: each[1])
            raise ProblemError(
                f"Monitors bring this problem to {self.memory / 2**30:,.1f} GB, and {self.backend.info.name} has "
                f"{available / 2**30:,.1f} GB: '{name}' takes {largest / 2**30:,.1f} GB, "
                "give it fewer frequencies or make it smaller."
            )

    def _surroundings(self, value_bytes: int) -> Surroundings:
        driven = [(dipole.moment, dipole.waveform) for dipole in self.dipoles]
        driven += [(wave.amplitude, wave.waveform) for wave in self.waves]
        driven += [(port.amplitude, port.waveform) for port in self.ports if port.amplitude > 0]
        amplitudes, waveforms = tuple(a for a, _ in driven), tuple(w for _, w in driven)
        unit = self.parameters.grid.length_unit
        return Surroundings(self.yee, self.axes, self.dt, unit, amplitudes, waveforms, value_bytes)

    def _waveforms(self) -> list[Waveform]:
        found = [dipole.waveform for dipole in self.dipoles] + [wave.waveform for wave in self.waves]
        return found + [port.waveform for port in self.ports if port.amplitude > 0]

    def _resolution(self) -> tuple[Finding, ...]:
        """Cells per wavelength in the slowest material at the highest frequency of the sources."""
        waveforms = self._waveforms()
        if not waveforms:
            return (Finding("There is no source: nothing will move."),)
        used = {item.material for item in self.parameters.objects}
        indices = [1.0] + [
            medium.index
            for medium, material in zip(self.media[1:], self.parameters.materials, strict=True)
            if material.name in used and not medium.perfect_conductor
        ]
        shortest = SPEED_OF_LIGHT / max(waveform.highest_frequency for waveform in waveforms) / max(indices)
        varying = [h for h, n in zip(self.yee.spacing, self.yee.counts, strict=True) if n > 1] or [self.yee.smallest]
        cells = shortest / max(varying)
        unit = self.parameters.grid.length_unit.replace("um", "µm")
        needed = shortest / FEWEST_PER_WAVELENGTH
        if cells < FEWEST_PER_WAVELENGTH:
            raise ProblemError(
                f"The shortest wavelength, {shortest:.3g} {unit}, has {cells:.2g} cells: "
                f"use cells of at most {needed:.2g} {unit}, or a longer wavelength."
            )
        if cells < GOOD_PER_WAVELENGTH:
            return (
                Finding(
                    f"The shortest wavelength, {shortest:.3g} {unit}, has {cells:.2g} cells: 12 or more are better."
                ),
            )
        return (Finding(f"The shortest wavelength, {shortest:.3g} {unit}, has {cells:.3g} cells.", "info"),)

    def build(self, progress: Progress) -> FdtdSimulation:
        parameters, yee, backend = self.parameters, self.yee, self.backend
        # first, so that two runs are never on the device at once
        incident = self._incident(progress) if self.monitors.normalised else None
        unit = parameters.grid.length_unit
        cells = cells_of(parameters, yee, backend)
        progress("Mixing materials along edges", 0.2)
        media = make_media(yee, self.axes, cells, self.media, self.dt)
        gaps = [gap_of(yee, self.axes, media, port, n) for n, port in enumerate(self.ports, 1)]
        media = with_resistors(media, gaps, self.ports, self.dt) if gaps else media
        sources = make_sources(yee, self.axes, media, self.media[0], self.dt, unit, self.dipoles, self.waves)
        sources = with_port_currents(sources, yee, media, gaps, self.ports, unit) if gaps else sources
        progress(f"Moving {yee.cells:,} cells to {backend.info.name}", 0.5)
        steps = make_steps(backend, yee, self.axes, media, sources, self.precision)
        held = [gap.electric for gap in gaps]
        painter = Painter(parameters, yee, self.axes, cells, media, self.media, sources, self.dt, held)
        highest = max([waveform.highest_frequency for waveform in self._waveforms()], default=0.0)
        period = 1 / highest if highest else self.dt
        recorders = make_recorders(parameters, self.monitors, backend, steps, expected_field(parameters), incident)
        recorders += [PortsRecorder(backend, steps, gaps, self.ports, self.dt, unit)] if gaps else []
        return FdtdSimulation(
            backend, self._grid_object(), yee, self.dt, steps, sources, parameters.source_scale, cells, self._fields(),
            self.traffic, period, recorders, painter,
        )  # fmt: skip

    def _incident(self, progress: Progress) -> Incident:
        """What the monitors of R and T see without objects."""

        def build(empty: FdtdParameters) -> FdtdSimulation:
            return _Setup(Problem(empty), self.backend).build(no_progress)

        return incident_of(self.parameters, self.monitors, self.backend, progress, build)

    def _grid_object(self) -> Grid:
        return _grid(self.parameters.grid.model_dump_json())

    def _fields(self) -> tuple[FieldInfo, ...]:
        """The component that the first source drives comes first."""
        largest = expected_field(self.parameters)
        magnetic = float(f"{largest / VACUUM_IMPEDANCE:.2g}")
        first = "z"
        if self.parameters.sources:
            source = self.parameters.sources[0]
            first = source.axis if isinstance(source, PointSource) else source.polarization
        order = [first, *(axis for axis in "xyz" if axis != first)]
        electric = [FieldInfo(f"E{a}", f"E{a}", "V/m", "cell", (-largest, largest), "diverging") for a in order]
        return (
            electric[0],
            FieldInfo("E", "|E|", "V/m", "cell", (0.0, largest), "inferno"),
            *electric[1:],
            *(FieldInfo(f"H{a}", f"H{a}", "A/m", "cell", (-magnetic, magnetic), "diverging") for a in "xyz"),
            FieldInfo("H", "|H|", "A/m", "cell", (0.0, magnetic), "inferno"),
            FieldInfo("material", "Material", "", "cell", (0.0, float(max(1, len(self.media) - 1))), "viridis"),
        )
