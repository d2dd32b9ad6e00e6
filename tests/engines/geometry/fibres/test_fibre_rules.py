"""Fibres by rule: potentials and angles where they are known, and the demo heart against its generator's solution."""

from __future__ import annotations

from importlib.resources import files

import numpy as np
import pytest

from engines.api.errors import ProblemError
from engines.geometry.fibres.laplace import Laplace
from engines.geometry.fibres.rules import Angles, RuleFibres, rule_fibres
from engines.geometry.fibres.walls import Boundary, Walls, flat_cut, slab_walls, ventricle_walls
from engines.geometry.meshes.adjacency import face_neighbours
from engines.geometry.meshes.box import box_mesh
from engines.geometry.meshes.mesh import TetMesh
from engines.geometry.reading import read_mesh
from tests.engines.geometry.cups import INNER, OUTER, cup, joined


def walls_of(mesh: TetMesh) -> Walls:
    boundary = Boundary.of(mesh)
    low, high = mesh.bounds
    return ventricle_walls(mesh, boundary, *flat_cut(boundary, float(np.linalg.norm(high - low))))


def degrees(cosine: np.ndarray) -> np.ndarray:
    return np.degrees(np.arccos(np.clip(np.abs(cosine), 0, 1)))


def rows(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.einsum("ij,ij->i", a, b)


# ---- Laplace ------------------------------------------------------------------------------------------------------


def test_a_linear_potential_is_exact() -> None:
    mesh = box_mesh((5, 4, 3), (5, 4, 3), jitter=0.2)
    laplace = Laplace(mesh)
    fixed = np.flatnonzero((mesh.points[:, 0] == 0) | (mesh.points[:, 0] == 5))
    solution = laplace.solve(fixed, mesh.points[fixed, 0] / 5)
    np.testing.assert_allclose(solution, mesh.points[:, 0] / 5, atol=1e-7)  # the solver's tolerance, 1e-8 of the load
    np.testing.assert_allclose(laplace.gradients(solution), np.tile([0.2, 0, 0], (mesh.n_cells, 1)), atol=1e-6)


def test_stiffness_is_that_of_dense_elements() -> None:
    mesh = box_mesh((2, 1, 1), (2, 1, 1), jitter=0.1)
    dense = np.zeros((mesh.n_points, mesh.n_points))
    for cell in mesh.cells:
        corners = np.column_stack([np.ones(4), mesh.points[cell]])
        slopes = np.linalg.inv(corners)[1:]
        dense[np.ix_(cell, cell)] += abs(np.linalg.det(corners)) / 6 * slopes.T @ slopes
    np.testing.assert_allclose(Laplace(mesh).matrix.toarray(), dense, atol=1e-13)


def test_the_potential_of_a_shell_converges() -> None:
    """Between concentric spheres φ goes with 1/r; linear elements have an error of h², facets of the spheres too."""
    errors = []
    for across, through in ((12, 3), (24, 6)):
        mesh = cup(across, through)
        walls = walls_of(mesh)
        fixed = np.concatenate([walls.epi, walls.lv])
        found = Laplace(mesh).solve(fixed, np.repeat([1.0, 0.0], [len(walls.epi), len(walls.lv)]))
        radius = np.linalg.norm(mesh.points, axis=1)
        exact = (1 / INNER - 1 / radius) / (1 / INNER - 1 / OUTER)
        errors.append(float(np.sqrt(((found - exact) ** 2).mean())))
    assert errors[1] < 0.003
    assert np.log2(errors[0] / errors[1]) > 1.5  # slivers in four corners of this mesh cost a little of 2


# ---- surfaces -----------------------------------------------------------------------------------------------------


def test_base_and_walls_of_a_cup_wherever_it_stands() -> None:
    mesh = cup(centre=(50.0, -20.0, 7.0))
    walls = walls_of(mesh)
    np.testing.assert_allclose(walls.axis, [0, 0, 1], atol=1e-12)
    radius = np.linalg.norm(mesh.points - [50.0, -20.0, 7.0], axis=1)
    np.testing.assert_array_equal(walls.epi, np.flatnonzero(np.abs(radius - OUTER) < 1e-6))
    np.testing.assert_array_equal(walls.lv, np.flatnonzero(np.abs(radius - INNER) < 1e-6))
    assert len(walls.rv) == 0
    np.testing.assert_allclose(mesh.points[walls.base, 2], 7.0, atol=1e-12)


def test_a_closed_shape_has_no_cavity() -> None:
    with pytest.raises(ProblemError, match="No cavity was found"):
        walls_of(box_mesh((4, 4, 4), (4, 4, 4)))


def test_a_piece_without_a_wall_is_named() -> None:
    mesh = joined(cup(8, 2), box_mesh((1, 1, 1), (0.5, 0.5, 0.5), fibre=None))
    with pytest.raises(ProblemError, match=r"1 of the 2 pieces .* 6 cells, one of them cell 7\d\d near"):
        rule_fibres(mesh, walls_of(mesh), Angles())


# ---- angles -------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def shell() -> tuple[TetMesh, RuleFibres]:
    mesh = cup(24, 6)
    return mesh, rule_fibres(mesh, walls_of(mesh), Angles())


def test_directions_are_orthonormal(shell: tuple[TetMesh, RuleFibres]) -> None:
    _, made = shell
    np.testing.assert_allclose(np.linalg.norm(made.fibres, axis=1), 1, atol=3e-7)  # float32
    np.testing.assert_allclose(np.linalg.norm(made.sheets, axis=1), 1, atol=3e-7)
    np.testing.assert_allclose(rows(made.fibres, made.sheets), 0, atol=3e-7)
    assert not made.lost.any()


def test_helix_and_sheet_angles_are_linear_through_the_wall(shell: tuple[TetMesh, RuleFibres]) -> None:
    """+60° to −60° and −65° to 25° in φ = (1/a − 1/r)/(1/a − 1/b), against directions of the sphere itself."""
    mesh, made = shell
    radius = np.linalg.norm(mesh.centroids, axis=1)
    outward = mesh.centroids / radius[:, None]
    around = np.cross([0.0, 0.0, 1.0], outward)
    around /= np.linalg.norm(around, axis=1)[:, None]
    upward = np.cross(outward, around)
    away = outward[:, 2] > -0.9  # at the apex there is no circumference
    x, y, _ = np.abs(mesh.centroids).T
    away &= np.abs(x - y) > 2.0  # where the corners of the bent square lie, cells are slivers
    depth = (1 / INNER - 1 / radius) / (1 / INNER - 1 / OUTER)
    forward = np.sign(rows(made.fibres, around))
    helix = np.degrees(np.arctan2(forward * rows(made.fibres, upward), forward * rows(made.fibres, around)))
    off = np.abs(helix - (60 - 120 * depth))[away]
    # gradients are means over edges h = 1 mm of directions that turn by h/r = 6° a cell: off by a fraction of that
    assert np.sqrt((off**2).mean()) < 2.0
    assert np.quantile(off, 0.99) < 6.0
    out_of_wall = 90 - degrees(rows(made.fibres, outward))
    assert out_of_wall[away].max() < 5.0
    beside = np.cross(outward, made.fibres)
    sheet = np.degrees(np.arctan(rows(made.sheets, beside) / rows(made.sheets, outward)))
    off = np.abs(sheet - (-65 + 90 * depth))[away]
    assert np.sqrt((off**2).mean()) < 2.0


def test_fibres_lie_in_the_surfaces() -> None:
    """Angle between the fibre of a surface cell and its facet, halved with the edge: gradients are recovered means."""
    worst = []
    for across, through in ((12, 3), (24, 6)):
        mesh = cup(across, through)
        boundary, walls = Boundary.of(mesh), walls_of(mesh)
        made = rule_fibres(mesh, walls, Angles())
        at_wall = ~np.isin(boundary.triangles, walls.base).all(axis=1)
        normals = boundary.areas[at_wall] / np.linalg.norm(boundary.areas[at_wall], axis=1)[:, None]
        out = 90 - degrees(rows(made.fibres[boundary.owners[at_wall]], normals))
        worst.append(float(np.quantile(out, 0.95)))
    assert worst[1] < 5.0  # an edge is 6° of the inner sphere; a facet and the sphere at a cell's centre differ by half
    assert worst[1] < 0.6 * worst[0]


def test_a_slab_is_exact() -> None:
    """In a flat wall φ is linear: in every cell the angle is that of its depth, but for the solver's tolerance."""
    mesh = box_mesh((4, 3, 6), (4, 3, 6), fibre=None)
    walls = slab_walls(Boundary.of(mesh), np.array([0.0, 0.0, 1.0]), np.array([0.0, 1.0, 0.0]))
    made = rule_fibres(mesh, walls, Angles(40.0, -50.0, 0.0, 0.0))
    wanted = np.radians(40 - 90 * mesh.centroids[:, 2] / 6)
    exact = np.stack([np.cos(wanted), np.sin(wanted), 0 * wanted], axis=1)
    assert degrees(rows(made.fibres, exact)).max() < 0.05  # float32: arccos of 1 − 6e-8 is 0.02°
    np.testing.assert_allclose(np.abs(made.sheets[:, 2]), 1, atol=1e-6)
    np.testing.assert_allclose(made.helix, np.degrees(wanted), atol=1e-3)


# ---- the demo heart -----------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def heart() -> tuple[TetMesh, Walls, RuleFibres]:
    mesh = read_mesh(str(files("sample_data") / "biventricular/heart.vtu"))
    walls = walls_of(mesh)
    return mesh, walls, rule_fibres(mesh, walls, Angles())


def test_surfaces_of_the_heart(heart: tuple[TetMesh, Walls, RuleFibres]) -> None:
    mesh, walls, _ = heart
    assert mesh.points[walls.rv, 0].mean() > 8 > 1 > mesh.points[walls.lv, 0].mean()  # right is +x
    np.testing.assert_allclose(walls.axis, [0, 0, 1], atol=1e-6)
    nameless = TetMesh(mesh.points, mesh.cells, mesh.regions)  # by the thicker wall
    np.testing.assert_array_equal(walls_of(nameless).lv, walls.lv)
    boundary = Boundary.of(mesh)
    base, axis = flat_cut(boundary, 45.0)
    swapped = ventricle_walls(mesh, boundary, base, axis, swapped=True)
    np.testing.assert_array_equal(swapped.lv, walls.rv)


def test_the_heart_has_the_fibres_that_its_generator_solved(heart: tuple[TetMesh, Walls, RuleFibres]) -> None:
    """Direct solver, other code for frames and quaternions, surfaces of the geometry's own; the file rounds to 0.1°."""
    mesh, _, made = heart
    off = degrees(rows(made.fibres, mesh.fibres))
    assert np.median(off) < 0.1
    assert np.quantile(off, 0.99) < 2.0
    assert (off > 30).mean() < 3e-4  # on the lines where three fields meet, the nearest of four frames is a close call
    assert np.quantile(degrees(rows(made.sheets, mesh.sheets)), 0.99) < 2.0


def test_no_flips_in_the_heart(heart: tuple[TetMesh, Walls, RuleFibres]) -> None:
    """From cell to cell fibres turn little (sheet of bounds: test_samples), at the right wall's insertion as well."""
    mesh, _, made = heart
    cell, face = np.nonzero(face_neighbours(mesh.cells) >= 0)
    other = face_neighbours(mesh.cells)[cell, face]
    turn = degrees(rows(made.fibres[cell], made.fibres[other]))
    assert np.median(turn) < 8
    assert np.quantile(turn, 0.99) < 30
    assert (turn > 45).mean() < 0.003


def test_every_wall_turns_the_same_way(heart: tuple[TetMesh, Walls, RuleFibres]) -> None:
    """Positive inside and negative outside in both free walls; in the septum, seen from the right, from left to right.

    Regions are thirds by the generator's own potentials: their middles are at 60° − 120°/6 = 40°, 0° and −40°.
    """
    mesh, _, made = heart
    for wall in ("LV {}", "RV {}"):
        for layer, wanted in (("endo", 40), ("mid", 0), ("epi", -40)):
            ids = [key for key, name in mesh.region_names.items() if name == wall.format(layer)]
            assert abs(np.median(made.helix[np.isin(mesh.regions, ids)]) - wanted) < 8  # cells crowd at the surfaces
    for name, wanted in (("septum LV endo", 40), ("septum mid", 0), ("septum RV endo", -40)):
        ids = [key for key, other in mesh.region_names.items() if other == name]
        assert abs(np.median(made.helix[np.isin(mesh.regions, ids)]) - wanted) < 8
