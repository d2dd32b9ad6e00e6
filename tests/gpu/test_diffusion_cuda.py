"""The diffusion step on the GPU against the float64 sparse operator, and what holds to the last bit."""

import numpy as np
import pytest
from scipy.spatial import Delaunay

from engines.cardiac.diffusion.clusters import reordered
from engines.cardiac.diffusion.cuda import CudaDiffusion
from engines.cardiac.diffusion.forward_euler import DIFFUSION
from engines.cardiac.diffusion.sliced import by_length, slice_rows
from engines.cardiac.diffusion.stability import stable_step
from engines.cardiac.diffusion.weights import assemble
from engines.cardiac.p1.stiffness import assemble_vertices
from engines.geometry.meshes.box import box_mesh
from engines.geometry.meshes.mesh import TetMesh
from engines.geometry.meshes.ordering import hilbert_order

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


@pytest.mark.parametrize(("precision", "tolerance"), [("float64", 1e-14), ("float32", 2e-6), ("mixed", 2.4e-7)])
@pytest.mark.parametrize("block", [32, 256, 512])
@pytest.mark.parametrize("group", [2, 4])
def test_step_equals_the_sparse_operator(gpu, operator, precision, tolerance, block, group):
    """18 roundings of values up to 2 at the step of eq. 3.6: 18 eps of the precision; of mixed, one of each weight."""
    n, dt = operator.matrix.n_rows, stable_step(operator.matrix)
    diffusion = CudaDiffusion(gpu, operator.matrix, dt, precision, shapes=((group, block),))
    v = np.random.default_rng(1).uniform(-1, 1, n).astype(np.float32).astype(float)
    old, new = gpu.array(v.astype(diffusion.dtype)), gpu.empty(n, diffusion.dtype)
    with gpu.active():
        diffusion.step(old, new)
    expected = v + dt * (operator.matrix.to_csr() @ v)
    assert np.abs(gpu.to_host(new) - expected).max() <= tolerance


@pytest.mark.parametrize("precision", ["float32", "float64", "mixed"])
def test_columns_of_16_and_32_bits_give_the_same(gpu, precision):
    """A random order of a box: most slices reach further than four segments do. 18 eps as above."""
    mesh = box_mesh((25,) * 3, (1.0,) * 3, jitter=0.2)
    matrix = assemble(mesh, np.eye(3)).matrix
    scattered, order = reordered(matrix, np.random.default_rng(2).permutation(matrix.n_rows))
    v = np.random.default_rng(3).uniform(-1, 1, matrix.n_rows).astype(np.float32).astype(float)
    dt = stable_step(matrix)
    expected = v + dt * (matrix.to_csr() @ v)
    for group in (2, 4):
        diffusion = CudaDiffusion(gpu, scattered, dt, precision, shapes=((group, 128),))
        assert diffusion.wide_share > 0.5
        old, new = gpu.array(v[order].astype(diffusion.dtype)), gpu.empty(len(v), diffusion.dtype)
        with gpu.active():
            diffusion.step(old, new)
        assert np.abs(gpu.to_host(new) - expected[order]).max() <= 18 * np.finfo(diffusion.weight_type).eps


@pytest.mark.parametrize("precision", ["float32", "float64", "mixed"])
def test_constants_are_exact_to_the_last_bit(gpu, operator, precision):
    n = operator.matrix.n_rows
    diffusion = DIFFUSION.open(gpu, operator.matrix, stable_step(operator.matrix), precision)
    old, new = gpu.array(np.full(n, -85.23, diffusion.dtype)), gpu.empty(n, diffusion.dtype)
    with gpu.active():
        diffusion.step(old, new)
    assert (gpu.to_host(new) == gpu.to_host(old)).all()


def test_parts_equal_the_whole(gpu, operator):
    n = operator.matrix.n_rows
    diffusion = DIFFUSION.open(gpu, operator.matrix, stable_step(operator.matrix), "float32")
    v = gpu.array(np.random.default_rng(2).uniform(-1, 1, n).astype(np.float32))
    whole, parts = gpu.empty(n, np.float32), gpu.empty(n, np.float32)
    with gpu.active():
        diffusion.step(v, whole)
        diffusion.step_rows(v, parts, 0, 640)
        diffusion.step_rows(v, parts, 640, n)
    assert (gpu.to_host(whole) == gpu.to_host(parts)).all()


@pytest.mark.parametrize(("precision", "tolerance"), [("float64", 1e-14), ("float32", 5e-6), ("mixed", 5e-6)])
@pytest.mark.parametrize("group", [2, 4])
def test_rows_longer_than_16(gpu, precision, tolerance, group):
    """The vertices of random tetrahedra have up to some 35 neighbours: 40 roundings of values up to 2."""
    points = np.random.default_rng(4).random((3001, 3))
    cells = Delaunay(points).simplices.astype(np.int32)
    a, b, c, d = (points[cells[:, k]] for k in range(4))
    volumes = np.einsum("ij,ij->i", b - a, np.cross(c - a, d - a))
    cells[volumes < 0] = cells[volumes < 0][:, [0, 2, 1, 3]]
    cells = cells[np.abs(volumes) > 1e-9]
    vertices = assemble_vertices(TetMesh(points, cells, np.zeros(len(cells), np.int32)), np.diag([3.0, 1.0, 0.5]))
    order = hilbert_order(vertices.sites.centroids)
    matrix = slice_rows(vertices.rates, order[by_length(np.diff(vertices.rates.indptr)[order])])
    assert matrix.row_lengths().max() > 24
    n, dt = matrix.n_rows, stable_step(matrix)
    diffusion = CudaDiffusion(gpu, matrix, dt, precision, shapes=((group, 128),))
    v = np.random.default_rng(1).uniform(-1, 1, n).astype(np.float32).astype(float)
    old, new = gpu.array(v.astype(diffusion.dtype)), gpu.empty(n, diffusion.dtype)
    with gpu.active():
        diffusion.step(old, new)
    assert np.abs(gpu.to_host(new) - (v + dt * (matrix.to_csr() @ v))).max() <= tolerance
    constant = gpu.array(np.full(n, -85.23, diffusion.dtype))
    with gpu.active():
        diffusion.step(constant, new)
    assert (gpu.to_host(new) == gpu.to_host(constant)).all()
