"""What the parameters describe, in the terms of the kernels: media and sources."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from engines.api import Array
from engines.api.errors import ProblemError
from engines.fdtd.grid.boundaries import Face
from engines.fdtd.grid.grading import Span, graded_nodes
from engines.fdtd.grid.yee import METRES, SECONDS, SPEED_OF_LIGHT, VACUUM_IMPEDANCE, Yee
from engines.fdtd.media.dispersion import Pole
from engines.fdtd.media.materials import Medium
from engines.fdtd.parameters import (
    BeamSource,
    Continuous,
    Derivative,
    FaceKind,
    Faces,
    FdtdParameters,
    FromFile,
    Gaussian,
    GridSetting,
    Material,
    ModeSource,
    ObliqueWaveSource,
    PointSource,
    Pulse,
    Ricker,
    Signal,
    Source,
)
from engines.fdtd.parameters.anisotropy import Anisotropy
from engines.fdtd.parameters.dispersion import Debye, Drude, Lorentz, PoleSetting
from engines.fdtd.parameters.library import PUBLISHED
from engines.fdtd.ports.lumped import Port
from engines.fdtd.sources.currents import Dipole, PlaneWave
from engines.fdtd.sources.oblique import ObliqueWave, polarization
from engines.fdtd.sources.sheets import Beam, ModeLaunch
from engines.fdtd.sources.waveform_files import read_waveform
from engines.fdtd.sources.waveforms import FALL, TimeCourse, Waveform
from engines.geometry.grid import Grid, rectilinear

STRIP = 20
"""A line is shown as a strip this many times as long as it is wide."""
WALLS = {"symmetric": "PMC", "antisymmetric": "PEC", "Bloch": "periodic"}
DELAY = 4.5
"""Standard deviations before the middle of a pulse: it begins at 4e-5 of its amplitude."""


FLAT = {"3D": (False, False, False), "2D": (False, False, True), "1D": (False, True, True)}


def make_yee(grid: GridSetting) -> Yee:
    """A flat axis is one unit of length thick, around where the plane or line is. Raises ProblemError."""
    flat = FLAT[grid.dimensions]
    counts, spacing = [grid.cells_x, grid.cells_y, grid.cells_z], [0.0, 0.0, 0.0]
    origin = [0.0, 0.0, 0.0]
    lines: list[Array | None] = [None, None, None]
    sizes = ((grid.size_x, 0.0), (grid.size_y, grid.at_y), (grid.size_z, grid.at_z))
    for axis, (size, at) in enumerate(sizes):
        spans = [Span(item.low, item.high, item.cell) for item in grid.finer if item.axis == "xyz"[axis]]
        if flat[axis]:
            counts[axis], spacing[axis], origin[axis] = 1, 1.0, at - 0.5
        elif spans:
            nodes = graded_nodes(size, size / counts[axis], spans, grid.growth, "xyz"[axis])
            counts[axis], spacing[axis], lines[axis] = len(nodes) - 1, float(np.diff(nodes).min()), nodes
        else:
            spacing[axis] = size / counts[axis]
    return Yee(_three(counts), _three(spacing), _three(origin), flat, _three(lines))


def make_grid(yee: Yee, length_unit: str) -> Grid:
    """What viewers see: a box, a plane, or for a line a strip around it."""
    dimensions = 3 if not yee.flat[2] else 2
    shape, lines = yee.counts[::-1][3 - dimensions :], yee.lines[:dimensions]
    spacing, origin = list(yee.spacing[:dimensions]), list(yee.origin)
    if yee.flat[2]:
        origin[2] += 0.5
    if yee.flat[1]:
        length = float(yee.nodes(0)[-1])
        spacing[1] = length / STRIP
        origin[1] += 0.5 - spacing[1] / 2
    if all(line is None for line in lines):
        return Grid(shape, tuple(spacing), _three(origin), length_unit)
    even = [start + h * np.arange(n + 1) for start, h, n in zip(origin, spacing, yee.counts, strict=False)]
    walls = [each if line is None else line for line, each in zip(lines, even, strict=True)]
    return rectilinear(walls, origin[2], length_unit)


def _three(values: Sequence[Any]) -> Any:
    return tuple(values)


def make_faces(faces: Faces, yee: Yee) -> list[tuple[Face, Face]]:
    """(low, high) for x, y, z. Raises ProblemError."""

    def face(kind: FaceKind, phase: float) -> Face:
        layers = {"CPML": faces.layer, "absorber": faces.absorber}
        return Face(WALLS.get(kind, kind), layers.get(kind, 0), phase)  # type: ignore[arg-type]  # one of Kind

    side, found = Face("periodic"), []
    for axis, ((low, high), phase) in enumerate(zip(faces.pairs(), faces.phases(), strict=True)):
        if yee.flat[axis]:
            found.append((side, side))
            continue
        if (low == "Bloch") != (high == "Bloch"):
            raise ProblemError(f"Only one face of {'xyz'[axis]} is a Bloch face: make both so, or none.")
        found.append((face(low, phase), face(high, phase)))
    return found


def make_medium(material: Material, length_unit: str) -> Medium:
    metre = METRES[length_unit]
    permittivity, conductivity, poles = material.permittivity, material.conductivity, tuple(material.poles)
    if material.library != "own":
        published = PUBLISHED[material.library]
        permittivity, conductivity, poles = published.permittivity, 0.0, published.poles
    apart = material.anisotropy if material.library == "own" else Anisotropy()
    x, y, z = apart.conductivity
    return Medium(
        permittivity, material.permeability, conductivity * metre, material.magnetic_loss * metre,
        material.perfect_conductor, tuple(make_pole(pole, length_unit) for pole in poles),
        permittivities=apart.permittivity if apart.by_component else None,
        conductivities=(x * metre, y * metre, z * metre) if apart.by_component else None,
    )  # fmt: skip


def make_pole(pole: PoleSetting, length_unit: str) -> Pole:
    """With angular frequencies in the unit of time."""
    tera = 2 * math.pi * 1e12 * SECONDS[length_unit]
    if isinstance(pole, Drude):
        return Pole("drude", (pole.plasma * tera) ** 2, pole.damping * tera)
    if isinstance(pole, Lorentz):
        resonance = pole.resonance * tera
        return Pole("lorentz", pole.strength * resonance**2, pole.damping * tera, resonance)
    assert isinstance(pole, Debye)
    return Pole("debye", pole.strength, SECONDS[length_unit] / (pole.relaxation * 1e-12))


def media_of(parameters: FdtdParameters) -> tuple[Medium, ...]:
    """Vacuum and the materials."""
    return (Medium(), *(make_medium(material, parameters.grid.length_unit) for material in parameters.materials))


def waveform_of(signal: Signal) -> TimeCourse:
    """Raises ProblemError for a file that holds no waveform."""
    if isinstance(signal, FromFile):
        return read_waveform(signal.path)
    frequency = SPEED_OF_LIGHT / signal.wavelength
    if isinstance(signal, Continuous):
        return Waveform("continuous", frequency, signal.rise / frequency, 0.0)
    if isinstance(signal, Gaussian):
        width = math.sqrt(-2 * math.log(FALL)) / (2 * math.pi * frequency)
        return Waveform("gaussian", 0.0, width, DELAY * width)
    if isinstance(signal, Derivative):
        width = 1 / (2 * math.pi * frequency)
        return Waveform("derivative", frequency, width, (DELAY + 1) * width)
    if isinstance(signal, Ricker):
        width = 1 / (math.sqrt(2) * math.pi * frequency)
        return Waveform("ricker", frequency, width, (DELAY + 1) * width)
    assert isinstance(signal, Pulse)
    width = signal.cycles / frequency
    return Waveform("pulse", frequency, width, DELAY * width)


@dataclass
class Driven:
    """The sources by kind, each in its order."""

    dipoles: list[Dipole] = field(default_factory=list)
    waves: list[PlaneWave] = field(default_factory=list)
    oblique: list[ObliqueWave] = field(default_factory=list)
    beams: list[Beam] = field(default_factory=list)
    launches: list[ModeLaunch] = field(default_factory=list)

    def axes(self) -> list[int]:
        """Directions of currents and electric fields, 0, 1, 2: all that a source may drive."""
        found = [dipole.axis for dipole in self.dipoles] + [wave.polarization for wave in self.waves]
        found += [beam.polarization for beam in self.beams]
        for tilted in self.oblique:
            found += [int(axis) for axis in np.flatnonzero(polarization(tilted))]
        return found + ([0, 1, 2] if self.launches else [])


def sources_of(parameters: FdtdParameters) -> Driven:
    """Raises ProblemError for a file that holds no waveform."""
    driven = Driven()
    for number, source in enumerate(parameters.sources, 1):
        _add(driven, source, waveform_of(source.signal), parameters.faces, number)
    return driven


def _add(driven: Driven, source: Source, waveform: TimeCourse, faces: Faces, number: int) -> None:
    if isinstance(source, PointSource):
        driven.dipoles.append(Dipole(source.place, "xyz".index(source.axis), source.moment, waveform))
        return
    if isinstance(source, ObliqueWaveSource):
        theta, phi, psi = (math.radians(angle) for angle in (source.theta, source.phi, source.polarization))
        driven.oblique.append(ObliqueWave(theta, phi, psi, source.amplitude, waveform, source.margin))
        return
    axis, forward = "xyz".index(source.direction[1]), source.direction[0] == "+"
    if isinstance(source, ModeSource):
        driven.launches.append(
            ModeLaunch(axis, forward, source.place, source.size, source.number, source.amplitude, waveform)
        )
        return
    across = "xyz".index(source.polarization)
    if isinstance(source, BeamSource):
        driven.beams.append(
            Beam(axis, forward, source.sheet, source.focus, source.waist, across, source.amplitude, waveform)
        )
    else:
        mirrors = _mirrors_of_wave(faces, number, axis, across)
        driven.waves.append(PlaneWave(axis, forward, across, source.amplitude, waveform, source.margin, mirrors))


def leading_axis(source: Source) -> str:
    """The component of E that a source drives most, as far as that is known beforehand."""
    if isinstance(source, ObliqueWaveSource):
        theta, phi, psi = (math.radians(angle) for angle in (source.theta, source.phi, source.polarization))
        parts = (
            math.cos(psi) * math.cos(theta) * math.cos(phi) - math.sin(psi) * math.sin(phi),
            math.cos(psi) * math.cos(theta) * math.sin(phi) + math.sin(psi) * math.cos(phi),
            -math.cos(psi) * math.sin(theta),
        )
        return "xyz"[max(range(3), key=lambda d: abs(parts[d]))]
    if isinstance(source, ModeSource):
        return "y" if source.direction[1] == "x" else "x"
    return source.axis if isinstance(source, PointSource) else source.polarization


def _mirrors_of_wave(
    faces: Faces, number: int, axis: int, polarization: int
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Axes of the mirrors at the low and at the high faces. Raises ProblemError for those that the wave has not got.

    A plane wave is odd at the image in a plane across its E (there E is across the plane) and even in one along it.
    """
    found: tuple[list[int], list[int]] = ([], [])
    for mirror in faces.mirrors():
        name = "xyz"[mirror.axis]
        if mirror.axis == axis:
            raise ProblemError(
                f"Source {number}, a plane wave along {name}, which has no mirror across it: use CPML there."
            )
        needed = -1 if mirror.axis == polarization else 1
        if mirror.sign != needed:
            word = "symmetric" if needed > 0 else "antisymmetric"
            raise ProblemError(
                f"A mirror across {name} of source {number}, a plane wave with E along {'xyz'[polarization]}, "
                f"is {word}: choose that at the face of {name}."
            )
        found[mirror.high].append(mirror.axis)
    return tuple(found[0]), tuple(found[1])


def ports_of(parameters: FdtdParameters) -> list[Port]:
    return [
        Port(
            port.place, "xyz".index(port.axis), port.length, port.resistance, port.amplitude, waveform_of(port.signal)
        )
        for port in parameters.ports
    ]  # fmt: skip


def expected_field(parameters: FdtdParameters) -> float:
    """About the largest electric field that is worth showing [V/m]: of waves 1.5 amplitudes, of a dipole its
    far field ``η₀ I l/(2 λ r)`` a quarter of the grid away (the near field is far above any colour range)."""
    grid = parameters.grid
    reach = max([grid.size_x, grid.size_y, grid.size_z][: int(grid.dimensions[0])]) / 4
    found = 0.0
    for source in parameters.sources:
        if isinstance(source, PointSource):
            current = abs(source.moment) / METRES[grid.length_unit]
            signal = source.signal
            wavelength = (
                SPEED_OF_LIGHT / waveform_of(signal).highest_frequency
                if isinstance(signal, FromFile)
                else signal.wavelength
            )
            found = max(found, VACUUM_IMPEDANCE * current / (2 * wavelength * reach))
        else:
            found = max(found, 1.5 * abs(source.amplitude))
    for port in parameters.ports:
        # a twentieth of what is in the gap: the field around falls fast
        found = max(found, 0.05 * port.amplitude / (port.length * METRES[grid.length_unit]))
    return float(f"{found:.2g}") or 1.0
