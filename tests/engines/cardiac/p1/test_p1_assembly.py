"""The vertex-centred operator: convergence, what it keeps, and its elements against an integral by hand."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy import sparse
from scipy.sparse.linalg import eigs

from engines.api.errors import MeshError
from engines.cardiac.p1.stiffness import assemble_vertices
from engines.geometry.fibres.laplace import Laplace
from engines.geometry.meshes.box import box_mesh
from engines.geometry.meshes.mesh import TetMesh

DATA = Path(__file__).parents[1] / "diffusion" / "data" / "meshes.npz"


def stored(name: str) -> TetMesh:
    """A mesh of the diffusion tests, positively oriented."""
    with np.load(DATA) as arrays:
        points, cells = arrays[f"{name}_points"], arrays[f"{name}_cells"].astype(np.int32)
    a, b, c, d = (points[cells[:, k]] for k in range(4))
    negative = np.einsum("ij,ij->i", b - a, np.cross(c - a, d - a)) < 0
    cells[negative] = cells[negative][:, [0, 2, 1, 3]]
    return TetMesh(points, cells, np.zeros(len(cells), np.int32))


def rate_matrix(operator):
    """With its diagonal."""
    return operator.rates - sparse.diags(np.asarray(operator.rates.sum(axis=1)).ravel())


def error_of_the_cosine(mesh: TetMesh, until: float = 0.01) -> float:
    """Thesis eqs. 3.10 and 3.11 at ``until``, by forward Euler at half the Gershgorin limit."""
    operator = assemble_vertices(mesh, np.eye(3))
    matrix, x = rate_matrix(operator), mesh.points[operator.vertices]
    steps = int(np.ceil(until * abs(operator.rates).sum(axis=1).max()))
    u = start = np.cos(2 * np.pi * x).prod(axis=1)
    for _ in range(steps):
        u = u + (until / steps) * (matrix @ u)
    exact = np.exp(-3 * (2 * np.pi) ** 2 * until) * start
    return float(np.sqrt((operator.volumes * (u - exact) ** 2).sum() / (operator.volumes * exact**2).sum()))


def test_convergence_on_unstructured_tetrahedra():
    """Order ≥ 1.9 in h ~ N^(-1/3): linear elements are of second order in the L2 norm."""
    cells = np.array([734, 3442, 15745])
    errors = np.array([error_of_the_cosine(stored(f"cube_{n}")) for n in cells])
    orders = -3 * np.diff(np.log(errors)) / np.diff(np.log(cells))
    assert (orders >= 1.9).all(), (errors, orders)


def test_the_element_of_the_unit_tetrahedron():
    """k_01 = -V D_xx·(-1)·1 = 1/6 for D = 1; k_12 = 0: edges at the right angle do not couple."""
    points = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])
    mesh = TetMesh(points, np.array([[0, 1, 2, 3]], np.int32), np.zeros(1, np.int32))
    operator = assemble_vertices(mesh, np.diag([2.0, 3.0, 5.0]))
    k = operator.rates.toarray() * operator.volumes[:, None]
    np.testing.assert_allclose(k[0, 1:], np.array([2.0, 3.0, 5.0]) / 6, rtol=1e-14)
    np.testing.assert_allclose(k[1, 2:], 0, atol=1e-15)


def test_the_stiffness_is_that_of_laplaces_equation():
    """Sums of at most some thirty elements in another order."""
    mesh = box_mesh((3, 3, 2), (1.5, 1.5, 1.0), jitter=0.2, seed=5)
    operator = assemble_vertices(mesh, np.eye(3))
    ours = operator.rates.multiply(operator.volumes[:, None]).toarray()
    theirs = -Laplace(mesh).matrix.toarray()[np.ix_(operator.vertices, operator.vertices)]
    np.fill_diagonal(theirs, 0.0)
    assert np.abs(ours - theirs).max() < 1e-14 * np.abs(theirs).max()


@pytest.mark.parametrize("name", ["cube_734", "sheared_2203"])
def test_what_the_operator_keeps(name):
    """Mass and linear fields (inside) to round-off; no growing mode: k is negative semidefinite for any mesh."""
    mesh = stored(name)
    rng = np.random.default_rng(2)
    fibres = rng.standard_normal((mesh.n_cells, 3))
    fibres /= np.linalg.norm(fibres, axis=1)[:, None]
    operator = assemble_vertices(mesh, np.eye(3) + 8 * fibres[:, :, None] * fibres[:, None, :])
    k = operator.rates.toarray() * operator.volumes[:, None]
    assert np.abs(k - k.T).max() <= 1e-14 * np.abs(k).max()
    assert operator.volumes.sum() == pytest.approx(mesh.volumes.sum(), rel=1e-13)
    largest = eigs(rate_matrix(operator), k=1, which="LR", return_eigenvectors=False)[0].real
    assert largest <= 1e-8 * abs(operator.rates).sum(axis=1).max()

    isotropic = assemble_vertices(mesh, np.eye(3))
    x = mesh.points[isotropic.vertices]
    inside = ((x > 1e-9) & (x < 1 - 1e-9)).all(axis=1) if name.startswith("cube") else np.zeros(len(x), bool)
    rates = rate_matrix(isotropic) @ (1.0 + x @ [2.0, -1.0, 0.5])
    scale = abs(isotropic.rates).sum(axis=1).max() * 4.0
    assert np.abs(rates[inside]).max(initial=0.0) <= 1e-13 * scale


def test_points_without_cells_have_no_row_and_flat_cells_are_named():
    box = box_mesh((2, 2, 2), (1.0, 1.0, 1.0))
    points = np.vstack([[[9.0, 9, 9]], box.points])
    operator = assemble_vertices(TetMesh(points, box.cells + 1, box.regions), np.eye(3))
    assert operator.vertices.tolist() == list(range(1, len(points)))
    flat = TetMesh(np.zeros((4, 3)), np.array([[0, 1, 2, 3]], np.int32), np.zeros(1, np.int32))
    with pytest.raises(MeshError, match="Cell 0 has volume 0"):
        assemble_vertices(flat, np.eye(3))
