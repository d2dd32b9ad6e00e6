"""The levels of multigrid: which axes are coarsened, the conductivities of coarse faces, the coarsest inverse.

An axis is coarsened while its cells are not much wider than the narrowest ones, so that a grid of flat cells becomes
one of cubes first (semi-coarsening): a point smoother leaves nothing that oscillates along strongly coupled axes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from engines.api import Array
from engines.stencil.poisson.axes import FLAT, LOWER, UPPER, Axis, Transfer, transfer
from engines.stencil.setup.faces import Interfaces
from engines.stencil.setup.sides import Ghosts

DIRECT_CELLS = 256
"""Cells of the coarsest level at most: its inverse is stored, 256 kB in float32; one product replaces some levels."""
WIDTH_RATIO = np.sqrt(2.0)
"""Axes with cells up to so many times the narrowest are coarsened together."""

Faces = tuple[Array, Array, Array]
"""Conductivity of the faces along x, y, z: (nz, ny, nx+1), (nz, ny+1, nx), (nz+1, ny, nx)."""


@dataclass(frozen=True, eq=False)
class Level:
    """A grid of the hierarchy: axes x, y, z (flat in two dimensions), faces where the conductivity varies.

    ``to_coarser`` holds the transfers to the next level, None on the last; ``absorption`` [1/mm²] is a of
    -div(k grad u) + a u.
    """

    axes: tuple[Axis, Axis, Axis]
    faces: Faces | None
    to_coarser: tuple[Transfer, Transfer, Transfer] | None = None
    absorption: float = 0.0

    @property
    def shape(self) -> tuple[int, int, int]:
        x, y, z = self.axes
        return z.n, y.n, x.n

    @property
    def cells(self) -> int:
        return int(np.prod(self.shape))

    @property
    def three(self) -> bool:
        return self.axes[2].acts

    @property
    def singular(self) -> bool:
        """Whether a constant solves the homogeneous equation."""
        return self.absorption == 0 and all(axis.insulates for axis in self.axes)


def finest(
    shape: Sequence[int], spacing: Sequence[float], ghosts: Ghosts, conductivity: Array | Interfaces | None,
    absorption: float = 0.0,
) -> Level:  # fmt: skip
    """The level that the problem is posed on. conductivity: of ``shape`` or with its faces, or None for 1."""
    axes = [Axis(np.full(n, float(h)), g) for n, h, g in zip(shape[::-1], spacing, ghosts, strict=True)]
    axes += [FLAT] * (3 - len(axes))
    x, y, z = axes
    faces = None
    if isinstance(conductivity, Interfaces):
        given = [np.array(face).reshape(np.add((z.n, y.n, x.n), np.arange(3) == 2 - axis))
                 for axis, face in enumerate(conductivity.faces)]  # fmt: skip
        if len(given) == 2:
            given.append(_faces(np.array(conductivity.cells).reshape(1, y.n, x.n), z, 0))
        faces = given[0], given[1], given[2]
    elif conductivity is not None:
        cells = np.asarray(conductivity, float).reshape(z.n, y.n, x.n)
        faces = _faces(cells, x, 2), _faces(cells, y, 1), _faces(cells, z, 0)
    return Level((x, y, z), faces, absorption=absorption)


def hierarchy(level: Level) -> list[Level]:
    """``level`` and its coarser ones; at least one of these, down to ``DIRECT_CELLS``. Only the first has shifts."""
    levels: list[Level] = []
    while True:
        steps = _steps(level)
        if not levels and level.cells <= DIRECT_CELLS:
            steps = [1, 1, 1]  # solved directly on a copy
        x, y, z = (
            axis.coarsened() if step == 2 else axis.homogeneous() for axis, step in zip(level.axes, steps, strict=True)
        )
        down = [transfer(*axis_pair) for axis_pair in zip(level.axes, (x, y, z), steps, strict=True)]
        levels.append(replace(level, to_coarser=(down[0], down[1], down[2])))
        level = Level((x, y, z), level.faces and _coarse_faces(level, steps), absorption=level.absorption)
        if level.cells <= DIRECT_CELLS:
            return [*levels, level]


def _steps(level: Level) -> list[int]:
    widths = [float(axis.widths[0]) if axis.n > 1 else np.inf for axis in level.axes]
    return [2 if width < np.inf and width <= WIDTH_RATIO * min(widths) else 1 for width in widths]


def _faces(cells: Array, axis: Axis, dimension: int) -> Array:
    """Harmonic means of the cells on both sides; the cell's own at a side that is not periodic."""
    k = np.moveaxis(cells, dimension, 0)
    inner = 2.0 * k[:-1] * k[1:] / (k[:-1] + k[1:])
    low, high = k[:1], k[-1:]
    if axis.wraps:
        low = high = 2.0 * k[-1:] * k[:1] / (k[-1:] + k[:1])
    return np.moveaxis(np.concatenate([low, inner, high]), 0, dimension)


def _coarse_faces(level: Level, steps: Sequence[int]) -> Faces:
    """A coarse face conducts as the mean of the fine faces it consists of, weighted with their areas.

    From one coarse centre to the next a flow passes half a fine cell, the fine face's two halves and half a cell, whose
    resistances add up to that of the fine face's harmonic mean; flows side by side add up.
    """
    assert level.faces is not None
    coarse = []
    for axis, faces in enumerate(level.faces):
        for other in range(3):
            if steps[other] == 1:
                continue
            dimension = 2 - other
            starts = np.arange(0, level.axes[other].n, 2)
            moved = np.moveaxis(faces, dimension, 0)
            if other == axis:
                moved = moved[np.append(starts, level.axes[other].n)]
            else:
                widths = level.axes[other].widths
                weighted = np.add.reduceat(moved * widths[:, None, None], starts)
                moved = weighted / np.add.reduceat(widths, starts)[:, None, None]
            faces = np.moveaxis(moved, 0, dimension)
        coarse.append(np.ascontiguousarray(faces))
    return coarse[0], coarse[1], coarse[2]


def inverse(level: Level) -> Array:
    """(n, n) float64: the inverse of -div(k grad) + a on a small level, for the mean 0 where it is singular."""
    n = level.cells
    cells = np.arange(n).reshape(level.shape)
    matrix = level.absorption * np.eye(n)
    for number, axis in enumerate(level.axes):
        dimension = 2 - number
        along = [1, 1, 1]
        along[dimension] = axis.n
        for side, row in enumerate((LOWER, UPPER)):
            weight = np.broadcast_to(axis.coefficients[row].reshape(along), level.shape)
            if level.faces is not None:
                weight = weight * np.take(level.faces[number], np.arange(axis.n) + side, dimension)
            scale = np.broadcast_to(axis.ghosts[2 * side].reshape(along), level.shape)
            other = np.take(cells, axis.neighbours[side], dimension)
            np.add.at(matrix, (cells.ravel(), cells.ravel()), weight.ravel())
            np.add.at(matrix, (cells.ravel(), other.ravel()), -(weight * scale).ravel())
    if not level.singular:
        return np.linalg.inv(matrix)
    x, y, z = (axis.widths for axis in level.axes)
    volumes = (z[:, None, None] * y[:, None] * x).ravel()
    return np.linalg.pinv(volumes[:, None] * matrix, rcond=1e-12, hermitian=True) * volumes
