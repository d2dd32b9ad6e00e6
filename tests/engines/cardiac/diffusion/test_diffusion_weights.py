"""The operator against analytic answers: u_t = div(D grad u) with zero flux.

Layout: cell values at centroids; error = relative volume-weighted L2 norm (thesis eq. 3.11).
"""

from __future__ import annotations

import numpy as np
import pytest

from engines.api.errors import MeshError, ProblemError
from engines.cardiac.diffusion.kernels import energy_need, kept_shares, least_squares, proved_stable
from engines.cardiac.diffusion.reference import reference_operator
from engines.cardiac.diffusion.sliced import row_lengths
from engines.cardiac.diffusion.stability import stable_step
from engines.cardiac.diffusion.weights import assemble
from engines.geometry.meshes.adjacency import face_neighbours
from engines.geometry.meshes.mesh import TetMesh

FIBRE = np.array([2.0, 2.0, 1.0]) / 3.0
SHEAR = np.eye(3) + 2.0 * np.outer(FIBRE, FIBRE)
RNG = np.random.default_rng(0)


def random_tensors(n: int, ratio: float = 4.0) -> np.ndarray:
    f = np.random.default_rng(1).standard_normal((n, 3))
    f /= np.linalg.norm(f, axis=1)[:, None]
    return np.eye(3) + (ratio - 1.0) * f[:, :, None] * f[:, None, :]


def march(operator, u: np.ndarray, until: float) -> np.ndarray:
    """Forward Euler at the step of eq. 3.6."""
    matrix = operator.matrix.to_csr()
    steps = int(np.ceil(until / stable_step(operator.matrix)))
    for _ in range(steps):
        u = u + (until / steps) * (matrix @ u)
    return u


def cosine_error(mesh: TetMesh, tensors: np.ndarray, shear: np.ndarray, until: float) -> float:
    """Error of thesis eq. 3.10 carried to the image of the unit cube under ``shear``, where D = shear shear'."""
    x = mesh.centroids @ np.linalg.inv(shear).T
    start = np.cos(2 * np.pi * x).prod(axis=1)
    exact = np.exp(-3 * (2 * np.pi) ** 2 * until) * start
    u = march(assemble(mesh, tensors), start, until)
    return float(np.sqrt((mesh.volumes * (u - exact) ** 2).sum() / (mesh.volumes * exact**2).sum()))


def test_convergence_on_unstructured_tetrahedra(gmsh_mesh):
    """Order ≥ 1.9 in h ~ N^(-1/3), no worse than a like scheme on meshes of these sizes (0.133, 0.0442, 0.0127)."""
    cells = np.array([734, 3442, 15745])
    errors = np.array([cosine_error(gmsh_mesh(f"cube_{n}"), np.eye(3), np.eye(3), 0.01) for n in cells])
    orders = -3 * np.diff(np.log(errors)) / np.diff(np.log(cells))
    assert (orders >= 1.9).all(), (errors, orders)
    assert (errors <= [0.133, 0.0442, 0.0127]).all(), errors


def test_convergence_with_a_rotated_tensor(gmsh_mesh):
    """Diffusion 9 times faster along an oblique fibre: order ≥ 1.9 as well."""
    cells = np.array([2203, 15512])
    errors = np.array([cosine_error(gmsh_mesh(f"sheared_{n}"), SHEAR @ SHEAR.T, SHEAR, 0.005) for n in cells])
    order = -3 * np.diff(np.log(errors)) / np.diff(np.log(cells))
    assert order[0] >= 1.9, (errors, order)


@pytest.mark.parametrize("cap", [np.inf, 4.0, 1.0])
def test_equals_the_reference(gmsh_mesh, cap):
    """Heterogeneous, anisotropic; round-off: entries are sums of ~20 products of condition ~100."""
    mesh = gmsh_mesh("cube_734")
    tensors = random_tensors(mesh.n_cells)
    operator = assemble(mesh, tensors, relaxation_cap=cap)
    expected = reference_operator(mesh, tensors, cap, operator.correction)
    difference = abs(operator.matrix.to_csr() - expected)
    assert difference.max() <= 1e-11 * abs(expected).max()


def test_constants_and_conservation(gmsh_mesh):
    """Rows sum to zero exactly by construction, volume-weighted columns to round-off, for any tensors."""
    mesh = gmsh_mesh("cube_3442")
    operator = assemble(mesh, random_tensors(mesh.n_cells, 9.0))
    matrix = operator.matrix.to_csr()
    scale = (mesh.volumes * abs(matrix.diagonal())).max()
    # some 20 terms a column
    assert abs(mesh.volumes @ matrix).max() <= 50 * np.finfo(float).eps * scale
    u = RNG.standard_normal(mesh.n_cells)
    after = march(operator, u, 0.01)
    drift = abs(mesh.volumes @ (after - u)) / (mesh.volumes @ abs(u))
    assert drift <= 1e-12


@pytest.mark.parametrize("cap", [np.inf, 4.0, 1.0])
def test_linear_field_is_exact_in_the_interior(gmsh_mesh, cap):
    """No flux imbalance where no cell of the stencil touches the boundary (whose zero flux a linear field violates)."""
    mesh = gmsh_mesh("cube_15745")
    neighbours = face_neighbours(mesh.cells)
    operator = assemble(mesh, np.eye(3) + 3 * np.outer(FIBRE, FIBRE), relaxation_cap=cap)
    near = (neighbours < 0).any(axis=1) | (operator.correction < 1)
    for _ in range(2):
        near = near | (near[neighbours] & (neighbours >= 0)).any(axis=1)
    assert (~near).sum() > 3000
    rate = operator.matrix.to_csr() @ (mesh.centroids @ [1.0, -2.0, 0.5])
    terms = operator.matrix.absolute_row_sums() * np.abs(mesh.centroids).max() * 3.5
    assert (np.abs(rate[~near]) <= 1e-13 * terms[~near]).all()


def test_kinked_field_with_continuous_flux_is_exact():
    """Two materials with a plane interface: the exact steady field is linear on either side."""
    mesh = layered_box()
    left = mesh.centroids[:, 0] < 0.5
    tensors = np.where(left[:, None, None], np.eye(3) + 3 * np.outer(FIBRE, FIBRE), 20.0 * np.eye(3))
    # tangential slopes agree; the normal slope on the right makes the flux continuous
    slope = np.array([1.0, 0.3, -0.7])
    flux = tensors[left][0][0] @ slope
    other = np.array([flux / 20.0, 0.3, -0.7])
    x = mesh.centroids - [0.5, 0.0, 0.0]
    u = np.where(left, x @ slope, x @ other)
    neighbours = face_neighbours(mesh.cells)
    operator = assemble(mesh, tensors, neighbours, energy_limit=np.inf)
    near = (neighbours < 0).any(axis=1)
    near = near | (near[neighbours] & (neighbours >= 0)).any(axis=1)
    interface = ~near & (abs(x[:, 0]) < 0.15)
    assert interface.sum() > 50
    rate = operator.matrix.to_csr() @ u
    assert (np.abs(rate[interface]) <= 1e-12 * operator.matrix.absolute_row_sums()[interface]).all()


def layered_box(n: int = 8) -> TetMesh:
    """Unit cube of n³ cubes, each cut into six tetrahedra, points jittered off the plane x = 0.5 only."""
    from itertools import permutations

    grid = np.stack(np.meshgrid(*[np.arange(n + 1)] * 3, indexing="ij"), axis=-1).reshape(-1, 3)
    jitter = np.random.default_rng(2).uniform(-0.12, 0.12, grid.shape)
    jitter[(grid == 0) | (grid == n)] = 0.0
    jitter[grid[:, 0] == n // 2, 0] = 0.0
    corner = np.stack(np.meshgrid(*[np.arange(n)] * 3, indexing="ij"), axis=-1).reshape(-1, 3)
    place = np.array([(n + 1) ** 2, n + 1, 1])
    cells = []
    for path in permutations(range(3)):
        steps = np.vstack([np.zeros(3, int), np.cumsum(np.eye(3, dtype=int)[list(path)], axis=0)])
        cells.append((corner[:, None, :] + steps) @ place)
    points, tets = (grid + jitter) / n, np.concatenate(cells).astype(np.int32)
    a, b, c, d = (points[tets[:, k]] for k in range(4))
    negative = np.einsum("ij,ij->i", b - a, np.cross(c - a, d - a)) < 0
    tets[negative] = tets[negative][:, [0, 2, 1, 3]]
    return TetMesh(points, tets, np.zeros(len(tets), np.int32))


def test_no_growing_mode_of_a_good_mesh(gmsh_mesh):
    """All eigenvalues of a small operator: one zero, the rest in the left half plane and damped by the step."""
    mesh = gmsh_mesh("cube_734")
    operator = assemble(mesh, np.eye(3))
    assert (operator.correction == 1.0).all()
    values = np.linalg.eigvals(operator.matrix.to_csr().toarray())
    values = values[np.argsort(values.real)]
    assert abs(values[-1]) <= 1e-9 * abs(values[0])
    # the slowest mode of the cube, cos(pi x), decays at pi²; second order leaves it within 2 %
    assert values[-2].real == pytest.approx(-(np.pi**2), rel=0.02)
    assert (np.abs(1 + stable_step(operator.matrix) * values) <= 1 + 1e-12).all()
    true_limit = (-2 * values[:-1].real / np.abs(values[:-1]) ** 2).min()
    assert stable_step(operator.matrix) <= true_limit


def test_rows_hold_at_most_the_sixteen_neighbours(gmsh_mesh):
    mesh = gmsh_mesh("cube_3442")
    neighbours = face_neighbours(mesh.cells)
    operator = assemble(mesh, np.eye(3), neighbours)
    rows = operator.matrix.to_csr()
    for i in RNG.integers(0, mesh.n_cells, 100):
        direct = set(neighbours[i][neighbours[i] >= 0].tolist())
        second = {int(k) for j in direct for k in neighbours[j] if k >= 0} - {i}
        assert set(rows[i].indices.tolist()) - {i} == direct | second
        assert operator.matrix.row_lengths()[i] == row_lengths(neighbours)[i] == len(direct | second)
    assert operator.matrix.row_lengths().max() == 16


def test_slivers_get_two_point_weights_and_stay_stable(sliver_mesh):
    """Without limit and cap noise grows on this mesh; with them it decays, at steps more than ten times as large."""
    free = assemble(sliver_mesh, np.eye(3), relaxation_cap=np.inf, energy_limit=np.inf)
    kept = assemble(sliver_mesh, np.eye(3))
    share = (kept.correction < 1).mean()
    assert 0.01 < share < 0.3
    assert np.linalg.eigvals(free.matrix.to_csr().toarray()).real.max() > 1.0
    values = np.linalg.eigvals(kept.matrix.to_csr().toarray())
    assert values.real.max() <= 1e-9 * abs(values).max()
    assert stable_step(kept.matrix) > 10 * stable_step(free.matrix)
    assert (np.abs(1 + stable_step(kept.matrix) * values) <= 1 + 1e-9).all()
    # two-point weights where a cell and its neighbours kept nothing would all be positive: here most of it is gone
    assert kept.correction.min() < 0.2


def test_energy_limit_of_one_is_dissipative(sliver_mesh):
    """README eq. 9: the symmetric part of V L has no positive eigenvalue, whatever mesh and tensors."""
    for tensors in (np.eye(3), random_tensors(sliver_mesh.n_cells, 9.0)):
        operator = assemble(sliver_mesh, tensors, energy_limit=1.0)
        form = sliver_mesh.volumes[:, None] * operator.matrix.to_csr().toarray()
        values = np.linalg.eigvalsh(form + form.T)
        assert values[-1] <= 1e-12 * abs(values[0])


def test_rough_fibres_have_no_growing_mode(gmsh_mesh):
    """Fibres that turn at random from cell to cell: the unlimited operator has a growing mode, the limited one none."""
    mesh = gmsh_mesh("cube_734")
    tensors = random_tensors(mesh.n_cells, 16.0)
    free = assemble(mesh, tensors, energy_limit=np.inf)
    assert np.linalg.eigvals(free.matrix.to_csr().toarray()).real.max() > 1.0
    kept = assemble(mesh, tensors)
    values = np.linalg.eigvals(kept.matrix.to_csr().toarray())
    assert values.real.max() <= 1e-9 * abs(values).max()


def test_errors_name_the_cell():
    points = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1.0]])
    mesh = TetMesh(points, np.array([[0, 1, 2, 3]], np.int32), np.zeros(1, np.int32))
    with pytest.raises(ProblemError, match="cell 0 is not symmetric positive definite"):
        assemble(mesh, np.diag([1.0, 1.0, -1.0]))
    with pytest.raises(ProblemError, match="shape"):
        assemble(mesh, np.ones((2, 3, 3)))
    flat = TetMesh(points, np.array([[0, 2, 1, 3]], np.int32), np.zeros(1, np.int32))
    with pytest.raises(MeshError, match="Cell 0 has volume"):
        assemble(flat, np.eye(3))


def test_single_cell_does_not_change():
    points = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1.0]])
    mesh = TetMesh(points, np.array([[0, 1, 2, 3]], np.int32), np.zeros(1, np.int32))
    operator = assemble(mesh, np.eye(3))
    assert (operator.matrix.to_csr() @ np.ones(1) == 0).all()
    assert stable_step(operator.matrix) == np.inf


@pytest.mark.parametrize("ratio", [1.5, 9.0])
def test_needs_that_are_told_too_high_change_nothing(gmsh_mesh, ratio):
    """Up to 1 where no neighbour needs more: shares and proofs are those of all cells' eigenvalues, bit by bit."""
    mesh = gmsh_mesh("cube_3442")
    neighbours = face_neighbours(mesh.cells)
    geometry = (mesh.points, mesh.cells, mesh.volumes, mesh.centroids, random_tensors(mesh.n_cells, ratio))
    gradients = least_squares(*geometry, neighbours)
    exact, told = (energy_need(*geometry, neighbours, gradients, 4.0, enough) for enough in (0.0, 1.0))
    assert (told != exact).mean() > 0.1, "the shortcut is taken"
    assert (told >= exact).all()
    assert (told[told != exact] == 1.0).all()
    for allowed in (np.ones(mesh.n_cells), np.full(mesh.n_cells, 2.0)):
        shares = [kept_shares(mesh.volumes, neighbours, need, allowed) for need in (exact, told)]
        assert np.array_equal(*shares)
        proofs = {proved_stable(mesh.volumes, neighbours, need * shares[0]) for need in (exact, told)}
        assert len(proofs) == 1
