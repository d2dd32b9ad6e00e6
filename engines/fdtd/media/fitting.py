"""Poles fitted to measured n and k.

All strengths, widths and ε_∞ − 1 are bounded to be positive, so every pole takes energy at every frequency and the sum
is passive also where nothing was measured. Poles of Lorentz come one by one: the one of a coarse set that leaves the
least (non-negative least squares for all strengths, linear in ε) is added, then all numbers are refined by nonlinear
least squares in n and k (scipy's trust region with bounds).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import scipy

from engines.api import Array
from engines.fdtd.media.index_tables import IndexTable
from engines.fdtd.parameters.dispersion import Debye, Drude, Lorentz
from engines.fdtd.parameters.library import SPEED_OF_LIGHT

RESONANCES, WIDTHS = 28, (0.02, 0.08, 0.3, 1.0)
"""Of the coarse set: resonances from a third of the lowest measured frequency to four times the highest, widths over
them."""
LARGEST_PERMITTIVITY = 50.0
NARROWEST = 1e-9
"""Width of a pole over the middle of the measured frequencies: the loss of one that is narrower is never measured."""
NEGLIGIBLE = 1e-6
"""Poles that add less than this to ε anywhere in the data are left out."""


@dataclass(frozen=True)
class Fit:
    """index: (n,) complex, of the fit at the data's wavelengths; rms_n, rms_k: root mean square differences."""

    permittivity: float
    poles: tuple[Drude | Lorentz | Debye, ...]
    index: Array
    rms_n: float
    rms_k: float


def permittivity_of(permittivity: float, poles: tuple[Drude | Lorentz | Debye, ...], frequency: Array) -> Array:
    """ε (n,) complex at frequencies [THz], for fields ∝ exp(−iωt)."""
    found = np.full(len(frequency), permittivity, complex)
    for pole in poles:
        found += _term(pole, frequency)
    return found


def _term(pole: Drude | Lorentz | Debye, f: Array) -> Array:
    if isinstance(pole, Drude):
        return np.asarray(-(pole.plasma**2) / (f**2 + 1j * f * pole.damping))
    if isinstance(pole, Lorentz):
        return np.asarray(pole.strength * pole.resonance**2 / (pole.resonance**2 - f**2 - 1j * f * pole.damping))
    return np.asarray(pole.strength / (1 - 2j * np.pi * f * pole.relaxation))


def fit_poles(
    table: IndexTable, drude: bool, lorentz: int, debye: bool, progress: Callable[[int], None] = lambda rounds: None
) -> Fit:
    """``progress`` is told how many poles of Lorentz are found."""
    f = SPEED_OF_LIGHT / table.wavelengths
    target = table.index
    # columns (kind, a, b): shapes whose strengths are found linearly
    shapes: list[tuple[str, float, float]] = []
    if drude:
        shapes.append(("Drude", 0.0, 0.02 * f.min()))
    if debye:
        shapes.append(("Debye", 0.0, 1 / (2 * np.pi * np.sqrt(f.min() * f.max()))))
    strengths, permittivity = _strengths(shapes, f, target)
    permittivity, shapes, strengths = _refined(permittivity, shapes, strengths, f, target)
    coarse = [
        ("Lorentz", at, width * at) for at in np.geomspace(f.min() / 3, 4 * f.max(), RESONANCES) for width in WIDTHS
    ]
    for found in range(lorentz):
        progress(found)
        best = min(coarse, key=lambda shape: _left([*shapes, shape], f, target))
        shapes = [*shapes, best]
        strengths, permittivity = _strengths(shapes, f, target)
        permittivity, shapes, strengths = _refined(permittivity, shapes, strengths, f, target)
    poles = tuple(
        _pole(shape, strength)
        for shape, strength in zip(shapes, strengths, strict=True)
        if strength * np.abs(_column(shape, f)).max() > NEGLIGIBLE
    )
    index = np.sqrt(permittivity_of(permittivity, poles, f))
    wrong = index - target
    return Fit(
        permittivity, poles, index, float(np.sqrt((wrong.real**2).mean())), float(np.sqrt((wrong.imag**2).mean()))
    )


def _pole(shape: tuple[str, float, float], strength: float) -> Drude | Lorentz | Debye:
    kind, a, b = shape
    if kind == "Drude":
        return Drude(plasma=strength**0.5, damping=b)
    if kind == "Debye":
        return Debye(strength=strength, relaxation=b)
    return Lorentz(strength=strength, resonance=a, damping=b)


def _column(shape: tuple[str, float, float], f: Array) -> Array:
    """ε of a pole of strength 1 (of Drude: f_p² = 1)."""
    return _term(_pole(shape, 1.0), f)


def _system(shapes: list[tuple[str, float, float]], f: Array, target: Array) -> tuple[Array, Array]:
    """Rows whose squares are about those of n and k: δ(n + ik) = δε/(2(n + ik)). The first column is ε_∞ − 1."""
    columns = np.stack([np.ones(len(f), complex), *(_column(shape, f) for shape in shapes)], axis=1)
    weighted, right = columns / (2 * target[:, None]), (target**2 - 1) / (2 * target)
    return np.concatenate([weighted.real, weighted.imag]), np.concatenate([right.real, right.imag])


def _strengths(shapes: list[tuple[str, float, float]], f: Array, target: Array) -> tuple[Array, float]:
    matrix, right = _system(shapes, f, target)
    scale = np.linalg.norm(matrix, axis=0)
    found = scipy.optimize.nnls(matrix / scale, right)[0] / scale
    return found[1:], float(1 + found[0])


def _left(shapes: list[tuple[str, float, float]], f: Array, target: Array) -> float:
    matrix, right = _system(shapes, f, target)
    return float(scipy.optimize.nnls(matrix / np.linalg.norm(matrix, axis=0), right)[1])


def _refined(
    permittivity: float, shapes: list[tuple[str, float, float]], strengths: Array, f: Array, target: Array
) -> tuple[float, list[tuple[str, float, float]], Array]:
    """All numbers by nonlinear least squares, in units in which they are about 1."""
    unit = float(np.sqrt(f.min() * f.max()))
    kinds = [shape[0] for shape in shapes]
    start, low, high = [permittivity], [1.0], [LARGEST_PERMITTIVITY]
    scales = [1.0]
    for (kind, a, b), strength in zip(shapes, strengths, strict=True):
        of_strength, of_b = (unit**2 if kind == "Drude" else 1.0), (1 / unit if kind == "Debye" else unit)
        start += [strength / of_strength, a / unit, b / of_b]
        scales += [of_strength, unit, of_b]
        low += [0.0, f.min() / 20 / unit if kind == "Lorentz" else -1.0, 1e-3 if kind == "Debye" else NARROWEST]
        high += [np.inf, 20 * f.max() / unit if kind == "Lorentz" else 1.0, 1 / NARROWEST]

    def split(x: Array) -> tuple[float, list[tuple[str, float, float]], Array]:
        values = x * scales
        rows = values[1:].reshape(-1, 3)
        return float(values[0]), [(kind, row[1], row[2]) for kind, row in zip(kinds, rows, strict=True)], rows[:, 0]

    def wrong(x: Array) -> Array:
        constant, at, size = split(x)
        epsilon = constant + sum(s * _column(shape, f) for shape, s in zip(at, size, strict=True))
        difference = np.sqrt(epsilon * np.ones(len(f), complex)) - target
        return np.concatenate([difference.real, difference.imag])

    limits = np.array(low), np.array(high)
    inside = np.clip(np.array(start), limits[0] + 1e-9, limits[1] - 1e-9)
    return split(scipy.optimize.least_squares(wrong, inside, bounds=limits, x_scale="jac", max_nfev=200).x)
