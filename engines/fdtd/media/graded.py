"""Materials that differ from place to place: permittivity and σ by formulas of x, y, z
(:mod:`engines.formulas.typed.definitions`).

A cell has what the formulas are at its middle, an edge the mean of its four cells, as with materials that are the same
everywhere: of second order within an object and at interfaces along cell walls. What edges have is rounded to 13
significant bits, 4,096 values per octave, so that an id of two bytes names it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from engines.api import Array
from engines.api.errors import ProblemError, placed_at
from engines.fdtd.grid.yee import Yee
from engines.fdtd.media.mixing import MOST_IDS
from engines.formulas.emit_numpy import Program
from engines.formulas.graph import Node, const
from engines.formulas.parse import number
from engines.formulas.typed.definitions import checked, definitions, refusal

PERMITTIVITY, CONDUCTIVITY, PLACE = "eps", "sigma", ("x", "y", "z")
LARGEST = 1000.0
STEPS = ("eps = 1 + 0.5*x", "n = 1.5 - 0.1*y**2", "r2 = (x - 2)**2 + (y - 2)**2 + (z - 2)**2", "sigma = 0.01*exp(-x)")
WHOLE = (
    ("The same everywhere", ("eps = 2.25",)),
    ("A layer whose index rises along x", ("n = 1 + 0.5*(x - 1)/2", "eps = n**2")),
    ("A lens of Luneburg", ("r2 = (x - 2)**2 + (y - 2)**2 + (z - 2)**2", "eps = 2 - r2/1.5**2")),
    ("A guide of graded index", ("n = 1.5/cosh(0.6*(y - 2))", "eps = n**2")),
    ("A soil that is wetter below", ("depth = 2 - z", "eps = 4 + 12*depth/2", "sigma = 0.001 + 0.02*depth/2")),
)
SLAB = 1 << 21
"""Places that are looked at at once: about 100 MB."""
BITS, ROUNDED = 23, 40
"""Of a double without its sign: what is kept (12 bits behind the first) and what is rounded away."""


def read(lines: Sequence[str]) -> dict[str, Node]:
    """The two as far as they are typed, of x, y, z. Raises ProblemError whose ``place`` is the line."""
    names = definitions(lines, PLACE, "material")
    found = {name: number(names[name]) for name in (PERMITTIVITY, CONDUCTIVITY) if name in names}
    if not found:
        raise refusal(
            max(len(lines) - 1, 0), f": no line begins with '{PERMITTIVITY} =', the permittivity, or '{CONDUCTIVITY} ='"
        )
    return found


def check(lines: Sequence[str]) -> tuple[int, str] | None:
    return checked(read, lines)


@dataclass(frozen=True, eq=False)
class Grade:
    """ε_r and σ [S/length unit] by the place; material: its number among the parameters' (from 0)

    metre: of the unit of length ``unit``; least: ε_r, or a bound of it
    """

    program: Program
    material: int
    metre: float
    unit: str
    least: float = 1.0

    def at(self, x: Array, y: Array, z: Array) -> Array:
        """(2, n) at points (n,). Raises ProblemError for what no material has."""
        found = np.empty((2, len(x)))
        found[:] = [np.broadcast_to(each, len(x)) for each in self.program(dict(zip(PLACE, (x, y, z), strict=True)))]
        for values, what, least, most in (
            (found[0], "permittivity", 1.0, LARGEST), (found[1], "conductivity", 0.0, np.finfo(float).max)
        ):  # fmt: skip
            right = (values >= least) & (values <= most)
            if not right.all():
                n = int(np.argmin(right))
                told = "at least 1 and at most 1000" if least else "a finite number of S/m, and not below 0,"
                raise ProblemError(
                    f"The {what} is {values[n]:.4g} at ({x[n]:.4g}, {y[n]:.4g}, {z[n]:.4g}) "
                    f"{self.unit.replace('um', 'µm')}: let it be {told} in all of the object.",
                    ("materials", self.material, "by_place", "lines"),
                )
        found[1] *= self.metre
        return found


Graded = tuple[Grade, tuple[float, float]]
"""With ε_r and σ of the mixtures that it is put in the place of."""


def make_grade(
    lines: Sequence[str], material: int, permittivity: float, conductivity: float, unit: str, metre: float
) -> Grade:
    """permittivity, conductivity [S/m]: of what no line says. Raises ProblemError."""
    with placed_at("materials", material, "by_place", "lines"):
        found = read(lines)
    roots = [found.get(PERMITTIVITY, const(permittivity)), found.get(CONDUCTIVITY, const(conductivity))]
    return Grade(Program(roots), material, metre, unit)


def grade_edges(
    yee: Yee, wraps: Array, cells: Array, grades: Mapping[int, Graded], kinds: Array, ids: Array, lossy: float
) -> tuple[Array, Array]:
    """``kinds`` with those of graded edges behind them, and ids (3, nz + 1, ny + 1, row) uint16 by them.

    grades: by the number in ``cells``; kinds: rows of ε_r, loss and what else there is; lossy: loss by σ
    Raises ProblemError for more kinds than ids can name.
    """
    ids, halves, alike = ids.astype(np.uint16), [yee.halves(axis) for axis in range(3)], _alike(kinds)
    around = [_around(n, wrap) for n, wrap in zip(yee.counts, wraps, strict=True)]
    numbers: dict[int, int] = {}
    nz, depth = yee.counts[2], max(1, SLAB // (yee.shape[1] * yee.shape[2]))
    for first in range(0, nz + 1, depth):
        before, behind = (side[first : first + depth] for side in around[2])
        there = np.unique(np.concatenate([before, behind]))
        found = _differences(cells, there, halves, grades)
        if not found.any():
            continue
        low, high = (found[:, np.searchsorted(there, side)] for side in (before, behind))
        nodes, own = 0.5 * (low + high), high[:, : nz - first]  # the cell behind a node is that of the half there
        parts = (_mean(nodes, around[1], 2), _mean(nodes, around[0], 3), _mean(_mean(own, around[1], 2), around[0], 3))
        for held, (eps, sigma) in zip(ids[:, first:], parts, strict=True):
            held = held[tuple(slice(n) for n in eps.shape)]
            chosen = ((eps != 0) | (sigma != 0)) & (held > 0)
            base = held[chosen].astype(np.int64)
            codes = _code(kinds[base, 0] + eps[chosen]), _code(kinds[base, 1] + lossy * sigma[chosen])
            keys, inverse = np.unique((alike[base] << 2 * BITS) | (codes[0] << BITS) | codes[1], return_inverse=True)
            known = [numbers.setdefault(key, len(kinds) + len(numbers)) for key in keys.tolist()]
            if len(kinds) + len(numbers) > MOST_IDS:
                raise ProblemError(
                    f"Materials that differ from place to place have more than {MOST_IDS:,} pairs of permittivity "
                    "and conductivity: let one of them be the same everywhere, or both depend on one coordinate."
                )
            held[chosen] = np.array(known, np.uint16)[inverse]
    keys = np.array(list(numbers), np.int64)
    made = kinds[keys >> 2 * BITS].copy()
    made[:, 0], made[:, 1] = _value(keys >> BITS), _value(keys)
    return np.concatenate([kinds, made]), ids


def _around(n: int, wraps: bool) -> tuple[Array, Array]:
    """The cells before and behind each node."""
    nodes = np.arange(n + 1)
    return ((nodes - 1) % n, nodes % n) if wraps else (np.maximum(nodes - 1, 0), np.minimum(nodes, n - 1))


def _differences(cells: Array, planes: Array, halves: Sequence[Array], grades: Mapping[int, Graded]) -> Array:
    """(2, planes, ny, nx): by how much ε_r and σ of cells are above what mixtures were made with."""
    held = cells[planes]
    found = np.zeros((2, *held.shape))
    for material, (grade, base) in grades.items():
        k, j, i = np.nonzero(held == material)
        found[:, k, j, i] = grade.at(halves[0][i], halves[1][j], halves[2][planes[k]]) - np.array(base)[:, None]
    return found


def _mean(values: Array, around: tuple[Array, Array], axis: int) -> Array:
    return 0.5 * (values.take(around[0], axis) + values.take(around[1], axis))


def _alike(kinds: Array) -> Array:
    """The first row with the same poles as each."""
    if kinds.shape[1] == 2:
        return np.zeros(len(kinds), np.int64)
    _, first, inverse = np.unique(kinds[:, 2:], axis=0, return_index=True, return_inverse=True)
    return np.asarray(first[inverse.reshape(-1)], np.int64)


def _code(values: Array) -> Array:
    """The first bits of numbers that are not below 0."""
    return np.asarray((np.maximum(values, 0.0).view(np.int64) + (1 << ROUNDED - 1)) >> ROUNDED)


def _value(codes: Array) -> Array:
    return ((codes & ((1 << BITS) - 1)) << ROUNDED).view(np.float64)
