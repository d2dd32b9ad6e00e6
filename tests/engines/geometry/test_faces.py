"""Surfaces of solids as triangles: closed, turned outwards, and around the volume that the formulas give."""

from __future__ import annotations

import numpy as np
import pytest

from engines.api.placing import Faces
from engines.geometry.solids.extruded import Block, Prism
from engines.geometry.solids.faces import AROUND, joined, prism_faces
from engines.geometry.solids.round import Ball, Doughnut, Frustum, Tube
from engines.geometry.solids.solid import Shifted, Solid, Turned, rotation_matrix

POLYGON = AROUND / (2 * np.pi) * np.sin(2 * np.pi / AROUND)
"""The area of a polygon of AROUND corners over that of the circle through them."""
SQUARE = ((0.0, 0.0), (4.0, 0.0), (4.0, 4.0), (0.0, 4.0))
HOLE = ((1.0, 1.0), (3.0, 1.0), (2.0, 3.0))
ELL = ((0.0, 0.0), (0.0, 3.0), (1.0, 3.0), (1.0, 1.0), (3.0, 1.0), (3.0, 0.0))


def volume(faces: Faces) -> float:
    """Of what triangles enclose (divergence theorem); negative if they are turned inwards."""
    a, b, c = np.moveaxis(faces.points[faces.triangles], 1, 0)
    return float((a * np.cross(b, c)).sum() / 6)


def total_area(faces: Faces) -> np.ndarray:
    """(3,) the sum of all vectors of area: nothing, of a closed surface."""
    a, b, c = np.moveaxis(faces.points[faces.triangles], 1, 0)
    return np.asarray(np.cross(b - a, c - a).sum(axis=0) / 2)


@pytest.mark.parametrize(
    ("solid", "expected", "tolerance"),
    [
        (Block((1, 2, 3), (2, 4, 6)), 6.0, 1e-12),
        (Frustum((0, 0, 1), (0, 0, 3), 0.5, 0.5), POLYGON * np.pi * 0.25 * 2, 1e-12),
        (Frustum((1, 0, 0), (4, 0, 0), 1.0, 0.0), POLYGON * np.pi, 1e-12),
        (Tube((0, 0, 0), (0, 2, 0), 1.0, 1.5), POLYGON * np.pi * 1.25 * 2, 1e-12),
        (Tube((0, 0, 0), (0, 2, 0), 0.0, 1.5), POLYGON * np.pi * 2.25 * 2, 1e-12),
        # Circles of 48 corners one way and 24 the other: 0.3 and 1.1 % of the area less.
        (Ball((1, 1, 1), (1, 2, 3)), 8 * np.pi, 0.01),
        (Doughnut((0, 0, 0), 0, 2.0, 0.5), 2 * np.pi**2 * 2 * 0.25, 0.015),
        (Prism(2, 1.0, 3.0, [SQUARE, HOLE]), 2 * (16 - 2), 1e-12),
        (Prism(1, 1.0, 3.0, [ELL]), 2 * 5, 1e-12),
        (Prism(0, -1.0, 0.0, [ELL[::-1]]), 5, 1e-12),
        (Turned(Block((0, 0, 0), (1, 2, 3)), rotation_matrix((1, 1, 0), 40)), 6.0, 1e-12),
        (Shifted(Ball((0, 0, 0), (1, 1, 1)), np.array([5.0, 0, 0])), 4 / 3 * np.pi, 0.01),
    ],
)
def test_volume(solid: Solid, expected: float, tolerance: float) -> None:
    faces = solid.faces()
    assert faces is not None
    assert volume(faces) == pytest.approx(expected, rel=tolerance)
    assert total_area(faces) == pytest.approx(np.zeros(3), abs=1e-9)
    if not isinstance(solid, Turned):
        low, high = solid.bounds()
        assert faces.points.min(axis=0) == pytest.approx(low, abs=0.02)
        assert faces.points.max(axis=0) == pytest.approx(high, abs=0.02)


def test_corners_of_a_pixel_may_touch() -> None:
    """Two pixels that meet at a corner: lines that touch, as of pictures."""
    squares = [((0, 0), (1, 0), (1, 1), (0, 1)), ((1, 1), (2, 1), (2, 2), (1, 2))]
    edges = np.concatenate([np.hstack([np.array(s, float), np.roll(np.array(s, float), -1, 0)]) for s in squares])
    assert volume(prism_faces(edges, 2, 0.0, 3.0)) == pytest.approx(6.0)


def test_joined() -> None:
    parts = [Block((0, 0, 0), (1, 1, 1)).faces(), Ball((5, 0, 0), (1, 1, 1)).faces()]
    both = joined(parts)
    assert both is not None
    assert volume(both) == pytest.approx(sum(volume(part) for part in parts))
    assert joined([]) is None
