"""Rows longer than 16 entries: the sliced matrix, the step on both devices, and replaced rows."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from scipy.spatial import Delaunay

from engines.api.errors import MeshError
from engines.backend import open_backend
from engines.cardiac.diffusion.clusters import reordered
from engines.cardiac.diffusion.cpu import CpuDiffusion
from engines.cardiac.diffusion.cuda import CudaDiffusion
from engines.cardiac.diffusion.sliced import SLICE, by_length, slice_rows
from engines.cardiac.diffusion.stability import stable_step
from engines.cardiac.p1.stiffness import VertexOperator, assemble_vertices
from engines.geometry.meshes.mesh import TetMesh
from engines.geometry.meshes.ordering import hilbert_order
from tests.cuda_on_host import HostCudaBackend

EPS = {"float32": np.finfo(np.float32).eps, "float64": np.finfo(float).eps, "mixed": np.finfo(np.float32).eps}


@pytest.fixture(scope="module")
def operator() -> VertexOperator:
    """Random points: 701 rows of 6 to some 35 entries; the last slice is not full."""
    points = np.random.default_rng(0).random((701, 3))
    cells = Delaunay(points).simplices.astype(np.int32)
    a, b, c, d = (points[cells[:, k]] for k in range(4))
    volumes = np.einsum("ij,ij->i", b - a, np.cross(c - a, d - a))
    cells[volumes < 0] = cells[volumes < 0][:, [0, 2, 1, 3]]
    cells = cells[np.abs(volumes) > 1e-9]
    return assemble_vertices(TetMesh(points, cells, np.zeros(len(cells), np.int32)), np.diag([3.0, 1.0, 0.5]))


@pytest.fixture(scope="module")
def order(operator):
    order = hilbert_order(operator.sites.centroids)
    return order[by_length(np.diff(operator.rates.indptr)[order])]


def test_slices_hold_the_rows(operator, order):
    matrix = slice_rows(operator.rates, order)
    widths = np.diff(matrix.starts) // SLICE
    assert widths.max() > 24, "wide slices"
    assert matrix.n_rows % SLICE, "one that is not full"
    expected = operator.rates - sparse.diags(np.asarray(operator.rates.sum(axis=1)).ravel())
    found = matrix.to_csr()
    assert np.abs(found - expected[order][:, order]).max() <= 1e-14 * np.abs(expected).max()
    np.testing.assert_array_equal(matrix.row_lengths(), np.diff(operator.rates.indptr)[order])
    moved, again = reordered(matrix, np.arange(matrix.n_rows)[::-1])
    assert np.abs(moved.to_csr() - found[again][:, again]).max() <= 1e-14 * np.abs(expected).max()
    many = sparse.csr_matrix(np.ones((300, 300)) - np.eye(300))
    with pytest.raises(MeshError, match="299 edges"):
        slice_rows(many, np.arange(300, dtype=np.int32))


@pytest.mark.parametrize("precision", list(EPS))
@pytest.mark.parametrize("layout", ["cpu", 2, 4])
def test_the_step(operator, order, precision, layout):
    """Against the sparse operator to 40 roundings of values up to 2; constants to the last bit; what is conserved; and
    rows that are replaced by their halves."""
    matrix = slice_rows(operator.rates, order)
    dt = stable_step(matrix)
    backend = open_backend("cpu") if layout == "cpu" else HostCudaBackend()
    if layout == "cpu":
        diffusion = CpuDiffusion(backend, matrix, dt, precision)
    else:
        diffusion = CudaDiffusion(backend, matrix, dt, precision, shapes=((layout, 64),))
    n = matrix.n_rows

    def stepped(v: np.ndarray) -> np.ndarray:
        old, new = backend.array(v.astype(diffusion.dtype)), backend.empty(n, diffusion.dtype)
        with backend.active():
            diffusion.step(old, new)
        return backend.to_host(new).astype(float)

    v = np.random.default_rng(1).uniform(-1, 1, n).astype(np.float32).astype(float)
    new = stepped(v)
    dense = matrix.to_csr()
    assert np.abs(new - (v + dt * (dense @ v))).max() <= 40 * EPS[precision]
    assert (stepped(np.full(n, -85.23)) == diffusion.dtype.type(-85.23)).all()
    volumes = operator.volumes[order]
    assert abs(volumes @ (new - v)) <= 40 * EPS[precision] * volumes.sum()

    rows = np.arange(0, n, 3)
    longest = int(matrix.row_lengths().max())
    columns, weights = np.repeat(rows[:, None], longest, axis=1).astype(np.int32), np.zeros((len(rows), longest))
    off = sparse.csr_matrix(dense - sparse.diags(dense.diagonal()))
    for k, row in enumerate(rows):
        entries = slice(off.indptr[row], off.indptr[row + 1])
        count = entries.stop - entries.start
        columns[k, :count], weights[k, :count] = off.indices[entries], 0.5 * off.data[entries]
    diffusion.update_rows(rows, columns, weights)
    halves = np.ones(n)
    halves[rows] = 0.5
    assert np.abs(stepped(v) - (v + dt * halves * (dense @ v))).max() <= 40 * EPS[precision]
