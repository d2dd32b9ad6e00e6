"""A problem checked, and what it needs."""

from __future__ import annotations

import numpy as np

from engines.api import KernelTraffic, Problem
from engines.api.device import Backend
from engines.api.errors import ProblemError
from engines.backend.precision import FLOAT_TYPES
from engines.backend.twins import pick
from engines.fdtd.grid.boundaries import make_axes
from engines.fdtd.grid.dimensions import ALL, parts_of
from engines.fdtd.grid.guides import guide_findings
from engines.fdtd.grid.resolution import resolution_findings
from engines.fdtd.grid.thin_layers import thin_layer_findings
from engines.fdtd.grid.yee import SPEED_OF_LIGHT, TIME_UNITS
from engines.fdtd.media.dispersion import make_slots
from engines.fdtd.media.dispersive_layers import dispersive_cells, layer_findings, range_findings, state_findings
from engines.fdtd.media.materials import Media, Medium, expected_id_bytes
from engines.fdtd.media.smoothing.tensor import STEP as OFF_DIAGONAL_STEP
from engines.fdtd.media.solids.shapes import fillings_of, object_findings
from engines.fdtd.monitors.fourier import Surroundings
from engines.fdtd.monitors.plans import plan_monitors
from engines.fdtd.monitors.traffic import monitors_traffic
from engines.fdtd.parameters import FdtdParameters, PlaneMonitor
from engines.fdtd.ports.feeding import feeding_findings
from engines.fdtd.setup.boxes import box_findings
from engines.fdtd.setup.facing import balance_findings, coincident_findings, facing_findings
from engines.fdtd.setup.grid import make_faces, make_yee
from engines.fdtd.setup.media import media_of, staircase_findings, with_ranges
from engines.fdtd.setup.on_faces import face_findings, side_findings
from engines.fdtd.setup.sources import ports_of, sources_of, waveform_of
from engines.fdtd.setup.speed import expected_rate
from engines.fdtd.sources.checks import source_findings
from engines.fdtd.sources.waveforms import TimeCourse, band_of
from engines.fdtd.step.cpu import CPU_ID_BYTES
from engines.fdtd.step.traffic import memory_bytes, source_bytes, traffic

MEMORY_SHARE = 0.9
"""The part of a device's memory that a problem may take; the rest is the system's and the viewers'."""
ROUNDING = 1e-12


def checked(problem: Problem) -> FdtdParameters:
    if not isinstance(problem.parameters, FdtdParameters):
        raise TypeError(f"parameters of the FDTD engine, not {type(problem.parameters).__name__}")
    return problem.parameters


class Setup:
    """A problem checked; nothing as large as the grid is made. Raises ProblemError.

    memory: bytes on the device; traffic: of the steps and of the monitors
    """

    def __init__(self, problem: Problem, backend: Backend) -> None:
        self.parameters = parameters = checked(problem)
        self.backend = backend
        self.yee = yee = make_yee(parameters.grid)
        self.precision = FLOAT_TYPES[parameters.numerics.precision]
        fillings = fillings_of(parameters)
        self.media = with_ranges(media_of(parameters), fillings, yee)
        unit = parameters.grid.length_unit
        real = [medium for medium in self.media if not medium.perfect_conductor]
        self.limit = yee.largest_step(min(medium.least_index for medium in real))
        if parameters.numerics.smoothing:
            self.limit *= OFF_DIAGONAL_STEP
        courant = parameters.numerics.courant
        if courant > 1 + ROUNDING:
            raise ProblemError(
                f"A Courant number of {courant:g} is not stable: use at most 1, "
                f"which is a step of {self.limit:.4g} {TIME_UNITS[unit]} on this grid."
            )
        self.dt = courant * self.limit
        faces = make_faces(parameters.faces, yee)
        self.driven, self.ports = sources_of(parameters), ports_of(parameters)
        waveforms = self._waveforms()
        self.axes = make_axes(yee, faces, self.dt, band=band_of(waveforms))
        self._magnetic = len({(medium.permeability, medium.magnetic_loss) for medium in self.media}) > 1
        self._value_bytes = np.dtype(self.precision).itemsize
        used = self._used_media()
        self.slots = make_slots([medium.poles for medium in used if not medium.perfect_conductor], self.dt)
        states = 0
        if self.slots.count:
            states = 3 * dispersive_cells(fillings, self.media, yee) * self.slots.states
        self._id_bytes = expected_id_bytes(used, parameters.numerics.smoothing)
        self.parts = parts_of(yee, [*self.driven.axes(), *(port.axis for port in self.ports)])
        self._check_ports()
        self.monitors = plan_monitors(parameters, self._surroundings())
        self.traffic = self._traffic(states, self._id_bytes, 1 if self._one_pass else 2)
        self.memory = self._memory(states)
        self.findings = (
            *resolution_findings(yee, unit, waveforms, used, self.dt, parameters.numerics.smoothing),
            *thin_layer_findings(faces, yee.counts),
            *guide_findings(
                yee, faces, unit, band_of(waveforms), [*self.driven.axes(), *(port.axis for port in self.ports)]
            ),
            *layer_findings(parameters, fillings, self.media, yee, faces),
            *state_findings(used, self.slots),
            *feeding_findings(parameters),
            *source_findings(yee, self.axes, self.driven, parameters.sources),
            *self.monitors.findings,
            *object_findings(parameters, yee),
            *box_findings(parameters, yee, self.axes, fillings, self.driven),
            *face_findings(self.monitors, yee, self.axes, self.driven),
            *side_findings(self.monitors, yee, self.axes, self.driven),
            *facing_findings(parameters, fillings),
            *balance_findings(parameters, fillings),
            *coincident_findings(parameters, yee),
            *staircase_findings(parameters, self.media),
        )
        if waveforms:
            shortest = SPEED_OF_LIGHT / max(waveform.highest_frequency for waveform in waveforms)
            self.findings += range_findings(parameters, shortest)

    @property
    def seconds_per_step(self) -> float:
        """About how long a step takes on the device."""
        return sum(each.bytes for each in self.traffic) / expected_rate(self.backend, self.precision)

    @property
    def period(self) -> float:
        """The shortest that is driven; a step where nothing is."""
        highest = max([waveform.highest_frequency for waveform in self._waveforms()], default=0.0)
        return 1 / highest if highest else self.dt

    @property
    def keeps_all(self) -> bool:
        """Whether all power passes the planes of R and T: nothing absorbs, they reach across the grid, and no face
        beside them is open."""
        planes = [each.monitor for each in self.monitors.normalised if isinstance(each.monitor, PlaneMonitor)]
        beside = {d for plane in planes for d in range(3) if d != "xyz".index(plane.axis) and not self.yee.flat[d]}
        kinds = self.parameters.faces.pairs()
        return (
            not self.ports
            and all(m.perfect_conductor or (m.lossless and not m.magnetic_loss) for m in self._used_media())
            and not any(kind in ("CPML", "absorber") for d in beside for kind in kinds[d])
            and all(
                plane.low[d] <= self.yee.nodes(d)[0] and plane.high[d] >= self.yee.nodes(d)[-1]
                for plane in planes
                for d in beside - {"xyz".index(plane.axis)}
            )
        )

    @property
    def _copies(self) -> int:
        """Of the fields: two between Bloch faces, a real and an imaginary part."""
        return 2 if any(axis.phase for axis in self.axes) else 1

    @property
    def _one_pass(self) -> bool:
        """Whether the device may step E and H in one pass; whether it does is measured when the run is built."""
        plain = self.parts == ALL and not (self._magnetic or self.slots.count or any(self.yee.flat))
        layered = any(any(axis.fading) for axis in self.axes)
        able = pick(self.backend, cpu=False, cuda=True)
        return plain and not layered and able and self._copies == 1 and self._id_bytes == 1

    def traffic_of(self, media: Media, passes: int) -> tuple[KernelTraffic, ...]:
        """Of the steps of ``media`` as they are on the grid, and of the monitors."""
        states = 0 if media.dispersion is None else media.dispersion.places * media.dispersion.slots.states
        return self._traffic(states, media.ids_e.itemsize, passes)

    def _traffic(self, states: int, id_bytes: int, passes: int) -> tuple[KernelTraffic, ...]:
        steps = traffic(
            self.yee, self.axes, self._value_bytes, self._magnetic, self.parts, states, id_bytes, passes, self._copies,
        )  # fmt: skip
        return steps, *monitors_traffic(self.monitors, self.parameters)

    def _memory(self, states: int) -> int:
        """Bytes on the device. Raises ProblemError if it has not as many."""
        yee, value_bytes = self.yee, self._value_bytes
        kept = pick(self.backend, cpu=CPU_ID_BYTES, cuda=self._id_bytes)
        found = self._copies * memory_bytes(yee, self.axes, value_bytes, self._magnetic, states, kept) + yee.cells
        found += source_bytes(yee, self.axes, self.driven, value_bytes, pick(self.backend, cpu=False, cuda=True))
        available, name = self.backend.info.memory_bytes * self.backend.parts, self.backend.info.name
        if available and found > MEMORY_SHARE * available:
            dimensions = len(yee.varying)
            side = int((MEMORY_SHARE * available / (found / yee.cells)) ** (1 / dimensions))
            cells = f"{side:,}{('', '²', '³')[dimensions - 1]} cells"
            raise ProblemError(
                f"This grid needs {found / 2**30:,.1f} GB, and {name} has "
                f"{available / 2**30:,.1f} GB: use at most about {cells}, or fp32 if it is fp64."
            )
        found += sum(memory for _, memory in self.monitors.memory)
        if available and found > MEMORY_SHARE * available:
            monitor, largest = max(self.monitors.memory, key=lambda each: each[1])
            raise ProblemError(
                f"Monitors bring this problem to {found / 2**30:,.1f} GB, and {name} has "
                f"{available / 2**30:,.1f} GB: '{monitor}' takes {largest / 2**30:,.1f} GB, "
                "give it fewer frequencies or make it smaller."
            )
        another = 6 * yee.places * value_bytes  # the second pair of fields of one pass, if there is room for it
        return found + another if self._one_pass and found + another < MEMORY_SHARE * available else found

    def _used_media(self) -> list[Medium]:
        """Vacuum and the materials that objects are of."""
        names = {item.material for item in self.parameters.objects}
        named = zip(self.media[1:], self.parameters.materials, strict=True)
        return [self.media[0], *(medium for medium, material in named if material.name in names)]

    def _check_ports(self) -> None:
        if self.ports and self._copies > 1:
            raise ProblemError(
                "Ports take voltages of one real field, and between Bloch faces there are two: use periodic faces, or "
                "no ports."
            )

    def _surroundings(self) -> Surroundings:
        unit = self.parameters.grid.length_unit
        return Surroundings(self.yee, self.axes, self.dt, unit, tuple(self._waveforms()), self._value_bytes)

    def _waveforms(self) -> list[TimeCourse]:
        unit = TIME_UNITS[self.parameters.grid.length_unit]
        own = [waveform_of(source.signal, unit) for source in self.parameters.sources]
        return [*own, *(port.waveform for port in self.ports if port.amplitude > 0)]
