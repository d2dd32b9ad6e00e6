"""A mesh with a sliver of quality 6e-4: it is named, refined, and fibres are made on it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from engines.geometry.fibres.rules import Angles, rule_fibres
from engines.geometry.fibres.walls import Boundary, slab_walls
from engines.geometry.meshes.box import box_mesh
from engines.geometry.meshes.mesh import TetMesh
from engines.geometry.meshes.quality import measure_quality
from engines.geometry.meshes.refinement import refine
from engines.geometry.raw import RawMesh
from engines.geometry.reading import checked

QUALITY = 6e-4


@pytest.fixture(scope="module")
def torture() -> TetMesh:
    """A box in which one inner point has moved towards the opposite face of a cell, until that is nearly flat."""
    box = box_mesh((4, 4, 4), (4, 4, 4), fibre=None)
    point = int(np.flatnonzero((box.points == 2.0).all(axis=1))[0])
    cell = int(np.flatnonzero((box.cells == point).any(axis=1))[0])
    others = box.points[box.cells[cell][box.cells[cell] != point]]
    normal = np.cross(others[1] - others[0], others[2] - others[0])
    normal /= np.linalg.norm(normal)
    height = float((box.points[point] - others[0]) @ normal)

    def moved(share: float) -> TetMesh:
        points = box.points.copy()
        points[point] -= (1.0 - share) * height * normal
        return replace(box, points=points)

    # the mean ratio goes with the height to 2/3; a second round takes the longer edges into account
    share = 1e-4
    for _ in range(4):
        mesh = moved(share)
        share *= (QUALITY / float(measure_quality(mesh.points, mesh.cells).mean_ratio.min())) ** 1.5
    return moved(share)


def test_the_sliver_is_named(torture: TetMesh) -> None:
    quality = measure_quality(torture.points, torture.cells)
    assert quality.mean_ratio.min() == pytest.approx(QUALITY, rel=0.05)
    mesh = checked(RawMesh(torture.points, torture.cells.astype(np.int64)), "torture.vtu")
    told = next(finding.message for finding in mesh.findings if "slivers" in finding.message)
    worst = int(quality.min_dihedral.argmin())
    assert f"the worst is cell {worst} with 0.0" in told


def test_a_piece_apart_is_told(torture: TetMesh) -> None:
    points = np.concatenate([torture.points, torture.points[torture.cells[0]] + 20.0])
    cells = np.concatenate([torture.cells, torture.n_points + np.arange(4)[None]])
    mesh = checked(RawMesh(points, cells), "two.vtu")
    assert any("in 2 pieces that share no point" in finding.message for finding in mesh.findings)


def test_refining_keeps_a_sliver_positive(torture: TetMesh) -> None:
    fine = refine(torture)
    assert fine.volumes.min() > 0
    assert fine.volumes.sum() == pytest.approx(torture.volumes.sum(), rel=1e-12)


def test_fibres_on_a_sliver_are_those_of_its_depth(torture: TetMesh) -> None:
    """In a flat wall linear elements are exact on any mesh; the sliver only makes the equations harder to solve."""
    walls = slab_walls(Boundary.of(torture), np.array([0.0, 0.0, 1.0]), np.array([0.0, 1.0, 0.0]))
    made = rule_fibres(torture, walls, Angles())
    np.testing.assert_allclose(made.helix, 60 - 120 * torture.centroids[:, 2] / 4, atol=0.01)
