"""What the parameters describe, in the terms of the kernels: media and sources."""

from __future__ import annotations

import math

from engines.fdtd.boundaries import Face
from engines.fdtd.materials import Medium
from engines.fdtd.parameters import (
    Continuous,
    Faces,
    FdtdParameters,
    Gaussian,
    GridSetting,
    Material,
    PointSource,
    Pulse,
    Signal,
)
from engines.fdtd.ports.lumped import Port
from engines.fdtd.sources import Dipole, PlaneWave
from engines.fdtd.waveforms import FALL, Waveform
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


def waveform_of(signal: Signal) -> Waveform:
    frequency = SPEED_OF_LIGHT / signal.wavelength
    if isinstance(signal, Continuous):
        return Waveform("continuous", frequency, signal.rise / frequency, 0.0)
    if isinstance(signal, Gaussian):
        width = math.sqrt(-2 * math.log(FALL)) / (2 * math.pi * frequency)
        return Waveform("gaussian", 0.0, width, DELAY * width)
    assert isinstance(signal, Pulse)
    width = signal.cycles / frequency
    return Waveform("pulse", frequency, width, DELAY * width)


def sources_of(parameters: FdtdParameters) -> tuple[list[Dipole], list[PlaneWave]]:
    dipoles, waves = [], []
    for source in parameters.sources:
        waveform = waveform_of(source.signal)
        if isinstance(source, PointSource):
            dipoles.append(Dipole(source.place, "xyz".index(source.axis), source.moment, waveform))
        else:
            axis, forward = "xyz".index(source.direction[1]), source.direction[0] == "+"
            across = "xyz".index(source.polarization)
            waves.append(PlaneWave(axis, forward, across, source.amplitude, waveform, source.margin))
    return dipoles, waves


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
    reach = max(grid.size_x, grid.size_y, grid.size_z) / 4
    found = 0.0
    for source in parameters.sources:
        if isinstance(source, PointSource):
            current = abs(source.moment) / METRES[grid.length_unit]
            found = max(found, VACUUM_IMPEDANCE * current / (2 * source.signal.wavelength * reach))
        else:
            found = max(found, 1.5 * abs(source.amplitude))
    for port in parameters.ports:
        # a twentieth of what is in the gap: the field around falls fast
        found = max(found, 0.05 * port.amplitude / (port.length * METRES[grid.length_unit]))
    return float(f"{found:.2g}") or 1.0
