"""Strain and stress one particle after the other, in float64, with the library's inverse and eigenvalues."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from engines.api import Array
from engines.peridynamics.watch.strain.solid import Elastic


def strain_of(xi: Array, eta: Array, weights: Array) -> Array:
    """(d, d) Green and Lagrange's strain of a particle with bonds ``xi: (m, d)`` that changed by ``eta``."""
    shape = np.einsum("b,bi,bj->ij", weights, xi, xi)
    moved = np.einsum("b,bi,bj->ij", weights, eta, xi)
    gradient = np.eye(xi.shape[1]) + moved @ np.linalg.inv(shape)
    return np.asarray(0.5 * (gradient.T @ gradient - np.eye(len(shape))))


def stress_of(strain: Array, solid: Elastic) -> Array:
    """(3, 3) [MPa]"""
    d = len(strain)
    stress = np.zeros((3, 3))
    stress[:d, :d] = solid.lame * np.trace(strain) * np.eye(d) + 2 * solid.shear * strain
    if d == 2:
        stress[2, 2] = solid.through * np.trace(strain)
    return stress


def told(
    positions: Array, u: Array, pairs: Array, weights: Array, solids: Sequence[Elastic], left: Array | None = None
) -> Array:
    """(12, n): rows as ``solid.ROWS`` has them, the dilatation NaN.

    positions, u: (n, d); pairs: (m, 2) each bond that holds from both ends, weights: (m,); solids: of each particle;
    left: (m,) what softening has left of a bond, 1 without.
    """
    found = np.full((12, len(positions)), np.nan)
    for i, solid in enumerate(solids):
        mine = np.flatnonzero(pairs[:, 0] == i)
        other = pairs[mine, 1]
        whole, part = weights[mine], np.ones(len(mine)) if left is None else left[mine]
        strain = strain_of(positions[other] - positions[i], u[other] - u[i], whole * part)
        stress = stress_of(strain, solid) * (whole * part).sum() / whole.sum()
        deviator = stress - np.trace(stress) / 3 * np.eye(3)
        found[:3, i] = np.linalg.eigvalsh(strain)[-1], np.sqrt(1.5 * (deviator**2).sum()), np.trace(stress) / 3
        found[4:10, i] = stress[(0, 1, 2, 1, 0, 0), (0, 1, 2, 2, 2, 1)]
        found[10:, i] = np.linalg.eigvalsh(stress[: strain.shape[0], : strain.shape[0]])[[-1, 0]]
    return found
