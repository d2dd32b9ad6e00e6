"""A cavity, a dipole and a sphere."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from engines.api.device import Backend
from engines.api.verification import Answer
from engines.fdtd.grid.yee import SPEED_OF_LIGHT, VACUUM_IMPEDANCE
from engines.fdtd.parameters import (
    BoxMonitor,
    Faces,
    FdtdParameters,
    Frequencies,
    GridSetting,
    Material,
    Numerics,
    PointSource,
    Pulse,
    Ringing,
    Sphere,
    TraceMonitor,
    WaveSource,
)
from engines.fdtd.setup.sources import waveform_of
from engines.fdtd.verification.mie import scattering_efficiency
from engines.fdtd.verification.runs import results_of

FS = 1e-15
MICROMETRE = 1e-6


def cavity(backend: Backend) -> Sequence[Answer]:
    """Mode 110 of a cube of 50 mm between conductors, 25³ cells, from a trace, against
    sin²(ωΔt/2)/(cΔt)² = Σ sin²(kΔ/2)/Δ² of the grid and c/(√2 L) of the continuum."""
    n, side = 25, 50.0
    parameters = FdtdParameters(
        grid=GridSetting(length_unit="mm", cells_x=n, cells_y=n, cells_z=n, size_x=side, size_y=side, size_z=side),
        faces=Faces(**{f"{axis}_{end}": "PEC" for axis in "xyz" for end in ("low", "high")}),
        objects=[],
        sources=[PointSource(place=(23.0, 25.0, 25.0), signal=Pulse(wavelength=71.0, cycles=3.0))],
        monitors=[
            TraceMonitor(place=(17.0, 19.0, 25.0), ringing=Ringing(on=True, given="frequency", first=3.9, last=4.6))
        ],
        numerics=Numerics(precision="fp64"),
    )
    found = results_of(parameters, backend, 30e3)
    (frequency, *_) = [float(f) for f in np.atleast_1d(found["trace/resonance frequency"]) if 4.1 < f < 4.4]
    h, courant = side / n, 0.99 / np.sqrt(3.0)
    on_grid = np.arcsin(courant * np.sqrt(2) * np.sin(np.pi / n / 2)) / (np.pi * courant * h / SPEED_OF_LIGHT) * 1e3
    return [
        Answer("mode 110, of the grid", frequency, float(on_grid), 1e-6 * float(on_grid), "GHz"),
        Answer("mode 110, of the continuum", frequency, 1e3 * SPEED_OF_LIGHT / np.sqrt(2) / side, 4e-3, "GHz"),
    ]


def dipole(backend: Backend) -> Sequence[Answer]:
    """P = ω⁴p²/(12πε₀c³), of a pulse as energy per frequency: η₀k²|∫Il e^{iωt} dt|²/(3π)."""
    wavelengths = (0.9, 1.0, 1.2)
    signal, middle = Pulse(wavelength=1.0, cycles=1.5), 26 / 30
    parameters = FdtdParameters(
        grid=GridSetting(cells_x=52, cells_y=52, cells_z=52, size_x=52 / 30, size_y=52 / 30, size_z=52 / 30),
        objects=[],
        sources=[PointSource(place=(middle, middle, middle + 0.5 / 30), moment=1.0, signal=signal)],
        monitors=[
            BoxMonitor(
                low=(16 / 30,) * 3, high=(36 / 30,) * 3, frequencies=Frequencies(choice="list", values=[*wavelengths])
            )
        ],
    )
    energy = results_of(parameters, backend, 60.0)["box/energy"]
    answers = []
    for wavelength, value in zip(wavelengths, energy, strict=True):
        spectrum = _spectrum(signal, wavelength) * MICROMETRE  # A m s of a moment of 1 A µm
        wavenumber = 2 * np.pi / (wavelength * MICROMETRE)
        expected = VACUUM_IMPEDANCE * wavenumber**2 / (3 * np.pi) * spectrum**2
        answers.append(Answer(f"energy at {wavelength:g} µm over its formula", float(value / expected), 1.0, 0.01))
    return answers


def sphere(backend: Backend) -> Sequence[Answer]:
    """Q_sca of n = 2 at x = 1 and 3, 30 cells across, smoothed, from the power out of a box in the scattered field."""
    sizes, cells, around = (1.0, 3.0), 30, 18
    count = cells + 2 * around
    signal = Pulse(wavelength=np.pi / 2, cycles=0.372)
    low, high = 12.0 / cells, (count - 12.0) / cells
    parameters = FdtdParameters(
        grid=GridSetting(
            cells_x=count, cells_y=count, cells_z=count, size_x=count / cells, size_y=count / cells,
            size_z=count / cells,
        ),
        materials=[Material(permittivity=4.0)],
        objects=[Sphere(center=(count / cells / 2,) * 3, radius=0.5)],
        sources=[WaveSource(signal=signal, margin=4)],
        monitors=[
            BoxMonitor(
                low=(low,) * 3, high=(high,) * 3,
                frequencies=Frequencies(choice="list", values=[np.pi / size for size in sizes]),
            )
        ],
        numerics=Numerics(smoothing=True),
    )  # fmt: skip
    energy = results_of(parameters, backend, 20.0 / SPEED_OF_LIGHT)["box/energy"]
    answers = []
    for size, value, tolerance in zip(sizes, energy, (0.005, 0.03), strict=True):
        fluence = 2 * _spectrum(signal, np.pi / size) ** 2 / VACUUM_IMPEDANCE
        found = float(value / fluence / (np.pi * (0.5 * MICROMETRE) ** 2))
        expected = scattering_efficiency(size, 2.0)
        answers.append(Answer(f"Q_sca at x = {size:g}", found, expected, tolerance * expected))
    return answers


def _spectrum(signal: Pulse, wavelength: float) -> float:
    """|∫ w(t) e^{iωt} dt| [s]."""
    waveform = waveform_of(signal, "fs")
    time = np.linspace(0.0, waveform.lasts, 20_001)
    turns = np.exp(2j * np.pi * SPEED_OF_LIGHT / wavelength * time)
    return float(np.abs(np.trapezoid(waveform.at(time) * turns, time))) * FS
