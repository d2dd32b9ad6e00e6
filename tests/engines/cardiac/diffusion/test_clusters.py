"""Orders compared: the same operator in any order, and the model of what a cache would have to load."""

from __future__ import annotations

import numpy as np
import pytest

from engines.cardiac.diffusion.clusters import reordered, voltage_bytes
from engines.cardiac.diffusion.sliced import SlicedMatrix
from engines.cardiac.diffusion.weights import assemble


@pytest.fixture(scope="module")
def matrix(gmsh_mesh) -> SlicedMatrix:
    return assemble(gmsh_mesh("cube_734"), np.eye(3)).matrix


def test_reordering_keeps_the_operator(matrix):
    n = matrix.n_rows
    wanted = np.random.default_rng(0).permutation(n)
    ordered, order = reordered(matrix, wanted, window=64)
    assert sorted(order) == list(range(n))
    for first in range(0, n, 64):
        assert sorted(order[first : first + 64]) == sorted(wanted[first : first + 64])
    lengths = ordered.row_lengths()
    assert (np.diff(lengths[:64]) <= 0).all()
    difference = ordered.to_csr() - matrix.to_csr()[order][:, order]
    # nothing is summed but the diagonal, of up to 16 terms
    assert abs(difference).max() <= 16 * np.finfo(float).eps * abs(matrix.diagonal()).max()
    assert len(ordered.weights) <= len(matrix.weights)


def test_voltage_that_a_warp_reads_is_counted_by_hand():
    """Rows 0 to 63 read cells 0 and 40, in sectors 0 and 5 of 8 values; then of 4 values: 0 and 10."""
    columns = np.repeat(np.array([0, 40, 0, 40], np.int32), 32)
    matrix = SlicedMatrix(64, np.array([0, 64, 128]), columns, np.ones(128))
    assert voltage_bytes(matrix, 32, 4) == 2 * 2 * 32 / 64
    assert voltage_bytes(matrix, 64, 8) == 2 * 32 / 64
    with pytest.raises(ValueError, match="48 rows"):
        voltage_bytes(matrix, 48, 4)


def test_a_random_order_reads_more_than_a_local_one(gmsh_mesh):
    local = assemble(gmsh_mesh("cube_3442"), np.eye(3)).matrix
    scattered, _ = reordered(local, np.random.default_rng(1).permutation(local.n_rows))
    assert voltage_bytes(scattered, 256, 4) > voltage_bytes(local, 256, 4) >= 4.0
