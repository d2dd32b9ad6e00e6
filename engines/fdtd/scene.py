"""What the parameters describe, in the terms of the kernels: media and sources."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from engines.fdtd.boundaries import Face
from engines.fdtd.materials import Medium
from engines.fdtd.oblique import ObliqueWave
from engines.fdtd.parameters import (
    BeamSource,
    Continuous,
    Derivative,
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
from engines.fdtd.sheets import Beam, ModeLaunch
from engines.fdtd.sources import Dipole, PlaneWave
from engines.fdtd.waveform_files import read_waveform
from engines.fdtd.waveforms import FALL, TimeCourse, Waveform
from engines.fdtd.yee import METRES, SPEED_OF_LIGHT, VACUUM_IMPEDANCE, Yee

DELAY = 4.5
"""Standard deviations before the middle of a pulse: it begins at 4e-5 of its amplitude."""


def make_yee(grid: GridSetting) -> Yee:
    counts = (grid.cells_x, grid.cells_y, grid.cells_z)
    return Yee(counts, (grid.size_x / counts[0], grid.size_y / counts[1], grid.size_z / counts[2]))


def make_faces(faces: Faces) -> list[tuple[Face, Face]]:
    def face(kind: str) -> Face:
        return Face(kind, faces.layer if kind == "CPML" else 0)  # type: ignore[arg-type]  # one of the kinds

    return [(face(low), face(high)) for low, high in faces.pairs()]


def make_medium(material: Material, length_unit: str) -> Medium:
    metre = METRES[length_unit]
    return Medium(
        material.permittivity, material.permeability, material.conductivity * metre, material.magnetic_loss * metre,
        material.perfect_conductor,
    )  # fmt: skip


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

    def waveforms(self) -> list[TimeCourse]:
        kinds: tuple[Sequence[Dipole | PlaneWave | ObliqueWave | Beam | ModeLaunch], ...] = (
            self.dipoles, self.waves, self.oblique, self.beams, self.launches,
        )  # fmt: skip
        return [source.waveform for kind in kinds for source in kind]


def sources_of(parameters: FdtdParameters) -> Driven:
    """Raises ProblemError for a file that holds no waveform."""
    driven = Driven()
    for source in parameters.sources:
        _add(driven, source, waveform_of(source.signal))
    return driven


def _add(driven: Driven, source: Source, waveform: TimeCourse) -> None:
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
        driven.waves.append(PlaneWave(axis, forward, across, source.amplitude, waveform, source.margin))


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


def expected_field(parameters: FdtdParameters) -> float:
    """About the largest electric field that is worth showing [V/m]: of waves 1.5 amplitudes, of a dipole its
    far field ``η₀ I l/(2 λ r)`` a quarter of the grid away (the near field is far above any colour range)."""
    grid = parameters.grid
    reach = max(grid.size_x, grid.size_y, grid.size_z) / 4
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
    return float(f"{found:.2g}") or 1.0
