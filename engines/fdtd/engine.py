"""The FDTD engine: Maxwell's equations on Yee's grid, stepped by leapfrog.

Method: E and H stand on staggered edges and faces and half a step apart; each step updates E from the curl of H, then
H from the curl of E (Yee, doi 10.1109/TAP.1966.1138693). Materials are means over the cells around an edge; open space
is absorbed in a CPML; plane waves enter through a total-field box. README.md has the equations.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
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
    KernelTraffic,
    Preset,
    Problem,
    Progress,
    Simulation,
    no_progress,
)
from engines.backend.base import Backend
from engines.errors import ProblemError
from engines.fdtd.boundaries import make_axes
from engines.fdtd.cpu import CPU_ID_BYTES
from engines.fdtd.dimensions import parts_of
from engines.fdtd.dispersion import make_slots
from engines.fdtd.dispersive_layers import dispersive_cells, layer_findings, range_findings
from engines.fdtd.gprmax.reader import SUFFIX, read_gprmax
from engines.fdtd.materials import Medium, expected_id_bytes, make_media, with_coupling
from engines.fdtd.monitors import Surroundings, make_recorders, plan_monitors
from engines.fdtd.monitors.incident import incident_of
from engines.fdtd.monitors.making import Incident
from engines.fdtd.painting import Painter
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
from engines.fdtd.placing import placement_of
from engines.fdtd.ports.lumped import gap_of, with_port_currents, with_resistors
from engines.fdtd.ports.recorder import PortsRecorder
from engines.fdtd.presets import presets
from engines.fdtd.scene import (
    expected_field,
    leading_axis,
    make_faces,
    make_grid,
    make_yee,
    media_of,
    ports_of,
    sources_of,
)
from engines.fdtd.shapes import cells_of, object_findings, shapes_of
from engines.fdtd.simulation import FdtdSimulation
from engines.fdtd.smoothing import smoothed_edges
from engines.fdtd.source_charts import ShowSources, SourceCharts
from engines.fdtd.source_checks import source_findings
from engines.fdtd.sources import make_sources
from engines.fdtd.steps import make_steps
from engines.fdtd.tensor import STEP
from engines.fdtd.tools.fit_dispersion import FitDispersion
from engines.fdtd.traffic import memory_bytes, traffic
from engines.fdtd.waveforms import TimeCourse
from engines.fdtd.yee import SPEED_OF_LIGHT, TIME_UNITS, VACUUM_IMPEDANCE
from engines.geometry.grid import Grid
from engines.placing import Placement
from engines.tools import Tool

PRECISIONS = {"fp32": "float32", "fp64": "float64"}
FEWEST_PER_WAVELENGTH = 6.0
"""Below this a wave on the grid is more than 5 % slower than light and depends on its direction."""
GOOD_PER_WAVELENGTH = 12.0
FEWEST_PER_DEPTH = 3
"""Cells in which the field in a metal falls to 1/e: with 3 the decay is 0.5 % wrong, (Δ/δ)²/24."""
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

    def tools(self) -> Sequence[Tool]:
        return (FitDispersion(), ShowSources())

    def warm(self, backend: Backend) -> None:
        """Steps of a small grid with all that sources and monitors need, in both precisions, without and with a metal,
        and with smoothing."""
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
        for extras in (*both, ball):
            parameters = FdtdParameters(grid=grid, sources=sources, monitors=monitors, **extras)
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
    return make_grid(make_yee(setting), setting.length_unit)


class _Setup:
    """A problem checked; nothing as large as the grid is made before ``build``. Raises ProblemError."""

    def __init__(self, problem: Problem, backend: Backend) -> None:
        self.parameters = parameters = _checked(problem)
        self.backend = backend
        self.yee = make_yee(parameters.grid)
        self.precision = PRECISIONS[parameters.numerics.precision]
        self.media = media_of(parameters)
        real = [medium for medium in self.media if not medium.perfect_conductor]
        self.limit = self.yee.largest_step(min(medium.least_index for medium in real))
        if parameters.numerics.smoothing:
            self.limit *= STEP  # what off-diagonal terms may take
        courant = parameters.numerics.courant
        if courant > 1 + ROUNDING:
            unit = TIME_UNITS[parameters.grid.length_unit]
            raise ProblemError(
                f"A Courant number of {courant:g} is not stable: use at most 1, "
                f"which is a step of {self.limit:.4g} {unit} on this grid."
            )
        self.dt = courant * self.limit
        faces = make_faces(parameters.faces, self.yee)
        self.axes = make_axes(self.yee, faces, self.dt)
        magnetic = len({(medium.permeability, medium.magnetic_loss) for medium in self.media}) > 1
        value_bytes = np.dtype(self.precision).itemsize
        self.slots = make_slots([medium.poles for medium in real], self.dt)
        states = 3 * dispersive_cells(parameters, self.media, self.yee) * self.slots.states if self.slots.count else 0
        used = self._used_media()
        self._id_bytes = expected_id_bytes(used, parameters.numerics.smoothing)
        kept = CPU_ID_BYTES if backend.id == "cpu" else self._id_bytes
        self.memory = memory_bytes(self.yee, self.axes, value_bytes, magnetic, states, kept) + self.yee.cells
        self.driven = sources_of(parameters)
        self.ports = ports_of(parameters)
        self.parts = parts_of(self.yee, [*self.driven.axes(), *(port.axis for port in self.ports)])
        self._magnetic, self._value_bytes = magnetic, value_bytes
        self.traffic = self._traffic(states)
        self.monitors = plan_monitors(parameters, self._surroundings(value_bytes))
        if self._complex:
            self.memory = 2 * self.memory - self.yee.cells
        self._check_memory()
        self.findings = (
            *self._resolution(), *layer_findings(parameters, self.media, self.yee, faces),
            *source_findings(self.yee, self.axes, self.driven), *self.monitors.findings,
            *object_findings(parameters, self.yee),
        )  # fmt: skip
        waveforms = self._waveforms()
        if waveforms:
            shortest = SPEED_OF_LIGHT / max(waveform.highest_frequency for waveform in waveforms)
            self.findings += range_findings(parameters, shortest)

    @property
    def _complex(self) -> bool:
        """Whether there are two copies of the fields, a real and an imaginary part."""
        return any(axis.phase for axis in self.axes)

    def _traffic(self, states: int) -> tuple[KernelTraffic, ...]:
        copies = 2 if self._complex else 1
        return tuple(
            replace(
                each, bytes_read=copies * each.bytes_read, bytes_written=copies * each.bytes_written,
                flops=copies * each.flops,
            )
            for each in traffic(
                self.yee, self.axes, self._value_bytes, self._magnetic, self.parts, states, self._id_bytes
            )
        )  # fmt: skip

    def _used_media(self) -> list[Medium]:
        """Vacuum and the materials that objects are of."""
        names = {item.material for item in self.parameters.objects}
        named = zip(self.media[1:], self.parameters.materials, strict=True)
        return [self.media[0], *(medium for medium, material in named if material.name in names)]

    def _check_memory(self) -> None:
        available = self.backend.info.memory_bytes
        if available and self.memory > MEMORY_SHARE * available:
            dimensions = len(self.yee.varying)
            side = int((MEMORY_SHARE * available / (self.memory / self.yee.cells)) ** (1 / dimensions))
            cells = f"{side:,}{('', '²', '³')[dimensions - 1]} cells"
            raise ProblemError(
                f"This grid needs {self.memory / 2**30:,.1f} GB, and {self.backend.info.name} has "
                f"{available / 2**30:,.1f} GB: use at most about {cells}, or fp32 if it is fp64."
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
        ports = [port for port in self.ports if port.amplitude > 0]
        amplitudes = (*self.driven.amplitudes(), *(port.amplitude for port in ports))
        waveforms = (*self.driven.waveforms(), *(port.waveform for port in ports))
        unit = self.parameters.grid.length_unit
        return Surroundings(self.yee, self.axes, self.dt, unit, amplitudes, waveforms, value_bytes)

    def _waveforms(self) -> list[TimeCourse]:
        return [*self.driven.waveforms(), *(port.waveform for port in self.ports if port.amplitude > 0)]

    def _resolution(self) -> tuple[Finding, ...]:
        """Cells per wavelength in the slowest material at the highest frequency of the sources."""
        waveforms = self._waveforms()
        if not waveforms:
            return (Finding("There is no source: nothing will move."),)
        highest = max(waveform.highest_frequency for waveform in waveforms)
        indices = [
            medium.largest_index(2 * np.pi * highest) for medium in self._used_media() if not medium.perfect_conductor
        ]
        shortest = SPEED_OF_LIGHT / highest / max(index for index, _ in indices)
        varying = [float(self.yee.sizes(d).max()) for d in self.yee.varying if self.yee.counts[d] > 1]
        cells = shortest / max(varying, default=self.yee.smallest)
        unit = self.parameters.grid.length_unit.replace("um", "µm")
        needed = shortest / FEWEST_PER_WAVELENGTH
        if cells < FEWEST_PER_WAVELENGTH:
            raise ProblemError(
                f"The shortest wavelength, {shortest:.3g} {unit}, has {cells:.2g} cells: "
                f"use cells of at most {needed:.2g} {unit}, or a longer wavelength."
            )
        extinction = max(found for _, found in indices)
        depth = SPEED_OF_LIGHT / (2 * np.pi * highest * extinction) if extinction else np.inf
        if depth < FEWEST_PER_DEPTH * max(varying):
            return (
                Finding(
                    f"The field falls to 1/e within {depth:.2g} {unit} of a metal, {depth / max(varying):.2g} cells: "
                    f"{FEWEST_PER_DEPTH} or more are better."
                ),
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
        smoothed = None
        if parameters.numerics.smoothing:
            smoothed = smoothed_edges(yee, self.axes, cells, self.media, shapes_of(parameters))
        media = make_media(yee, self.axes, cells, self.media, self.dt, smoothed)
        gaps = [gap_of(yee, self.axes, media, port, n) for n, port in enumerate(self.ports, 1)]
        media = with_resistors(media, gaps, self.ports, self.dt) if gaps else media
        if smoothed is not None:
            media = with_coupling(yee, self.axes, media, smoothed, self.dt, self.parts.electric)
        self._id_bytes = media.ids_e.itemsize
        self.traffic = self._traffic(0 if media.dispersion is None else media.dispersion.places * self.slots.states)
        driven = self.driven
        sources = make_sources(
            yee, self.axes, media, self.media[0], self.dt, unit, driven.dipoles, driven.waves, driven.oblique,
            driven.beams, driven.launches,
        )  # fmt: skip
        sources = with_port_currents(sources, yee, media, gaps, self.ports, unit) if gaps else sources
        progress(f"Moving {yee.cells:,} cells to {backend.info.name}", 0.5)
        steps = make_steps(backend, yee, self.axes, media, sources, self.precision, self.parts)
        held = [gap.electric for gap in gaps]
        painter = Painter(parameters, yee, self.axes, cells, media, self.media, sources, self.dt, held)
        highest = max([waveform.highest_frequency for waveform in self._waveforms()], default=0.0)
        period = 1 / highest if highest else self.dt
        recorders = make_recorders(parameters, self.monitors, backend, steps, expected_field(parameters), incident)
        recorders += [PortsRecorder(backend, steps, gaps, self.ports, self.dt, unit)] if gaps else []
        return FdtdSimulation(
            backend, self._grid_object(), yee, self.dt, steps, sources, parameters.source_scale, cells, self._fields(),
            self.traffic, period, recorders, painter=painter, there=self.parts, still=SourceCharts(parameters),
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
        there = self.parts.names()
        first = "z"
        if self.parameters.sources:
            first = leading_axis(self.parameters.sources[0])
        order = [axis for axis in (first, *(axis for axis in "xyz" if axis != first)) if f"E{axis}" in there]
        electric = [FieldInfo(f"E{a}", f"E{a}", "V/m", "cell", (-largest, largest), "diverging") for a in order]
        of_h = [axis for axis in "xyz" if f"H{axis}" in there]
        return (
            electric[0],
            FieldInfo("E", "|E|", "V/m", "cell", (0.0, largest), "inferno"),
            *electric[1:],
            *(FieldInfo(f"H{a}", f"H{a}", "A/m", "cell", (-magnetic, magnetic), "diverging") for a in of_h),
            FieldInfo("H", "|H|", "A/m", "cell", (0.0, magnetic), "inferno"),
            FieldInfo("material", "Material", "", "cell", (0.0, float(max(1, len(self.media) - 1))), "viridis"),
        )
