"""Surfaces of penetrators, for pictures: closed around their volume, a plane's slab on its own side."""

from __future__ import annotations

import numpy as np
import pytest

from engines.peridynamics.contact.shapes import solid_of
from engines.peridynamics.parameters.contact import Ball, Cuboid, Cylinder, Plane
from tests.engines.geometry.test_faces import total_area, volume


@pytest.mark.parametrize(
    ("form", "dimensions", "expected"),
    [
        (Ball(center=(1, 2, 3), radius=2.0), 3, 4 / 3 * np.pi * 8),
        (Ball(center=(1, 2, 3), radius=2.0), 2, np.pi * 4 * 0.5),
        (Cylinder(center=(0, 0, 0), radius=1.0, length=3.0, direction=(1, 1, 0)), 3, np.pi * 3),
        (Cuboid(low=(0, 0, 0), high=(1, 2, 3)), 3, 6.0),
        (Cuboid(low=(0, 0, 0), high=(1, 2, 3)), 2, 2 * 0.5),
    ],
)
def test_volume(form, dimensions, expected) -> None:
    """In a plate half a millimetre thick."""
    faces = solid_of(form, dimensions).faces(10.0, 0.5)
    assert volume(faces) == pytest.approx(expected, rel=0.01)
    assert total_area(faces) == pytest.approx(np.zeros(3), abs=1e-9)


@pytest.mark.parametrize("dimensions", [2, 3])
@pytest.mark.parametrize("normal", [(0, 1, 0), (0.6, -0.8, 0.0), (-1, 0, 0)])
def test_a_plane_is_a_slab_behind_it(normal, dimensions) -> None:
    plane = solid_of(Plane(point=(1, 2, 0), normal=normal), dimensions)
    faces = plane.faces(10.0, 0.5)
    heights = (faces.points - plane.center) @ plane.axis
    assert heights.max() == pytest.approx(0.0, abs=1e-9), "its front is the plane"
    assert heights.min() == pytest.approx(-0.8)
    assert volume(faces) == pytest.approx(0.8 * 20.0 * (20.0 if dimensions == 3 else 0.5))
