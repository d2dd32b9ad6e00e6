"""Coefficients of the faces between cells of different conductivity."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engines.api import Array
from engines.stencil.setup.sides import Ghosts


@dataclass(frozen=True, eq=False)
class Interfaces:
    """Conductivity that is known at the faces (:mod:`engines.stencil.setup.interfaces`).

    cells: (shape), which hold at sides that are not periodic; faces: for x, y (and z), one more than cells
    """

    cells: Array
    faces: tuple[Array, ...]


def face_coefficients(conductivity: Array | Interfaces, ghosts: Ghosts) -> tuple[Array, ...]:
    """For x, y (and z) the coefficients of all faces across that axis, one more than cells, in the type of the input.

    Between two cells the harmonic mean 2ab/(a + b): the flux through both halves is then the same. At a side that is
    not periodic the cell's own conductivity.
    """
    if isinstance(conductivity, Interfaces):
        return conductivity.faces
    found = []
    for number, (low, _) in enumerate(ghosts):
        axis = conductivity.ndim - 1 - number
        k = np.moveaxis(conductivity, axis, 0)
        before, after = (k[-1:], k[:1]) if low.wraps else (k[:1], k[-1:])
        padded = np.concatenate([before, k, after])
        a, b = padded[:-1], padded[1:]
        found.append(np.ascontiguousarray(np.moveaxis(2 * a * b / (a + b), 0, axis)))
    return tuple(found)


def largest_sum(conductivity: Array | Interfaces, ghosts: Ghosts, weights: tuple[float, ...]) -> float:
    """The largest of ``sum over axes of weight (low face + high face)`` over all cells.

    With weights 1/h² this is Gershgorin's bound: steps up to ``1 / (alpha * it)`` are stable, whatever the sides.
    """
    cells = conductivity.cells if isinstance(conductivity, Interfaces) else conductivity
    total = np.zeros(cells.shape)
    for number, (faces, weight) in enumerate(zip(face_coefficients(conductivity, ghosts), weights, strict=True)):
        along = np.moveaxis(faces, cells.ndim - 1 - number, 0)
        np.moveaxis(total, cells.ndim - 1 - number, 0)[...] += weight * (along[:-1] + along[1:])
    return float(total.max())
