"""Whether the cells are small enough for the waves that sources send."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from engines.api import Finding, Remedy
from engines.api.errors import ProblemError
from engines.fdtd.grid.yee import SPEED_OF_LIGHT, Yee
from engines.fdtd.media.materials import Medium
from engines.fdtd.sources.waveforms import TimeCourse
from engines.quantities import percent, rounded_down

FEWEST_PER_WAVELENGTH = 6.0
"""Below this a wave on the grid is more than 5 % slower than light and depends on its direction."""
GOOD_PER_WAVELENGTH = 12.0
GOOD_OF_SMOOTHED = 30.0
"""Cells per wavelength from which waves on the grid are less than 0.1 % slow, as little as what smoothing leaves."""
TOLD_SLOW = 0.1
"""[%] of slowness on the grid from which it is told."""
FEWEST_PER_DEPTH = 3
"""Cells in which the field in a metal falls to 1/e: with 3 the decay is 0.5 % wrong, (Δ/δ)²/24."""


def resolution_findings(
    yee: Yee, length_unit: str, waveforms: Sequence[TimeCourse], media: Sequence[Medium], dt: float, smoothing: bool
) -> tuple[Finding, ...]:
    """Cells per wavelength in the slowest of ``media`` at the highest frequency of the sources. Raises ProblemError."""
    if not waveforms:
        return (Finding("There is no source: nothing will move.", place=("sources",)),)
    highest = max(waveform.highest_frequency for waveform in waveforms)
    indices = [medium.largest_index(2 * np.pi * highest) for medium in media if not medium.perfect_conductor]
    densest = max(index for index, _ in indices)
    shortest = SPEED_OF_LIGHT / highest / densest
    varying = {d: float(yee.sizes(d).max()) for d in yee.varying if yee.counts[d] > 1}
    coarsest = max(varying.values(), default=yee.smallest)
    cells = shortest / coarsest
    unit = length_unit.replace("um", "µm")
    needed = shortest / FEWEST_PER_WAVELENGTH
    if cells < FEWEST_PER_WAVELENGTH:
        along = f" along {'xyz'[max(varying, key=varying.__getitem__)]}" if len(varying) > 1 else ""
        raise ProblemError(
            f"The shortest wavelength, {shortest:.3g} {unit}{' in an object' * (densest > 1)}, has "
            f"{_down(cells)} cells{along}: use cells of at most {_down(needed)} {unit}, or a longer wavelength."
        )
    extinction = max(found for _, found in indices)
    depth = SPEED_OF_LIGHT / (2 * np.pi * highest * extinction) if extinction else np.inf
    if depth < FEWEST_PER_DEPTH * coarsest:
        return (
            Finding(
                f"The field falls to 1/e within {depth:.2g} {unit} of a metal, {depth / coarsest:.2g} cells: "
                f"{FEWEST_PER_DEPTH} or more are better.",
                place=("grid",),
                remedy=_finer(yee, depth / FEWEST_PER_DEPTH),
                distorts=True,
            ),
        )
    if smoothing and densest > 1 and cells < GOOD_OF_SMOOTHED:
        slow = slowness(cells, SPEED_OF_LIGHT * dt / (densest * coarsest), len(varying))
        return (
            Finding(
                f"The shortest wavelength in an object, {shortest:.3g} {unit}, has {cells:.3g} cells, on which waves "
                f"are {percent(slow)} slow, and resonances that much too low. Smoothing puts interfaces in their "
                f"place and leaves this as it is, so that staircases, whose error may have the other sign, can seem "
                f"better: use {GOOD_OF_SMOOTHED:g} cells for a tenth of a per cent.",
                "warning" if cells < GOOD_PER_WAVELENGTH else "info",
                ("grid",),
                _finer(yee, shortest / GOOD_OF_SMOOTHED),
                distorts=True,
            ),
        )
    if cells < GOOD_PER_WAVELENGTH:
        return (
            Finding(
                f"The shortest wavelength, {shortest:.3g} {unit}, has {_down(cells)} cells: 12 or more are better.",
                place=("grid",),
                remedy=_finer(yee, shortest / GOOD_PER_WAVELENGTH),
                distorts=True,
            ),
        )
    slow = slowness(cells, SPEED_OF_LIGHT * dt / (densest * coarsest), len(varying))
    text = f"The shortest wavelength, {shortest:.3g} {unit}, has {cells:.3g} cells"
    if 100 * slow >= TOLD_SLOW:
        text += f", on which waves are {percent(slow)} slow: fringes and resonances lie that much too low"
    return (Finding(f"{text}.", "info", ("grid",)),)


def _down(value: float) -> str:
    """To three digits, never above it: what is obeyed must do."""
    return f"{rounded_down(value, 3):.3g}"


def _finer(yee: Yee, largest: float) -> Remedy | None:
    """Cells of at most this size along all axes; None where regions of an axis have cells of their own."""
    if any(line is not None for line in yee.lines):
        return None
    counts = {
        "xyz"[d]: max(yee.counts[d], math.ceil(yee.counts[d] * yee.spacing[d] / largest * (1 - 1e-9)))
        for d in yee.varying
        if yee.counts[d] > 1
    }
    shown = " × ".join(f"{count:,}" for count in counts.values())
    return Remedy(f"Use {shown} cells", {("grid", f"cells_{axis}"): count for axis, count in counts.items()})


def slowness(cells: float, courant: float, dimensions: int) -> float:
    """By how much waves of ``cells`` cells per wavelength are slower on the grid than in the medium, in the mean over
    directions: (π/N)²/6 (⟨Σ n⁴⟩ − S²) with ⟨Σ n⁴⟩ = 3/(D + 2), S: cells that a wave crosses in a step."""
    return (np.pi / cells) ** 2 / 6 * (3 / (dimensions + 2) - courant**2)
