"""Sizes of the particles of an electrode: distributions, and the particles that stand for them.

A distribution is told by number (f counts particles), by area (each counts as its surface, R²) or by volume (R³):
one and the same powder has three of them, ``f_q(R) ∝ R^q f_0(R)``. The cell asks for the one by area, for lithium
comes through the surface: with the surface's mean radius ``R̄ = Σ w_i R_i`` (Sauter's mean R₃₂ of the numbers) the
surface per volume is ``a = 3 ε/R̄``, so particles that have the set's radius as their mean by area have the surface
that the set has. By number, the same mean makes particles larger by area, and a smaller surface.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
import scipy

from engines.api import Array
from engines.api.errors import ProblemError
from engines.battery.parameters.sizes import Lognormal, Measured, ParticleSizes
from engines.reading import guarded
from engines.tables.columns import Axis, Column, column_of, fits, heading_parts
from engines.tables.text import rows_of

POWERS = {"number": 0, "area": 2, "volume": 3}
MICROMETRE = 1e-6
RADIUS = Axis("Radius", "µm")
PIECES = 512
"""Parts of a bin of a histogram, within each of which particles are alike."""


@dataclass(frozen=True, eq=False)
class Sizes:
    """Particles of an electrode: ``radii: (n,)`` [m], rising, and ``shares: (n,)`` of its surface, which sum to 1."""

    radii: Array
    shares: Array

    @property
    def mean(self) -> float:
        """Mean radius by area [m]: the one with a = 3 ε/R."""
        return float(self.shares @ self.radii)

    @property
    def volume_shares(self) -> Array:
        """(n,) shares of the electrode's lithium; they sum to 1."""
        return self.shares * self.radii / self.mean


def drawn_sizes(sizes: ParticleSizes, electrode: Literal["negative", "positive"], radius: float) -> Sizes:
    """The particles of an electrode whose set gives ``radius`` [m]. Raises ProblemError.

    Quantiles: the surface is parted into n equal shares from the smallest particles to the largest, and each particle
    has the mean radius of its share, so that the mean by area is that of the distribution exactly. Random: n particles
    picked by number; their shares are as their surfaces.
    """
    given, n = getattr(sizes, electrode), sizes.particles
    shape = _lognormal(given, radius) if isinstance(given, Lognormal) else _measured(given, electrode)
    if sizes.draw == "quantiles":
        # At the ends the sum is 0 and the mean; between, differences of rising numbers.
        return Sizes(n * np.diff(shape.first_moment(np.arange(n + 1) / n)), np.full(n, 1 / n))
    generator = np.random.default_rng([sizes.seed, *electrode.encode()])
    radii = np.sort(shape.picked(generator, n))
    return Sizes(radii, radii**2 / (radii**2).sum())


@dataclass(frozen=True)
class _LognormalShape:
    """``location``: mean of ln R by area; ``width``: its standard deviation, the same in all weightings."""

    location: float
    width: float

    def first_moment(self, share: Array) -> Array:
        """∫ R over the smallest particles that have ``share`` of the surface [m]."""
        return np.exp(self.location + self.width**2 / 2) * scipy.special.ndtr(scipy.special.ndtri(share) - self.width)

    def picked(self, generator: np.random.Generator, n: int) -> Array:
        return np.exp(self.location - 2 * self.width**2 + self.width * generator.standard_normal(n))


@dataclass(frozen=True, eq=False)
class _Classes:
    """Classes of one radius each, rising: ``radii: (m,)`` [m], ``shares: (m,)`` of the surface."""

    radii: Array
    shares: Array

    def first_moment(self, share: Array) -> Array:
        upto = np.concatenate([[0.0], np.cumsum(self.shares)])
        return np.interp(share, upto / upto[-1], np.concatenate([[0.0], np.cumsum(self.shares * self.radii)]))

    def picked(self, generator: np.random.Generator, n: int) -> Array:
        numbers = self.shares / self.radii**2
        return generator.choice(self.radii, n, p=numbers / numbers.sum())


def _lognormal(given: Lognormal, radius: float) -> _LognormalShape:
    mean = given.mean_radius * MICROMETRE or radius
    variance = np.log1p(given.spread**2)
    own = np.log(mean) - variance / 2
    # R^m times a lognormal density is one again, its location higher by m variances.
    return _LognormalShape(float(own + (2 - POWERS[given.weighting]) * variance), float(np.sqrt(variance)))


def _measured(given: Measured, electrode: str) -> _Classes:
    where = f"The sizes of the {electrode} electrode"
    radii, weights = _table(Path(given.file), where) if given.file else (np.array(given.radii), np.array(given.weights))
    if not len(weights) or len(radii) not in (len(weights), len(weights) + 1):
        raise ProblemError(
            f"{where} have {len(radii)} radii and {len(weights)} weights: give a weight for each radius, "
            "or one radius more, and they are edges."
        )
    if not (np.isfinite(radii).all() and np.isfinite(weights).all()):
        raise ProblemError(f"{where} have a gap: fill in a number.")
    edges = len(radii) > len(weights)
    if (np.diff(radii) <= 0).any() or radii[0] < 0 or (not edges and radii[0] == 0):
        raise ProblemError(f"{where} are not in order: radii are positive and rise.")
    if (weights < 0).any() or weights.sum() <= 0:
        raise ProblemError(f"{where} have a negative weight or none above 0: weights are shares.")
    if edges:
        # Even within a class: each piece has the same weight, and the radius in its middle.
        within = (np.arange(PIECES) + 0.5) / PIECES
        radii = (radii[:-1, None] + np.diff(radii)[:, None] * within).ravel()
        weights = np.repeat(weights / PIECES, PIECES)
    by_area = weights * radii ** (2 - POWERS[given.weighting])
    kept = by_area > 0
    return _Classes(radii[kept] * MICROMETRE, by_area[kept] / by_area.sum())


def _radius_under(heading: list[str], where: str, name: str) -> Column:
    """The first column, in the unit that its heading gives. Raises ProblemError where that is not of radii."""
    if "diam" in heading_parts(heading[0])[0].lower():
        raise ProblemError(f"{where}: the first column of {name} is of diameters: give radii, half of them.")
    if len(heading) > 1 and fits(heading[1], RADIUS) and not fits(heading[0], RADIUS):
        raise ProblemError(f"{where}: the second column of {name} is the radius: put it first, and the weight second.")
    return column_of(heading[0], 0, RADIUS, name)


@guarded("cannot be read as sizes: choose a CSV file of two columns, radius and weight.")
def _table(path: Path, where: str) -> tuple[Array, Array]:
    """Radii [µm] and weights of a CSV file; a first row of words is its heading, which may give the radii's unit."""
    try:
        rows = rows_of(path.read_text("utf-8-sig"))
    except (OSError, UnicodeDecodeError) as error:
        raise ProblemError(f"{where} cannot be read from {path.name}: choose a CSV file of two columns.") from error
    numbers, radius = [], Column(0)
    for number, (cells, row) in enumerate(rows, 1):
        if len(row) > 1 and None not in row[:2]:
            numbers.append(row[:2])
        elif number > 1:
            raise ProblemError(f"{where}: row {number} of {path.name} is no radius and weight: give two numbers.")
        else:
            radius = _radius_under(cells, where, path.name)
    if not numbers:
        raise ProblemError(f"{where}: {path.name} has no rows; give a radius [µm] and a weight in each.")
    table = np.array(numbers, float)
    return table[:, 0] * radius.factor, table[:, 1]
