"""What is looked at in every cell of a mesh that is read, against the same in NumPy and SciPy."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
import scipy

from engines.geometry.meshes.box import box_mesh
from engines.geometry.meshes.check import pieces
from engines.geometry.meshes.orient import signed_thickness
from engines.geometry.meshes.quality import measure_quality

ROUNDING = 1e-12
"""Sums of three products in float64, in another order."""


@pytest.fixture(scope="module")
def mesh():
    """Jittered, its cells in no order, a few of them inside out."""
    mesh, rng = box_mesh((9, 8, 7), (9.0, 8.0, 7.0), jitter=0.2, seed=3), np.random.default_rng(1)
    mesh = mesh.take_cells(rng.permutation(mesh.n_cells).astype(np.int32))
    mesh.cells[::17] = mesh.cells[::17][:, [0, 1, 3, 2]]
    return mesh


def edges_of(mesh):
    corners = mesh.points[mesh.cells]
    return {pair: corners[:, pair[1]] - corners[:, pair[0]] for pair in combinations(range(4), 2)}


def test_thickness(mesh):
    edges = edges_of(mesh)
    six_volumes = np.einsum("ij,ij->i", edges[0, 1], np.cross(edges[0, 2], edges[0, 3]))
    longest = np.max([np.linalg.norm(edge, axis=1) for edge in edges.values()], axis=0)
    found = signed_thickness(mesh.points, mesh.cells)
    assert found == pytest.approx(six_volumes / longest**3, rel=ROUNDING)
    assert (found < 0).sum() == len(range(0, mesh.n_cells, 17))


def test_shape(mesh):
    edges, found = edges_of(mesh), measure_quality(mesh.points, mesh.cells)
    lengths = np.array([np.linalg.norm(edge, axis=1) for edge in edges.values()])
    volumes = np.einsum("ij,ij->i", edges[0, 1], np.cross(edges[0, 2], edges[0, 3])) / 6
    rounded = float(np.finfo(np.float32).eps)
    assert found.shortest == pytest.approx(lengths.min(axis=0), rel=rounded)
    assert found.longest == pytest.approx(lengths.max(axis=0), rel=rounded)
    ratio = 12 * np.cbrt(3 * volumes) ** 2 / (lengths**2).sum(axis=0)
    assert found.mean_ratio == pytest.approx(ratio, rel=2 * rounded)
    normals = [np.cross(edges[1, 2], edges[1, 3]), np.cross(edges[0, 3], edges[0, 2]),
               np.cross(edges[0, 1], edges[0, 3]), np.cross(edges[0, 2], edges[0, 1])]  # fmt: skip
    units = [normal / np.linalg.norm(normal, axis=1)[:, None] for normal in normals]
    angles = [np.arccos(-np.einsum("ij,ij->i", a, b)) for a, b in combinations(units, 2)]
    assert found.min_dihedral == pytest.approx(np.degrees(np.min(angles, axis=0)), rel=1e-6)


def test_a_point_of_a_cell_is_no_cell_of_nan():
    """All four corners in one place: a mean ratio of 0, not of 0/0."""
    found = measure_quality(np.zeros((4, 3)), np.array([[0, 1, 2, 3]], np.int32))
    assert found.mean_ratio[0] == 0


@pytest.mark.parametrize("left", ["all", "two halves", "crumbs"])
def test_pieces(mesh, left):
    """The largest first; of equal ones that with the first point."""
    keep = {
        "all": np.ones(mesh.n_cells, bool),
        "two halves": np.abs(mesh.centroids[:, 0] - 3.0) > 0.9,
        "crumbs": np.random.default_rng(2).random(mesh.n_cells) < 0.03,
    }[left]
    cells = mesh.cells[keep]
    ends = np.concatenate([cells[:, [0, k]] for k in (1, 2, 3)])
    graph = scipy.sparse.coo_matrix((np.ones(len(ends)), tuple(ends.T)), shape=(mesh.n_points,) * 2)
    labels = scipy.sparse.csgraph.connected_components(graph, directed=False)[1][cells[:, 0]]
    sizes = np.bincount(labels)
    rank = np.empty(len(sizes), np.int32)
    rank[np.argsort(-sizes, kind="stable")] = np.arange(len(sizes))
    assert np.array_equal(pieces(mesh.n_points, cells), rank[labels])


def test_cells_that_are_taken_have_the_centroids_and_volumes_that_they_had():
    """Those that were asked for go along and are not computed once more; to the bit as computed anew."""
    mesh = box_mesh((9, 8, 7), (9.0, 8.0, 7.0), jitter=0.2, seed=3)
    order = np.random.default_rng(1).permutation(mesh.n_cells)[: mesh.n_cells // 2].astype(np.int32)
    anew = replace(mesh, cells=mesh.cells[order], regions=mesh.regions[order])
    assert mesh.centroids.shape == (mesh.n_cells, 3)
    assert (mesh.volumes > 0).all()
    part = mesh.take_cells(order)
    assert {"centroids", "volumes"} <= vars(part).keys()
    assert np.array_equal(part.centroids, anew.centroids)
    assert np.array_equal(part.volumes, anew.volumes)
