"""Refinement by 8: volume, conformity, orientation, what cells hand on, and shapes under repetition."""

from __future__ import annotations

from dataclasses import replace
from importlib.resources import files

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engines.api.errors import MeshError
from engines.geometry.meshes.adjacency import BOUNDARY, face_neighbours
from engines.geometry.meshes.box import box_mesh
from engines.geometry.meshes.edges import EDGES, number_edges
from engines.geometry.meshes.mesh import TetMesh
from engines.geometry.meshes.quality import measure_quality
from engines.geometry.meshes.refinement import CELL_LIMIT, refine, refined_size
from engines.geometry.reading import read_mesh


@pytest.fixture(scope="module")
def heart() -> TetMesh:
    return read_mesh(str(files("sample_data") / "biventricular/heart.vtu"))


def test_edges_are_those_of_a_sort(heart: TetMesh) -> None:
    ends, of_cell = number_edges(heart.cells, heart.n_points)
    every = np.sort(heart.cells[:, EDGES], axis=2)
    np.testing.assert_array_equal(ends[of_cell], every)
    assert len(ends) == len(np.unique(every.reshape(-1, 2), axis=0))


def test_the_heart_keeps_its_volume_and_its_surface(heart: TetMesh) -> None:
    fine = refine(heart)
    assert fine.n_cells == 8 * heart.n_cells
    ends, _ = number_edges(heart.cells, heart.n_points)
    assert fine.n_points == heart.n_points + len(ends)
    volumes = fine.volumes
    assert volumes.min() > 0
    # coordinates of 30 mm carry 3e-15 mm of rounding; a cell's volume is a product of three edges of about 0.5 mm
    np.testing.assert_allclose(volumes.reshape(-1, 8).sum(axis=1), heart.volumes, rtol=1e-11)
    # each of the eight has an eighth: corners are similar, the others share a diagonal and equal triangles
    np.testing.assert_allclose(volumes, np.repeat(heart.volumes / 8, 8), rtol=1e-9)
    outside = (face_neighbours(heart.cells) == BOUNDARY).sum()
    neighbours = face_neighbours(fine.cells)  # raises where three cells share a face
    assert (neighbours == BOUNDARY).sum() == 4 * outside  # conforming: no face inside is left alone


def test_children_are_their_parents_tissue(heart: TetMesh) -> None:
    fine = refine(heart)
    parent = np.arange(fine.n_cells) // 8
    np.testing.assert_array_equal(fine.regions, heart.regions[parent])
    np.testing.assert_array_equal(fine.fibres, heart.fibres[parent])
    np.testing.assert_array_equal(fine.sheets, heart.sheets[parent])
    assert fine.region_names == heart.region_names
    np.testing.assert_array_equal(fine.points[: heart.n_points], heart.points)
    centres = fine.centers(np.arange(fine.n_cells)).reshape(-1, 8, 3).mean(axis=1)
    np.testing.assert_allclose(centres, heart.centroids, atol=1e-12)


@settings(max_examples=20)
@given(st.integers(0, 2**31), st.permutations(range(4)))
def test_any_tetrahedron_is_cut_along_its_shortest_diagonal(seed: int, order: list[int]) -> None:
    points = np.random.default_rng(seed).normal(size=(4, 3))
    cells = np.array([order], np.int32)
    mesh = TetMesh(points, cells, np.zeros(1, np.int32))
    if mesh.volumes[0] < 0:
        mesh = replace(mesh, cells=cells[:, [0, 1, 3, 2]])
    fine = refine(mesh)
    np.testing.assert_allclose(fine.volumes, mesh.volumes[0] / 8, rtol=1e-9, atol=1e-16)
    inner = np.bincount(fine.cells[4:].ravel(), minlength=10)
    diagonal = np.flatnonzero(inner == 4)  # the four inner ones share it
    lengths = [
        np.linalg.norm(points[list(pair)].mean(axis=0) - points[[k for k in range(4) if k not in pair]].mean(axis=0))
        for pair in ((0, 1), (0, 2), (0, 3))
    ]
    assert np.linalg.norm(np.subtract(*fine.points[diagonal])) == pytest.approx(min(lengths), rel=1e-12)


def test_shapes_do_not_degenerate(heart: TetMesh) -> None:
    """Repeated refinement gives a few shapes of each cell: the worst stays after the first cut (Zhang 1995)."""
    mesh = heart.take_cells(np.arange(200))
    worst = []
    for _ in range(4):
        mesh = refine(mesh)
        worst.append(float(measure_quality(mesh.points, mesh.cells).mean_ratio.min()))
    assert min(worst) > 0.6 * float(measure_quality(heart.points, heart.cells[:200]).mean_ratio.min())
    assert worst[-1] == pytest.approx(worst[1], rel=1e-5)  # mean ratios are float32


def test_size_is_told_before() -> None:
    mesh = box_mesh((4, 4, 4), (2, 2, 2))
    once, twice = refine(mesh), refine(refine(mesh))
    assert refined_size(mesh)[0] == once.n_cells
    assert refined_size(mesh, 2)[0] == twice.n_cells
    held = sum(a.nbytes for a in (once.points, once.cells, once.regions, once.fibres))
    assert held < refined_size(mesh)[1] < 4 * held


def test_more_cells_than_numbers_are_refused() -> None:
    mesh = box_mesh((1, 1, 1), (1, 1, 1))
    many = replace(mesh, cells=np.broadcast_to(mesh.cells[:1], (CELL_LIMIT + 1, 4)))
    with pytest.raises(MeshError, match="cannot be refined"):
        refine(many)
