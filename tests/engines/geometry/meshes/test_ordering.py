"""Orders are permutations that bring neighbours together; parts are balanced and cut few faces."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial import Delaunay

from engines.api.errors import ProblemError
from engines.geometry.meshes.adjacency import face_neighbours
from engines.geometry.meshes.ordering import hilbert_order, partition, renumber


def mean_column_distance(neighbours: np.ndarray) -> float:
    """Mean |i - j| over face neighbours: how far apart in memory the values lie that a cell needs."""
    inside = neighbours >= 0
    distance = np.abs(neighbours - np.arange(len(neighbours), dtype=np.int64)[:, None])
    return float(distance[inside].mean()) if inside.any() else 0.0


def cache_lines_per_block(neighbours: np.ndarray, block: int = 32, line: int = 16) -> float:
    """Mean number of distinct lines (``line`` values) that the face neighbours of ``block`` consecutive cells touch."""
    n = len(neighbours) // block * block
    if n == 0:
        return 0.0
    own = np.arange(n, dtype=np.int32)[:, None]
    lines = np.where(neighbours[:n] >= 0, neighbours[:n], own).reshape(-1, 4 * block) // line
    lines = np.sort(lines, axis=1)
    return float(1 + (np.diff(lines, axis=1) > 0).sum(axis=1).mean())


@pytest.fixture(scope="module")
def mesh() -> tuple[np.ndarray, np.ndarray]:
    """Centroids and neighbours of 20,000 cells in random order."""
    points = np.random.default_rng(0).random((3000, 3))
    cells = Delaunay(points).simplices
    cells = cells[np.random.default_rng(1).permutation(len(cells))]
    return points[cells].mean(axis=1), face_neighbours(cells)


def test_hilbert_neighbours_on_a_grid_follow_each_other():
    """On a grid of 2^b per axis the curve visits every point and steps to a face neighbour each time."""
    grid = np.stack(np.meshgrid(*[np.arange(8)] * 3, indexing="ij"), axis=-1).reshape(-1, 3).astype(float)
    order = hilbert_order(grid, bits=3)
    assert sorted(order) == list(range(512))
    assert (np.abs(np.diff(grid[order], axis=0)).sum(axis=1) == 1).all()


@settings(max_examples=30)
@given(n=st.integers(0, 50), seed=st.integers(0, 10**6), flat=st.booleans())
def test_hilbert_order_is_a_permutation(n, seed, flat):
    points = np.random.default_rng(seed).random((n, 3)) * (0.0 if flat else 1e3)
    assert sorted(hilbert_order(points).tolist()) == list(range(n))


def test_an_order_brings_neighbours_together(mesh):
    """Mean |i - j| falls at least tenfold and the lines that 32 cells touch at least fourfold from a random order."""
    centroids, neighbours = mesh
    order = hilbert_order(centroids)
    assert sorted(order.tolist()) == list(range(len(order)))
    ordered = renumber(neighbours, order)
    assert mean_column_distance(ordered) < 0.1 * mean_column_distance(neighbours)
    assert cache_lines_per_block(ordered) < 0.25 * cache_lines_per_block(neighbours)


def test_renumbering_keeps_the_graph(mesh):
    centroids, neighbours = mesh
    order = hilbert_order(centroids)
    new = renumber(neighbours, order)
    back = np.where(new >= 0, order[new], -1)
    np.testing.assert_array_equal(back, neighbours[order])


@pytest.mark.parametrize("parts", [2, 5])
def test_parts_are_balanced_and_cut_few_faces(mesh, parts):
    _, neighbours = mesh
    part = partition(neighbours, parts, imbalance=1.03)
    sizes = np.bincount(part, minlength=parts)
    # METIS may exceed the bound by a cell or so
    assert sizes.max() <= 1.04 * len(part) / parts
    inside = neighbours >= 0
    cut = (part[neighbours] != part[:, None]) & inside
    # parts of a cube meet in planes: about N^(2/3) of the 2 N faces each; a random split would cut half of them
    assert cut.sum() / inside.sum() < 0.1


def test_orders_need_no_metis_and_parts_say_that_they_do(mesh, monkeypatch):
    """As on Windows, for which there is no wheel."""
    centroids, neighbours = mesh
    monkeypatch.setitem(sys.modules, "pymetis", None)
    assert len(hilbert_order(centroids)) == len(centroids)
    with pytest.raises(ProblemError, match="install the package 'pymetis'"):
        partition(neighbours, 2)


def test_parts_that_cannot_be():
    neighbours = np.full((3, 4), -1)
    assert (partition(neighbours, 1) == 0).all()
    for parts in (0, 4):
        with pytest.raises(ProblemError, match="cannot be split"):
            partition(neighbours, parts)
