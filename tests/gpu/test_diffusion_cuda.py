"""The diffusion step on the GPU against the float64 sparse operator, and what holds to the last bit."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial import Delaunay

from engines.cardiac.diffusion import assemble, make_diffusion
from engines.cardiac.diffusion.stability import stable_step
from engines.geometry.mesh import TetMesh

pytestmark = pytest.mark.gpu


@pytest.fixture(scope="module")
def operator():
    """A few thousand cells of random shape; the last block is not full."""
    points = np.random.default_rng(0).random((600, 3))
    cells = Delaunay(points).simplices.astype(np.int32)
    a, b, c, d = (points[cells[:, k]] for k in range(4))
    negative = np.einsum("ij,ij->i", b - a, np.cross(c - a, d - a)) < 0
    cells[negative] = cells[negative][:, [0, 2, 1, 3]]
    cells = cells[: len(cells) // 32 * 32 - 5]
    return assemble(TetMesh(points, cells, np.zeros(len(cells), np.int32)), np.diag([3.0, 1.0, 0.5]))


@pytest.mark.parametrize(("precision", "tolerance"), [("float64", 1e-14), ("float32", 2e-6)])
@pytest.mark.parametrize("block", [32, 256, 1024])
def test_step_equals_the_sparse_operator(gpu, operator, precision, tolerance, block):
    """18 roundings of values up to 2 at the step of eq. 3.6: 18 eps of the precision."""
    n, dt = operator.matrix.n_rows, stable_step(operator.matrix)
    v = np.random.default_rng(1).uniform(-1, 1, n)
    diffusion = make_diffusion(gpu, operator.matrix, dt, precision)
    diffusion.block = (block,)
    old, new = gpu.array(v.astype(precision)), gpu.empty(n, precision)
    with gpu.active():
        diffusion.step(old, new)
    expected = v + dt * (operator.matrix.to_csr() @ v)
    assert np.abs(gpu.to_host(new) - expected).max() <= tolerance


@pytest.mark.parametrize("precision", ["float32", "float64"])
def test_constants_are_exact_to_the_last_bit(gpu, operator, precision):
    n = operator.matrix.n_rows
    diffusion = make_diffusion(gpu, operator.matrix, stable_step(operator.matrix), precision)
    old, new = gpu.array(np.full(n, -85.23, precision)), gpu.empty(n, precision)
    with gpu.active():
        diffusion.step(old, new)
    assert (gpu.to_host(new) == gpu.to_host(old)).all()


def test_parts_equal_the_whole(gpu, operator):
    n = operator.matrix.n_rows
    diffusion = make_diffusion(gpu, operator.matrix, stable_step(operator.matrix), "float32")
    v = gpu.array(np.random.default_rng(2).uniform(-1, 1, n).astype(np.float32))
    whole, parts = gpu.empty(n, np.float32), gpu.empty(n, np.float32)
    with gpu.active():
        diffusion.step(v, whole)
        diffusion.step_rows(v, parts, 0, 640)
        diffusion.step_rows(v, parts, 640, n)
    assert (gpu.to_host(whole) == gpu.to_host(parts)).all()
