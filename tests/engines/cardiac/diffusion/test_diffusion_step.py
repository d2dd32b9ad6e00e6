"""The ELLPACK step on the CPU against the sparse operator, and what holds to the last bit."""

from __future__ import annotations

import numpy as np
import pytest

from engines.cardiac.diffusion import assemble, make_diffusion
from engines.cardiac.diffusion.ell import BLOCK, WIDTH
from engines.cardiac.diffusion.stability import stable_step
from engines.geometry.mesh import TetMesh


@pytest.fixture(scope="module")
def operator(gmsh_mesh):
    """734 rows: the last block is not full."""
    return assemble(gmsh_mesh("cube_734"), np.diag([3.0, 1.0, 0.5]))


@pytest.mark.parametrize(("precision", "tolerance"), [("float64", 1e-14), ("float32", 2e-6)])
def test_step_equals_the_sparse_operator(operator, cpu, precision, tolerance):
    """|dt sum| ≤ 2 max|v| at the step of eq. 3.6; 18 roundings each: 18 eps of the precision (2.1e-6 and 4e-15)."""
    dt = stable_step(operator.matrix)
    v = np.random.default_rng(3).uniform(-1, 1, operator.matrix.n_rows)
    diffusion = make_diffusion(cpu, operator.matrix, dt, precision)
    old, new = v.astype(precision), np.empty(len(v), precision)
    with cpu.active():
        diffusion.step(old, new)
    expected = v + dt * (operator.matrix.to_csr() @ v)
    assert np.abs(new - expected).max() <= tolerance


@pytest.mark.parametrize("precision", ["float32", "float64"])
def test_constants_are_exact_to_the_last_bit(operator, cpu, precision):
    diffusion = make_diffusion(cpu, operator.matrix, stable_step(operator.matrix), precision)
    old = np.full(operator.matrix.n_rows, -85.23, precision)
    new = np.empty_like(old)
    with cpu.active():
        diffusion.step(old, new)
    assert (new == old).all()


def test_float32_stays_close_over_many_steps(operator, cpu):
    """300 steps of a 120 mV range: roundings of 60 mV (4e-6 mV each) random over steps, contracted by diffusion."""
    dt = 0.5 * stable_step(operator.matrix)
    rng = np.random.default_rng(4)
    start = rng.uniform(-85, 35, operator.matrix.n_rows)
    ends = []
    for precision in ("float32", "float64"):
        diffusion = make_diffusion(cpu, operator.matrix, dt, precision)
        v = start.astype(precision)
        out = np.empty_like(v)
        with cpu.active():
            for _ in range(300):
                diffusion.step(v, out)
                v, out = out, v
        ends.append(v.astype(float))
    assert np.abs(ends[0] - ends[1]).max() <= 1e-3


def test_step_size_may_change_and_padding_is_left_alone(operator, cpu):
    n = operator.matrix.n_rows
    diffusion = make_diffusion(cpu, operator.matrix, 1e-4, "float64")
    v = np.random.default_rng(5).uniform(-1, 1, n + 10)
    out = np.full(n + 10, 7.0)
    diffusion.dt = 2e-4
    with cpu.active():
        diffusion.step(v, out)
    assert (out[n:] == 7.0).all()
    np.testing.assert_allclose(out[:n], v[:n] + 2e-4 * (operator.matrix.to_csr() @ v[:n]), rtol=0, atol=1e-13)


def test_layout_of_the_blocks(operator):
    matrix = operator.matrix
    blocks = -(-matrix.n_rows // BLOCK)
    assert matrix.columns.shape == matrix.weights.shape == (blocks, WIDTH, BLOCK)
    assert matrix.columns.dtype == np.int32
    columns, weights = matrix.row_view(matrix.columns), matrix.row_view(matrix.weights)
    own = columns == np.arange(matrix.n_rows)[:, None]
    assert (weights[own] == 0).all()
    assert (columns >= 0).all()
    assert (columns < matrix.n_rows).all()
    np.testing.assert_allclose(matrix.diagonal(), matrix.to_csr().diagonal(), rtol=1e-13)


def test_traffic_is_counted_from_the_algorithm(operator, cpu):
    n = operator.matrix.n_rows
    assert make_diffusion(cpu, operator.matrix, 1.0, "float32").traffic.bytes == 136 * n
    assert make_diffusion(cpu, operator.matrix, 1.0, "float64").traffic.bytes == 208 * n


@pytest.mark.parametrize("rows", [1, 2, 31, 32, 33, 64, 100])
@pytest.mark.parametrize("precision", ["float32", "float64"])
def test_any_number_of_rows(sliver_mesh, cpu, rows, precision):
    """Whole and broken blocks of 32; 18 eps as above."""
    mesh = TetMesh(sliver_mesh.points, sliver_mesh.cells[:rows], np.zeros(rows, np.int32))
    operator = assemble(mesh, np.eye(3))
    dt = min(stable_step(operator.matrix), 1.0)  # a cell without neighbours has no limit
    v = np.random.default_rng(6).uniform(-1, 1, rows)
    out = np.empty(rows, precision)
    with cpu.active():
        make_diffusion(cpu, operator.matrix, dt, precision).step(v.astype(precision), out)
    expected = v + dt * (operator.matrix.to_csr() @ v)
    assert np.abs(out - expected).max() <= 18 * np.finfo(precision).eps
