"""The fibres of a mesh as short streamlines on a surface or a cut: what runs along them, in the plane that is seen."""

from __future__ import annotations

import numpy as np
import scipy

from engines.api import Array

ACROSS = 40
"""Streamlines that stand side by side along the longest side of a mesh, about."""
STEPS = 3
"""Of a streamline, to each side of where it begins; together they are as long as two streamlines are apart."""
LIFT = 2e-3
"""How far above the surface they are drawn, of the longest side: triangles that bend away hide none."""


def streamlines(points: Array, triangles: Array, directions: Array, lift: float = LIFT) -> Array:
    """(n, 2, 3): pieces of streamlines.

    points: (p, 3), triangles: (m, 3), directions: (m, 3) unit vectors of the cells behind; what of them is across the
    triangle is left out, so lines are short where fibres come out of it.
    """
    corners = np.asarray(points, float)[triangles]
    middles, normals = corners.mean(axis=1), np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    sizes = np.linalg.norm(normals, axis=1)
    whole = sizes > 0
    middles, normals = middles[whole], normals[whole] / sizes[whole, None]
    along = np.asarray(directions, float)[whole]
    along = along - (along * normals).sum(axis=1)[:, None] * normals
    if not len(middles):
        return np.zeros((0, 2, 3))
    longest = float(np.ptp(middles, axis=0).max())
    apart = longest / ACROSS
    _, seeds = np.unique(np.floor(middles / apart).astype(np.int64), axis=0, return_index=True)
    tree, step, found = scipy.spatial.cKDTree(middles), 0.5 * apart / STEPS, []
    for way in (1.0, -1.0):
        at, near = middles[seeds], seeds
        heading = way * along[seeds]
        for _ in range(STEPS):
            there = at + step * heading
            near = tree.query(there)[1]
            # back onto the plane of the triangle that is nearest
            there -= ((there - middles[near]) * normals[near]).sum(axis=1)[:, None] * normals[near]
            found.append(np.stack([at, there], axis=1) + lift * longest * normals[near][:, None])
            turned = along[near]
            sign = np.where((turned * heading).sum(axis=1) < 0, -1.0, 1.0)[:, None]  # a fibre has no front
            at, heading = there, sign * turned
    return np.concatenate(found)
