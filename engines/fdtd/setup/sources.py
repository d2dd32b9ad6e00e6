"""The parameters' sources and ports in the terms of the kernels."""

from __future__ import annotations

import math

from engines.api.errors import ProblemError
from engines.fdtd.grid.yee import METRES, SPEED_OF_LIGHT, TIME_UNITS, VACUUM_IMPEDANCE
from engines.fdtd.parameters import (
    BeamSource,
    Continuous,
    Derivative,
    Faces,
    FdtdParameters,
    FromFile,
    Gaussian,
    ModeSource,
    ObliqueWaveSource,
    PointSource,
    Pulse,
    Ricker,
    Signal,
    Source,
    TypedSignal,
)
from engines.fdtd.ports.lumped import Port
from engines.fdtd.sources.currents import Dipole, PlaneWave
from engines.fdtd.sources.driven import Driven
from engines.fdtd.sources.oblique import ObliqueWave
from engines.fdtd.sources.sheets import Beam, ModeLaunch
from engines.fdtd.sources.typed_waveforms import typed_waveform
from engines.fdtd.sources.waveform_files import read_waveform
from engines.fdtd.sources.waveforms import FALL, TimeCourse, Waveform

DELAY = 4.5
"""Standard deviations before the middle of a pulse: it begins at 4e-5 of its amplitude."""


def waveform_of(signal: Signal, time_unit: str) -> TimeCourse:
    """In ``time_unit``: fs where lengths are in µm. Raises ProblemError for a file or a formula that holds no
    waveform."""
    if isinstance(signal, FromFile):
        return read_waveform(signal.path, time_unit)
    if isinstance(signal, TypedSignal):
        return typed_waveform(signal.lines, signal.lasts, time_unit)
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


def sources_of(parameters: FdtdParameters) -> Driven:
    """Raises ProblemError for a file that holds no waveform."""
    driven, unit = Driven(), TIME_UNITS[parameters.grid.length_unit]
    for number, source in enumerate(parameters.sources, 1):
        _add(driven, source, waveform_of(source.signal, unit), parameters.faces, number)
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
    unit = TIME_UNITS[parameters.grid.length_unit]
    return [
        Port(
            port.place, "xyz".index(port.axis), port.length, port.resistance, port.amplitude,
            waveform_of(port.signal, unit),
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
                SPEED_OF_LIGHT / waveform_of(signal, TIME_UNITS[grid.length_unit]).highest_frequency
                if isinstance(signal, FromFile | TypedSignal)
                else signal.wavelength
            )
            found = max(found, VACUUM_IMPEDANCE * current / (2 * wavelength * reach))
        else:
            found = max(found, 1.5 * abs(source.amplitude))
    for port in parameters.ports:
        # a twentieth of what is in the gap: the field around falls fast
        found = max(found, 0.05 * port.amplitude / (port.length * METRES[grid.length_unit]))
    return float(f"{found:.2g}") or 1.0
