"""Streamlines of fibres: along them, in the plane that is seen, as long as they are apart."""

from __future__ import annotations

import time as clock

import numpy as np
import pytest
import scipy

from ui.scene.shapes.fibres import streamlines

# Written out: what the sources have is held against these.
ACROSS = 40
LIFT = 2e-3


def square(cells: int) -> tuple[np.ndarray, np.ndarray]:
    """A square of side 10 around the origin: points and triangles that look along z."""
    x = np.linspace(-5.0, 5.0, cells + 1)
    points = np.array([[a, b, 0.0] for b in x for a in x])
    corner = (np.arange(cells)[:, None] * (cells + 1) + np.arange(cells)).ravel()[:, None]
    return points, (corner + np.array([0, 1, cells + 2, 0, cells + 2, cells + 1])).reshape(-1, 3)


def middles(points, triangles):
    return points[triangles].mean(axis=1)


def test_lines_run_along_fibres_in_the_plane_that_is_seen() -> None:
    points, triangles = square(60)
    aslant = np.tile([0.6, 0.0, 0.8], (len(triangles), 1))
    found = streamlines(points, triangles, aslant)
    along = found[:, 1] - found[:, 0]
    assert np.abs(along[:, 1:]).max() < 1e-12, "what is across the plane is left out"
    longest = np.ptp(middles(points, triangles), axis=0).max()
    assert np.abs(along[:, 0]) == pytest.approx(0.6 * 0.5 * longest / ACROSS / 3)
    assert found[..., 2] == pytest.approx(LIFT * longest)
    assert 0.9 * ACROSS**2 < len(found) / 6 <= (ACROSS + 1) ** 2, "they stand side by side"


def test_they_bend_with_the_fibres_which_have_no_front() -> None:
    """Around the middle, every other triangle's the other way: each point stays at its radius."""
    points, triangles = square(80)
    at = middles(points, triangles)
    around = np.stack([-at[:, 1], at[:, 0], np.zeros(len(at))], axis=1)
    around /= np.linalg.norm(around, axis=1)[:, None]
    around[::2] *= -1
    found = streamlines(points, triangles, around)
    outside = np.linalg.norm(found[:, 0, :2], axis=1) > 2
    radii = np.linalg.norm(found[outside][..., :2], axis=2)
    # three steps of 1/24, each of a direction that a triangle 1/8 wide has, 2 from the middle
    assert np.abs(radii[:, 1] - radii[:, 0]).max() < 0.006
    pieces = found[outside].reshape(-1, 2, 3)
    assert np.linalg.norm(pieces[:, 1] - pieces[:, 0], axis=1).min() > 0.03


def test_on_a_bent_surface_lines_lie_in_the_planes_of_its_triangles() -> None:
    """Of a cylinder of 120 sides, along its hoops: each end is as far above a triangle beside it as all are."""
    points, triangles = square(120)
    angle = 2 * np.pi * points[:, 0] / 10
    points = np.stack([5 * np.cos(angle), 5 * np.sin(angle), points[:, 1]], axis=1)
    at = middles(points, triangles)
    around = np.stack([-at[:, 1], at[:, 0], np.zeros(len(at))], axis=1) / np.hypot(at[:, 0], at[:, 1])[:, None]
    ends = streamlines(points, triangles, around)[:, 1]
    corners = points[triangles]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normals /= np.linalg.norm(normals, axis=1)[:, None]
    _, near = scipy.spatial.cKDTree(at).query(ends, 6)
    heights = ((ends[:, None] - at[near]) * normals[near]).sum(axis=2)
    above = LIFT * np.ptp(at, axis=0).max()
    assert np.abs(np.abs(heights) - above).min(axis=1).max() < 1e-9


def test_a_large_surface_takes_no_time_to_speak_of() -> None:
    points, triangles = square(200)
    began = clock.process_time()
    streamlines(points, triangles, np.tile([1.0, 0.0, 0.0], (len(triangles), 1)))
    assert clock.process_time() - began < 1.0  # 0.08 s


def test_nothing_of_nothing() -> None:
    assert streamlines(np.zeros((3, 3)), np.array([[0, 1, 2]]), np.zeros((1, 3))).shape == (0, 2, 3)
