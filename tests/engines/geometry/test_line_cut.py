"""Lines through geometries: values are those of analytic fields at the points of the line.

Trilinear and barycentric interpolation give linear fields to rounding (1e-12); sin(kx) on cells of size h deviates by
at most (kh)²/8, the remainder of linear interpolation.
"""

import numpy as np
import pytest

from engines.api.errors import ProblemError
from engines.geometry.grid import Grid, rectilinear
from engines.geometry.line_cut import line_cut
from engines.geometry.meshes.box import box_mesh
from engines.geometry.particles import Particles


def along(start, end, distance):
    a, b = np.array(start, float), np.array(end, float)
    return a + distance[:, None] * (b - a) / np.linalg.norm(b - a)


def gathered(cut, values):
    """As a simulation whose ``values`` stand at elements answers its selection."""
    selection = cut.selection
    if selection.offsets is None:
        return values[selection.elements]
    runs = zip(selection.offsets[:-1], selection.offsets[1:], strict=True)
    return np.array([values[selection.elements[begin:end]].mean() for begin, end in runs])


def linear(points):
    return 3.0 + 2.0 * points[:, 0] - 1.5 * points[:, 1] + 0.25 * points[:, 2]


@pytest.mark.parametrize(
    "grid",
    [
        Grid((9, 7, 11), (0.5, 0.25, 1.0), (-1.0, 2.0, 0.0)),
        rectilinear([np.array([0, 1, 1.5, 3, 7.0]), np.array([0, 2, 2.5, 4.0]), np.array([-1, 0, 3, 4.0])]),
    ],
    ids=["uniform", "graded"],
)
def test_a_linear_field_on_a_grid_is_met_between_the_outermost_centres(grid):
    low, high = grid.centers(np.array([0, grid.n_cells - 1]))
    cut = line_cut(grid, low, high)
    values = cut.values(gathered(cut, linear(grid.centers(np.arange(grid.n_cells)))))
    np.testing.assert_allclose(values, linear(along(low, high, cut.distance)), atol=1e-12)


def test_a_sine_on_a_flat_grid_is_met_as_well_as_straight_lines_do_and_no_value_is_outside():
    grid, k = Grid((40, 80), (0.1, 0.1), (0.0, 0.0, 5.0)), 3.0
    start, end = (0.05, 1.0, 0.0), (12.0, 1.0, 0.0)
    cut = line_cut(grid, start, end, count=500)
    values = cut.values(gathered(cut, np.sin(k * grid.centers(np.arange(grid.n_cells))[:, 0])))
    x = along(start, end, cut.distance)[:, 0]
    assert np.isnan(values[x > 8.0 + 1e-9]).all()
    np.testing.assert_allclose(values[x < 7.95], np.sin(k * x[x < 7.95]), atol=(k * 0.1) ** 2 / 8)


def test_values_at_the_corners_of_tetrahedra_are_met_between_them():
    mesh = box_mesh((8, 4, 2), (4.0, 2.0, 1.0), jitter=0.2)
    start, end = (-1.0, 0.1, 0.9), (5.0, 1.9, 0.2)
    cut = line_cut(mesh, start, end)
    at_corners = linear(mesh.points[cut.selection.points])
    values, points = cut.values(at_corners), along(start, end, cut.distance)
    inside = ((points >= 0) & (points <= (4.0, 2.0, 1.0))).all(axis=1)
    assert inside.sum() > 100
    np.testing.assert_allclose(values[inside], linear(points[inside]), atol=1e-12)
    assert np.isnan(values[~inside]).all()


def test_values_of_cells_that_do_not_mix_stand_once_for_each_cell_in_the_middle_of_its_part():
    mesh = box_mesh((8, 4, 2), (4.0, 2.0, 1.0), jitter=0.2)
    cut = line_cut(mesh, (0.0, 0.3, 0.3), (4.0, 0.3, 0.3), count=4001, mixed=False)
    cells = cut.selection.elements[cut.rows[:, 0]]
    assert len(cells) == len(set(cells.tolist()))
    np.testing.assert_array_equal(cut.values(gathered(cut, np.arange(mesh.n_cells))), cells)
    inside = along((0.0, 0.3, 0.3), (4.0, 0.3, 0.3), cut.distance)
    corners = mesh.points[mesh.cells[cells]]
    four = np.linalg.solve(
        np.concatenate([corners.transpose(0, 2, 1), np.ones((len(cells), 1, 4))], axis=1),
        np.concatenate([inside, np.ones((len(cells), 1))], axis=1)[:, :, None],
    )
    assert four.min() > -1e-9  # each middle lies in its cell


def test_the_squares_of_a_lattice_have_their_own_values_and_holes_none():
    x, y = np.meshgrid(np.arange(10), np.arange(6))
    cells = np.stack([x.ravel(), y.ravel(), 0 * x.ravel()], axis=1)
    cells = cells[(cells[:, 0] < 4) | (cells[:, 0] > 5)]  # a gap
    body = Particles(cells + 0.5, np.full(len(cells), 0.5), "mm", cells)
    cut = line_cut(body, (0.0, 2.7, 0.0), (10.0, 2.7, 0.0))
    values = cut.values(gathered(cut, body.positions[:, 0]))
    known = np.isfinite(values)
    np.testing.assert_allclose(values[known], [0.5, 1.5, 2.5, 3.5, 6.5, 7.5, 8.5, 9.5])
    np.testing.assert_allclose(cut.distance[known], values[known], atol=0.06)  # of 101 points in 10 mm


def test_a_line_through_a_sphere_sees_its_shells():
    ball = Particles(np.array([[0.0, 0.0, 0.0], [5.0, 0.0, 0.0]]), np.array([2.0, 1.0]))
    cut = line_cut(ball, (-3.0, 0.0, 0.0), (3.0, 0.0, 0.0), count=601, shells=True)
    shells = np.arange(10) + np.array([[0.0], [100.0]])
    values, x = cut.values(shells[cut.selection.elements]), cut.distance - 3.0
    apart = np.abs(np.abs(5 * x) - np.round(np.abs(5 * x))) > 1e-6  # off the walls between shells
    within = (np.abs(x) < 1.999) & apart
    np.testing.assert_array_equal(values[within], np.floor(np.abs(x[within]) * 5))
    assert np.isnan(values[np.abs(x) > 2.001]).all()


def test_vectors_are_told_by_their_length():
    grid = Grid((4, 4), (1.0, 1.0))
    cut = line_cut(grid, (0.5, 0.5), (3.5, 0.5))
    np.testing.assert_allclose(cut.values(np.tile([3.0, 4.0, 0.0], (len(cut.selection), 1))), 5.0)


def test_lines_that_say_nothing_are_refused_with_a_sentence():
    grid = Grid((4, 4), (1.0, 1.0))
    with pytest.raises(ProblemError, match="two different points"):
        line_cut(grid, (1, 1), (1, 1))
    with pytest.raises(ProblemError, match=r"meets nothing: the geometry lies between \(0, 0, 0\) and \(4, 4, 0\) mm"):
        line_cut(grid, (10, 1), (12, 1))


def test_more_points_than_memory_has_are_refused():
    """A thousand million of them were worked out."""
    with pytest.raises(ProblemError, match="A line has at most 1,000,000 points, not 1,000,001: take fewer"):
        line_cut(Grid((4, 4), (1.0, 1.0)), (0, 0), (4, 4), count=1_000_001)
