"""The diffusion step on the CPU, and of ``diffusion.cu`` on the host, against the sparse operator."""

from __future__ import annotations

import numpy as np
import pytest

from engines.cardiac.diffusion.cpu import CpuDiffusion
from engines.cardiac.diffusion.cuda import SHAPES, CudaDiffusion
from engines.cardiac.diffusion.forward_euler import DIFFUSION, expected_traffic
from engines.cardiac.diffusion.packing import pack
from engines.cardiac.diffusion.sliced import SLICE, SlicedMatrix, by_length, row_lengths, slice_starts
from engines.cardiac.diffusion.stability import stable_step
from engines.cardiac.diffusion.weights import assemble
from engines.geometry.meshes.adjacency import face_neighbours
from engines.geometry.meshes.mesh import TetMesh
from tests.cuda_on_host import HostCudaBackend

EPS = {"float32": np.finfo(np.float32).eps, "float64": np.finfo(float).eps, "mixed": np.finfo(np.float32).eps}
PRECISIONS = list(EPS)
LAYOUTS = ["cpu", 2, 4]
"""The twin, and entries that a lane of a GPU reads at once."""


@pytest.fixture(scope="module")
def host() -> HostCudaBackend:
    return HostCudaBackend()


@pytest.fixture(scope="module")
def operator(gmsh_mesh):
    """734 rows: the last slice is not full."""
    return assemble(gmsh_mesh("cube_734"), np.diag([3.0, 1.0, 0.5]))


@pytest.fixture
def make(cpu, host):
    """(matrix, dt, precision, layout) → the step, of whichever device."""

    def make(matrix, dt, precision, layout):
        if layout == "cpu":
            return CpuDiffusion(cpu, matrix, dt, precision)
        return CudaDiffusion(host, matrix, dt, precision, shapes=((layout, 64),))

    return make


def stepped(diffusion, v: np.ndarray) -> np.ndarray:
    old, new = v.astype(diffusion.dtype), np.empty(len(v), diffusion.dtype)
    with HostCudaBackend().active():
        diffusion.step(old, new)
    return new.astype(float)


def random_matrix(n: int, spread: int, lengths: np.ndarray, seed: int = 0) -> SlicedMatrix:
    """Rows of given lengths whose columns lie at most ``spread`` away, in no order; row sums of |weights| are 1."""
    rng = np.random.default_rng(seed)
    starts = slice_starts(lengths.astype(np.uint8))
    shell = SlicedMatrix(n, starts, np.empty(starts[-1], np.int32), np.zeros(starts[-1]))
    rows = np.minimum(shell.rows(), n - 1)
    entry = np.concatenate([np.repeat(np.arange(w), SLICE) for w in np.diff(starts) // SLICE])
    used = (entry < lengths[rows]) & (shell.rows() < n)
    away = rng.integers(1, spread + 1, len(rows)) * rng.choice([-1, 1], len(rows))
    columns = np.where(used, np.clip(rows + away, 0, n - 1), rows).astype(np.int32)
    weights = np.where(used & (columns != rows), rng.uniform(-1, 1, len(rows)) / 16, 0.0)
    return SlicedMatrix(n, starts, columns, weights)


@pytest.mark.parametrize("precision", PRECISIONS)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_step_equals_the_sparse_operator(operator, make, precision, layout):
    """|dt sum| ≤ 2 max|v| at the step of eq. 3.6, 18 roundings each; of mixed, one rounding of each weight."""
    dt = stable_step(operator.matrix)
    v = np.random.default_rng(3).uniform(-1, 1, operator.matrix.n_rows).astype(np.float32).astype(float)
    new = stepped(make(operator.matrix, dt, precision, layout), v)
    expected = v + dt * (operator.matrix.to_csr() @ v)
    assert np.abs(new - expected).max() <= (2 if precision == "mixed" else 18) * EPS[precision]


@pytest.mark.parametrize("layout", LAYOUTS)
def test_mixed_rounds_nothing_but_the_weights(operator, make, layout):
    """Against the operator of the rounded weights it is exact to the round-off of float64."""
    matrix, dt = operator.matrix, stable_step(operator.matrix)
    rounded = SlicedMatrix(matrix.n_rows, matrix.starts, matrix.columns, matrix.weights.astype(np.float32))
    v = np.random.default_rng(4).uniform(-1, 1, matrix.n_rows)
    new = stepped(make(matrix, dt, "mixed", layout), v)
    assert np.abs(new - (v + dt * (rounded.to_csr() @ v))).max() <= 18 * EPS["float64"]


@pytest.mark.parametrize("precision", PRECISIONS)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_constants_are_exact_to_the_last_bit(operator, make, precision, layout):
    diffusion = make(operator.matrix, stable_step(operator.matrix), precision, layout)
    old = np.full(operator.matrix.n_rows, -85.23, diffusion.dtype)
    assert (stepped(diffusion, old) == old).all()


@pytest.mark.parametrize("precision", PRECISIONS)
def test_volume_weighted_sum_is_conserved(operator, gmsh_mesh, precision, make):
    """A unit of voltage in one cell: the columns' sums, 17 weights each rounded by half an eps of its size, then the
    18 roundings of the step."""
    volumes = gmsh_mesh("cube_734").volumes
    dt = stable_step(operator.matrix)
    diffusion = make(operator.matrix, dt, precision, "cpu")
    for cell in range(0, len(volumes), 61):
        unit = np.zeros(len(volumes))
        unit[cell] = 1.0
        new = stepped(diffusion, unit)
        assert abs(volumes @ (new - unit)) <= 18 * EPS[precision] * (volumes @ np.abs(new) + volumes[cell])


@pytest.mark.parametrize("precision", PRECISIONS)
@pytest.mark.parametrize("group", [2, 4])
def test_any_width_of_slice_near_and_far(cpu, host, precision, group):
    """Widths 0 to 16, columns nearby, in four segments and beyond: the CPU's answer, to the order of summation.

    Slices whose columns lie further apart than four segments take 32 bits: some here, not all.
    """
    n = 100_003
    lengths = np.minimum(np.repeat(np.arange(n // SLICE + 1) % 17, SLICE)[:n], 16)
    lengths -= np.random.default_rng(1).integers(0, 2, n) * (lengths > 1)
    near, far = random_matrix(n, 3000, lengths), random_matrix(n, n, lengths)
    v = np.random.default_rng(2).uniform(-1, 1, n)
    for matrix, least, most in ((near, 0.0, 0.0), (far, 0.5, 1.0)):
        ours = CudaDiffusion(host, matrix, 0.5, precision, shapes=((group, 96),))
        assert least <= ours.wide_share <= most
        twin = CpuDiffusion(cpu, matrix, 0.5, precision)
        old = v.astype(ours.dtype)
        new, expected = np.full(n, 7, ours.dtype), np.empty(n, ours.dtype)
        with cpu.active():
            twin.step(old, expected)
            for first, end in ((0, 17 * SLICE), (50_016, 50_656), (n - 99, n)):
                first = first // SLICE * SLICE
                ours.step_rows(old, new, first, end)
                difference = np.abs(new[first:end].astype(float) - expected[first:end]).max()
                assert difference <= 18 * np.finfo(ours.dtype).eps
        assert (new[17 * SLICE : 50_016] == 7).all()


def test_packed_columns_are_the_columns():
    """Decoded as the kernel decodes them, for every slice; segments reach the first and the last cell."""
    n = 70_000
    matrix = random_matrix(n, n, np.full(n, 3))
    packed = pack(matrix, np.dtype(np.float32), 2)
    assert 0 < packed.wide_share < 1
    for s in range(0, len(packed.starts) - 1, 7):
        place = SLICE * packed.starts[s]
        pairs = [(place + 2 * np.arange(SLICE) + k) for k in (0, 1)]
        places = np.concatenate([*pairs, place + 2 * SLICE + np.arange(SLICE)])
        if packed.segments[s, 0] < 0:
            found = packed.wide[places - place + SLICE * (-1 - int(packed.segments[s, 0]))]
        else:
            found = packed.segments[s][packed.codes[places] >> 14] + (packed.codes[places] & 0x3FFF)
        np.testing.assert_array_equal(found, matrix.columns[place : place + 3 * SLICE])
        np.testing.assert_array_equal(packed.weights[places], matrix.weights[place : place + 3 * SLICE].astype("f4"))
    with pytest.raises(ValueError, match="3 entries"):
        pack(matrix, np.dtype(np.float32), 3)


def test_a_launch_shape_is_chosen_by_measurement(operator, host, tmp_path, monkeypatch):
    """All shapes are as fast on the host: the first is taken, and remembered."""
    monkeypatch.setattr("engines.backend.tuning.cache_dir", lambda: tmp_path)
    diffusion = CudaDiffusion(host, operator.matrix, 1e-4)
    assert (diffusion.group, *diffusion.block) == SHAPES[0]
    assert (tmp_path / "tuning.json").exists()


@pytest.mark.parametrize("precision", ["float32", "mixed"])
def test_less_precision_stays_close_over_many_steps(operator, cpu, precision):
    """300 steps of a 120 mV range: roundings of 60 mV (4e-6 mV each) random over steps, contracted by diffusion."""
    dt = 0.5 * stable_step(operator.matrix)
    start = np.random.default_rng(4).uniform(-85, 35, operator.matrix.n_rows)
    ends = []
    for each in (precision, "float64"):
        diffusion = DIFFUSION.open(cpu, operator.matrix, dt, each)
        v = start.astype(diffusion.dtype)
        out = np.empty_like(v)
        with cpu.active():
            for _ in range(300):
                diffusion.step(v, out)
                v, out = out, v
        ends.append(v.astype(float))
    assert np.abs(ends[0] - ends[1]).max() <= 1e-3


@pytest.mark.parametrize("layout", LAYOUTS)
def test_step_size_may_change_and_padding_is_left_alone(operator, cpu, make, layout):
    n = operator.matrix.n_rows
    diffusion = make(operator.matrix, 1e-4, "float64", layout)
    v = np.random.default_rng(5).uniform(-1, 1, n + 10)
    out = np.full(n + 10, 7.0)
    diffusion.dt = 2e-4
    with cpu.active():
        diffusion.step(v, out)
    assert (out[n:] == 7.0).all()
    np.testing.assert_allclose(out[:n], v[:n] + 2e-4 * (operator.matrix.to_csr() @ v[:n]), rtol=0, atol=1e-13)


def test_layout_of_the_slices(operator):
    matrix = operator.matrix
    assert len(matrix.starts) == -(-matrix.n_rows // SLICE) + 1
    assert matrix.columns.dtype == np.int32
    padded = np.zeros(SLICE * (len(matrix.starts) - 1), int)
    padded[: matrix.n_rows] = matrix.row_lengths()
    np.testing.assert_array_equal(np.diff(matrix.starts), SLICE * padded.reshape(-1, SLICE).max(axis=1))
    unused = matrix.columns == np.minimum(matrix.rows(), matrix.n_rows - 1)
    assert (matrix.weights[unused] == 0).all()
    assert (matrix.columns >= 0).all()
    assert (matrix.columns < matrix.n_rows).all()
    np.testing.assert_allclose(matrix.diagonal(), matrix.to_csr().diagonal(), rtol=1e-13)
    off = matrix.to_csr()
    off.setdiag(0)
    np.testing.assert_allclose(matrix.absolute_row_sums(), abs(off).sum(axis=1).A1, rtol=1e-13)


def test_rows_of_a_window_stand_by_length(gmsh_mesh):
    """Falling lengths within each window, equal ones as they were; slices waste less."""
    lengths = row_lengths(face_neighbours(gmsh_mesh("cube_15745").cells))
    order = by_length(lengths, 256)
    for first in range(0, len(order), 256):
        part = order[first : first + 256].astype(int)
        assert sorted(part) == list(range(first, first + len(part)))
        assert (np.diff(lengths[part].astype(int) * -1000_000 + part) > 0).all()
    mean = lengths.mean()
    assert slice_starts(lengths)[-1] / len(lengths) > 1.05 * mean
    assert slice_starts(lengths[order])[-1] / len(lengths) < 1.04 * mean


def test_traffic_is_counted_from_the_matrix(operator, cpu, host):
    """CPU: 4 bytes per column; GPU: 2, and 20 per slice. Weights, then v and out of each row."""
    matrix, n = operator.matrix, operator.matrix.n_rows
    entries, slices = len(matrix.columns), len(matrix.starts) - 1
    for precision, weight, value in (("float32", 4, 4), ("float64", 8, 8), ("mixed", 4, 8)):
        ours = DIFFUSION.open(cpu, matrix, 1.0, precision).traffic
        assert ours.bytes == entries * (4 + weight) + 2 * value * n + 8 * (slices + 1)
        assert ours.flops == 3 * entries + 2 * n  # a difference, a product, a sum; of a row the step and a sum
        assert expected_traffic(cpu, matrix, precision) == ours
        theirs = CudaDiffusion(host, matrix, 1.0, precision, shapes=((2, 64),)).traffic
        assert theirs.bytes == entries * (2 + weight) + 2 * value * n + 20 * slices + 4
        assert expected_traffic(host, matrix, precision).bytes == theirs.bytes + 16


@pytest.mark.parametrize("rows", [1, 2, 31, 32, 33, 64, 100])
@pytest.mark.parametrize("precision", PRECISIONS)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_any_number_of_rows(sliver_mesh, make, rows, precision, layout):
    """Whole and broken slices; 18 eps as above."""
    mesh = TetMesh(sliver_mesh.points, sliver_mesh.cells[:rows], np.zeros(rows, np.int32))
    operator = assemble(mesh, np.eye(3))
    dt = min(stable_step(operator.matrix), 1.0)  # a cell without neighbours has no limit
    v = np.random.default_rng(6).uniform(-1, 1, rows)
    new = stepped(make(operator.matrix, dt, precision, layout), v)
    assert np.abs(new - (v + dt * (operator.matrix.to_csr() @ v))).max() <= 18 * EPS[precision]
