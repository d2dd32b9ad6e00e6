"""The boundary: closed, oriented, with the right area and volume."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engines.geometry.mesh import TetMesh
from engines.geometry.surface import BoundarySurface, boundary_surface
from sample_data.make.slab import slab


def directed_edges(surface: BoundarySurface) -> np.ndarray:
    t = surface.triangles
    return np.concatenate([t[:, [0, 1]], t[:, [1, 2]], t[:, [2, 0]]])


def enclosed_volume(surface: BoundarySurface) -> float:
    """Divergence theorem: V = ⅓ Σ centroid · area vector."""
    middle = surface.points[surface.triangles].mean(axis=1).astype(np.float64)
    return float(np.einsum("ij,ij->", middle, surface.triangle_normals.astype(np.float64)) / 3)


def test_a_slab() -> None:
    surface = boundary_surface(slab((4.0, 2.0, 2.0), 1.0))
    assert len(surface.triangles) == 80  # two per unit square, 40 squares
    assert np.linalg.norm(surface.triangle_normals, axis=1).sum() == pytest.approx(40.0, rel=1e-6)
    assert enclosed_volume(surface) == pytest.approx(16.0, rel=1e-6)  # float32 points
    np.testing.assert_allclose(np.linalg.norm(surface.normals, axis=1), 1.0, rtol=1e-6)


def test_triangles_lie_on_their_cells_and_point_away_from_them(tiny: TetMesh) -> None:
    surface = boundary_surface(tiny)
    corners = surface.vertices[surface.triangles]
    owners = tiny.cells[surface.cells]
    assert (corners[:, :, None] == owners[:, None, :]).any(axis=2).all()
    outward = surface.points[surface.triangles].mean(axis=1) - tiny.centroids[surface.cells]
    assert (np.einsum("ij,ij->i", outward, surface.triangle_normals) > 0).all()


@settings(deadline=None, max_examples=30)  # the first call compiles
@given(st.integers(1, 3), st.integers(1, 3), st.integers(1, 3), st.integers(0, 2**31))
def test_any_part_of_a_slab_is_closed(nx: int, ny: int, nz: int, seed: int) -> None:
    """Each edge is walked as often one way as the other, and the enclosed volume is that of the cells."""
    whole = slab((float(nx), float(ny), float(nz)), 1.0)
    rng = np.random.default_rng(seed)
    cells = rng.permutation(whole.cells[rng.random(whole.n_cells) < 0.6])
    if not len(cells):
        return
    mesh = TetMesh(whole.points, cells, np.zeros(len(cells), np.int32))
    surface = boundary_surface(mesh)
    there = directed_edges(surface)
    key = lambda e: np.sort(e[:, 0].astype(np.int64) * 10**6 + e[:, 1])  # noqa: E731
    np.testing.assert_array_equal(key(there), key(there[:, ::-1]))
    assert enclosed_volume(surface) == pytest.approx(np.abs(mesh.volumes).sum(), rel=1e-5)


def test_each_vertex_knows_the_cells_behind_its_triangles(tiny: TetMesh) -> None:
    surface = boundary_surface(tiny)
    selection = surface.vertex_cells
    assert len(selection) == len(surface.vertices)
    for vertex in (0, 7, len(surface.vertices) - 1):
        mine = selection.elements[selection.offsets[vertex] : selection.offsets[vertex + 1]]
        expected = surface.cells[(surface.triangles == vertex).any(axis=1)]
        np.testing.assert_array_equal(np.sort(mine), np.sort(expected))
