"""Slabs, a skin and absorbing layers, in one dimension."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from engines.api import Array
from engines.api.device import Backend
from engines.api.verification import Answer
from engines.fdtd.grid.yee import SPEED_OF_LIGHT
from engines.fdtd.parameters import (
    Box,
    Ending,
    FdtdParameters,
    Frequencies,
    GridSetting,
    Material,
    Numerics,
    PlaneMonitor,
    PointSource,
    Pulse,
    TraceMonitor,
    VolumeMonitor,
    WaveSource,
)
from engines.fdtd.parameters.dispersion import Drude, Lorentz
from engines.fdtd.verification.runs import results_of

FP64 = Numerics(precision="fp64")
WAVELENGTHS = (1.25, 1.35, 1.45, 1.55)
THICK = 1.2
FAR = 1e3
DRUDE, LORENTZ = Drude(plasma=180.0, damping=12.0), Lorentz(strength=0.6, resonance=215.0, damping=15.0)
METAL = Drude(plasma=514.0, damping=10.0)


def index_of(permittivity: float, pole: Drude | Lorentz | None, wavelength: Array | float) -> Array:
    """n + ik of fields ∝ e^{−iωt}: Drude ε − f_p²/(f² + iγf), Lorentz ε + Δε f₀²/(f₀² − f² − iγf)."""
    f = SPEED_OF_LIGHT / np.asarray(wavelength, float) * 1e3  # THz
    found = permittivity + 0j * f
    if isinstance(pole, Drude):
        found = found - pole.plasma**2 / (f**2 + 1j * pole.damping * f)
    elif isinstance(pole, Lorentz):
        found = found + pole.strength * pole.resonance**2 / (pole.resonance**2 - f**2 - 1j * pole.damping * f)
    return np.asarray(np.sqrt(found))


def airy(index: Array, thick: float, wavelength: Array) -> tuple[Array, Array]:
    """(R, T) of a slab at normal incidence."""
    r, turn = (1 - index) / (1 + index), np.exp(2j * np.pi * index * thick / wavelength)
    below = 1 - (r * turn) ** 2
    return np.abs(r * (1 - turn**2) / below) ** 2, np.abs((1 - r**2) * turn / below) ** 2


def slab(permittivity: float, pole: Drude | Lorentz | None, tolerance: float, backend: Backend) -> Sequence[Answer]:
    """Cells of 20 nm, R and T against Airy's formula with a complex index."""
    asked = Frequencies(choice="list", values=list(WAVELENGTHS))
    material = Material(permittivity=permittivity, poles=[] if pole is None else [pole])
    found = results_of(
        FdtdParameters(
            grid=GridSetting(dimensions="1D", cells_x=300, size_x=6.0),
            materials=[material],
            objects=[Box(material=material.name, low=(2.4, -FAR, -FAR), high=(2.4 + THICK, FAR, FAR))],
            sources=[WaveSource(signal=Pulse(wavelength=1.4, cycles=2.0))],
            monitors=[
                PlaneMonitor(name="R", position=0.24, measures="reflection", frequencies=asked),
                PlaneMonitor(name="T", position=5.0, measures="transmission", frequencies=asked),
            ],
            ending=Ending(at_decay=True, part=1e-9),
            numerics=FP64,
        ),
        backend,
    )
    wavelength = np.array(WAVELENGTHS)
    expected = airy(index_of(permittivity, pole, wavelength), THICK, wavelength)
    return [
        Answer(f"{name} at {wavelength[n]:g} µm", float(found[f"balance/{name}"][n]), float(values[n]), tolerance)
        for name, values in zip("RT", expected, strict=True)
        for n in range(len(wavelength))
    ]


def skin_depth(backend: Backend) -> Sequence[Answer]:
    """c/(ω Im n) in a metal at 1.55 µm, from |E| at two depths; 19 cells of 5 nm."""
    wavelength = 1.55
    found = results_of(
        FdtdParameters(
            grid=GridSetting(dimensions="1D", cells_x=420, size_x=2.1),
            materials=[Material(permittivity=1.0, poles=[METAL])],
            objects=[Box(low=(1.0, -FAR, -FAR), high=(2.0, FAR, FAR))],
            sources=[WaveSource(signal=Pulse(wavelength=wavelength, cycles=2.0))],
            monitors=[VolumeMonitor(frequencies=Frequencies(choice="list", values=[wavelength]))],
            numerics=FP64,
        ),
        backend,
        150.0,
    )
    x, field = found["volume/x of Ez"], np.abs(found["volume/Ez"]).reshape(-1)
    first, second = (int(np.abs(x - at).argmin()) for at in (1.05, 1.35))
    depth = float((x[second] - x[first]) / np.log(field[first] / field[second]))
    expected = wavelength / (2 * np.pi * float(index_of(1.0, METAL, wavelength).imag))
    return [Answer("skin depth", 1e3 * depth, 1e3 * expected, 1e3 * 5e-4 * expected, "nm")]


def layers(backend: Backend) -> Sequence[Answer]:
    """What ten cells of CPML reflect of a pulse: a short line minus a long one."""
    answers = []
    for cells in (10, 50, 400):
        traces = []
        for length in (60, 80 + 7 * cells):
            size = length / cells
            parameters = FdtdParameters(
                grid=GridSetting(dimensions="1D", cells_x=length, size_x=size),
                objects=[],
                sources=[PointSource(place=(25 / cells, 2.0, 2.0), signal=Pulse(wavelength=1.0, cycles=1.5))],
                monitors=[TraceMonitor(place=(40 / cells, 2.0, 2.0), every=max(1, cells // 20))],
                numerics=FP64,
            )
            traces.append(results_of(parameters, backend, 13.5 / SPEED_OF_LIGHT)["trace/Ez"])
        short, long = traces
        reflected = float(np.abs(short - long).max() / np.abs(long).max())
        answers.append(Answer(f"reflected at {cells} cells per wavelength", reflected, 0.0, 10 ** (-85 / 20)))
    return answers
