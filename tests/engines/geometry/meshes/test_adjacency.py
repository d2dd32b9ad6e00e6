"""Face neighbours against a dictionary of faces, and meshes that are none."""

from __future__ import annotations

import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial import Delaunay

from engines.api.errors import MeshError
from engines.geometry.meshes.adjacency import BOUNDARY, boundary_faces, face_neighbours
from engines.geometry.meshes.box import box_mesh


def delaunay(n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    points = np.random.default_rng(seed).random((n, 3))
    cells = Delaunay(points).simplices.astype(np.int32)
    a, b, c, d = (points[cells[:, k]] for k in range(4))
    negative = np.einsum("ij,ij->i", b - a, np.cross(c - a, d - a)) < 0
    cells[negative] = cells[negative][:, [0, 2, 1, 3]]
    return points, cells


def by_dictionary(cells: np.ndarray) -> np.ndarray:
    owners: dict[tuple[int, ...], list[tuple[int, int]]] = {}
    for i, vertices in enumerate(cells):
        for k in range(4):
            owners.setdefault(tuple(sorted(np.delete(vertices, k).tolist())), []).append((i, k))
    neighbours = np.full((len(cells), 4), BOUNDARY)
    for pair in owners.values():
        if len(pair) == 2:
            (i, k), (j, m) = pair
            neighbours[i, k], neighbours[j, m] = j, i
    return neighbours


@settings(max_examples=20)
@given(n=st.integers(4, 60), seed=st.integers(0, 10**6))
def test_neighbours_equal_those_of_a_dictionary(n, seed):
    _, cells = delaunay(n, seed)
    np.testing.assert_array_equal(face_neighbours(cells), by_dictionary(cells))


def fan(n: int) -> np.ndarray:
    """Wedges around the edge between points 0 and 1, which all of them share."""
    ring = np.arange(n)
    return np.stack([np.zeros(n), np.ones(n), 2 + ring, 2 + (ring + 1) % n], axis=1).astype(np.int32)


def test_many_cells_at_a_point_are_matched_as_few():
    """A file of 8 MB with 200,000 of them took minutes: each face was compared with each."""
    np.testing.assert_array_equal(face_neighbours(fan(2000)), by_dictionary(fan(2000)))
    with pytest.raises(MeshError, match="More than two cells share the face"):
        face_neighbours(np.concatenate([fan(2000), [[0, 1, 2, 9000]]]))
    with pytest.raises(MeshError, match="uses a vertex twice"):
        face_neighbours(np.concatenate([fan(2000), [[0, 7, 7, 9000]]]))
    face_neighbours(fan(9))
    began = time.process_time()
    face_neighbours(fan(200_000))
    assert time.process_time() - began < 5


def test_boundary_encloses_the_volume():
    """Divergence theorem: outward triangles enclose the sum of the cells' volumes."""
    points, cells = delaunay(200, 1)
    neighbours = face_neighbours(cells)
    triangles, owners = boundary_faces(cells, neighbours)
    a, b, c = (points[triangles[:, k]] for k in range(3))
    enclosed = np.einsum("ij,ij->", a, np.cross(b, c)) / 6
    p, q, r, s = (points[cells[:, k]] for k in range(4))
    assert enclosed == pytest.approx(np.einsum("ij,ij->", q - p, np.cross(r - p, s - p)) / 6, rel=1e-12)
    assert ((neighbours == BOUNDARY).sum(axis=1)[owners] > 0).all()
    assert len(triangles) == (neighbours == BOUNDARY).sum()


@settings(max_examples=30)
@given(counts=st.tuples(*[st.integers(1, 3)] * 3), seed=st.integers(0, 2**31))
def test_the_boundary_of_any_part_of_a_box_is_closed(counts, seed):
    """Each edge is walked as often one way as the other."""
    whole = box_mesh(counts, counts)
    rng = np.random.default_rng(seed)
    cells = rng.permutation(whole.cells[rng.random(whole.n_cells) < 0.6])
    triangles, _ = boundary_faces(cells, face_neighbours(cells))
    there = np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]]).astype(np.int64)
    numbers, back = there @ [1000, 1], there @ [1, 1000]
    np.testing.assert_array_equal(np.sort(numbers), np.sort(back))


def test_no_cells():
    assert face_neighbours(np.empty((0, 4), np.int32)).shape == (0, 4)


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        ([[0, 1, 2, 3], [0, 1, 2, 4], [0, 1, 2, 5]], r"share the face with vertices \[0, 1, 2\]"),
        ([[0, 1, 2, 3], [3, 1, 2, 0]], "Cells 0 and 1 have the same four vertices"),
        ([[0, 1, 2, 2], [0, 1, 2, 3]], "twice|share the face"),
        ([[0, 1, 2, -3]], "negative vertex"),
    ],
)
def test_what_is_no_mesh_of_cells_is_refused(cells, message):
    with pytest.raises(MeshError, match=message):
        face_neighbours(np.array(cells))
