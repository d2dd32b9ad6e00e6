"""Surfaces from STL files: read, checked, filled, on both devices."""

from __future__ import annotations

import numpy as np
import pytest

from engines.api.errors import ProblemError
from engines.geometry.solids.solid import grid_points, rotation_matrix
from engines.geometry.solids.surface import SurfaceSolid
from engines.geometry.solids.voxels import windings_on_cpu, windings_on_gpu
from tests.cuda_on_host.backend import HostCudaBackend
from tests.cuda_on_host.loader import COMPILER
from tests.engines.fdtd.stl_cases import cube, torus, write_binary, write_text

NOWHERE = (0.0, 0.0, 0.0)


def axes(n: int = 32, reach: float = 1.0):
    at = (np.arange(n) + 0.5) / n * 2 * reach - reach
    return at, at, at


def test_a_torus_is_filled_where_it_is(tmp_path):
    """Triangles stray from the torus by the sagitta of a chord, R(1 − cos(π/n)): closer cells are left out."""
    solid = SurfaceSolid(write_binary(tmp_path / "torus.stl", torus(80, 60)), 1.0, NOWHERE, None)
    x, y, z = axes(48)
    found = solid.on_grid(x, y, z)
    points = grid_points(x, y, z)
    distance = np.hypot(np.hypot(points[:, 0], points[:, 1]) - 0.7, points[:, 2]) - 0.25
    sure = np.abs(distance) > 0.95 * (1 - np.cos(np.pi / 80)) + 0.25 * (1 - np.cos(np.pi / 60))
    assert sure.mean() > 0.98
    np.testing.assert_array_equal(found.reshape(-1)[sure], distance[sure] < 0)


def test_points_and_cells_are_decided_alike(tmp_path):
    rotation = rotation_matrix((1.0, 2.0, 0.5), 40.0)
    solid = SurfaceSolid(write_binary(tmp_path / "torus.stl", torus()), 1.0, (0.05, 0.0, 0.1), rotation)
    x, y, z = axes(14, 1.2)
    np.testing.assert_array_equal(solid.contains(grid_points(x, y, z)), solid.on_grid(x, y, z).reshape(-1))


def test_rays_through_corners_and_edges_slip_nowhere(tmp_path):
    """A cube whose corners, sides and diagonals lie on the points of the grid: the lower faces belong to it."""
    solid = SurfaceSolid(write_text(tmp_path / "cube.stl", cube()), 1.0, NOWHERE, None)
    at = np.arange(-2, 7) / 4
    inside = (at >= 0) & (at < 1)
    expected = inside[:, None, None] & inside[:, None] & inside
    np.testing.assert_array_equal(solid.on_grid(at, at, at), expected)
    np.testing.assert_array_equal(solid.contains(grid_points(at, at, at)).reshape(expected.shape), expected)


def test_it_is_scaled_then_shifted_then_turned(tmp_path):
    path = write_binary(tmp_path / "cube.stl", cube(high=(2.0, 1.0, 1.0)))
    solid = SurfaceSolid(path, 0.5, (1.0, 1.0, 1.0), rotation_matrix((0, 0, 1), 90))
    np.testing.assert_allclose(solid.bounds(), [(1.25, 0.75, 1.0), (1.75, 1.75, 1.5)], atol=1e-15)


def test_turned_triangles_do_not_matter(tmp_path):
    triangles = torus()
    rng = np.random.default_rng(5)
    mixed = triangles.copy()
    some = rng.random(len(mixed)) < 0.4
    mixed[some] = mixed[some][:, ::-1]
    right, wrong = (
        SurfaceSolid(write_binary(tmp_path / f"{name}.stl", each), 1.0, NOWHERE, None).on_grid(*axes())
        for name, each in (("right", triangles), ("mixed", mixed))
    )
    assert right.any()
    np.testing.assert_array_equal(wrong, right)


def test_a_hollow_body_keeps_its_hollow(tmp_path):
    inner = cube((0.3, 0.3, 0.3), (0.7, 0.7, 0.7))[:, ::-1]
    solid = SurfaceSolid(write_binary(tmp_path / "hollow.stl", np.concatenate([cube(), inner])), 1.0, NOWHERE, None)
    assert solid.contains(np.array([[0.1, 0.5, 0.5], [0.5, 0.5, 0.5], [0.5, 0.5, 0.8]])).tolist() == [True, False, True]


@pytest.mark.skipif(COMPILER is None, reason="no C++ compiler, or not Linux")
@pytest.mark.parametrize("shape", ["torus", "cube", "overlap"])
def test_the_device_finds_the_same_to_the_last_bit(shape):
    soup = {
        "torus": torus(30, 20),
        "cube": cube(),
        "overlap": np.concatenate([cube(), cube((0.5, 0.5, 0.5), (1.5, 1.5, 1.5)), torus(9, 7)]),
    }[shape]
    corners, triangles = np.unique(soup.reshape(-1, 3), axis=0, return_inverse=True)
    corners = corners.astype(float)
    if shape == "torus":
        corners = np.ascontiguousarray(corners @ rotation_matrix((1, 2, 3), 25.0).T)
    triangles = triangles.reshape(-1, 3).astype(np.int32)
    x, y, z = np.arange(-5, 8) / 4 + 0.0, np.arange(-6, 8) / 4, np.arange(-3, 7) / 4
    expected = windings_on_cpu(corners, triangles, x, y, z)
    assert expected.any()
    np.testing.assert_array_equal(windings_on_gpu(HostCudaBackend(), corners, triangles, x, y, z), expected)


@pytest.mark.parametrize("shape", [cube(), torus(20, 15)])
def test_corners_that_differ_by_what_the_file_rounds_are_one(tmp_path, shape):
    """0 here and -2.9e-16 there, as programs write that work a corner out for each triangle: 128 edges were "open"."""
    off = np.random.default_rng(2).choice([0.0, -2.9e-16, 1e-7], shape.shape)
    right, found = (
        SurfaceSolid(write_binary(tmp_path / f"{name}.stl", each), 1.0, NOWHERE, None).on_grid(*axes())
        for name, each in (("right", shape), ("rounded", shape + off))
    )
    assert right.any()
    np.testing.assert_array_equal(found, right)
    apart = shape + np.where(np.arange(len(shape)) == 0, 1e-4, 0.0)[:, None, None]
    with pytest.raises(ProblemError, match="is open at 6 edges"):
        SurfaceSolid(write_binary(tmp_path / "apart.stl", apart), 1.0, NOWHERE, None)


@pytest.mark.parametrize(
    ("triangles", "sentence"),
    [
        (cube()[:-1], "is open at 3 edges, the first between"),
        (cube()[:3], "3 triangles"),
        (np.concatenate([cube(), cube((0.5, 0.5, 0.5), (1.5, 1.5, 1.5))]), "crosses itself: 4,096 cells"),
    ],
)
def test_a_bad_surface_is_refused_in_a_sentence(tmp_path, triangles, sentence):
    path = write_binary(tmp_path / "bad.stl", triangles)
    at = (np.arange(64) + 0.5) / 32
    with pytest.raises(ProblemError, match=sentence):
        SurfaceSolid(path, 1.0, NOWHERE, None).on_grid(at, at, at)


def test_files_that_are_none_are_refused(tmp_path):
    for content in (
        b"",
        b"solid x\nfacet\nvertex 1 2",
        b"solid x\nvertex 1 2 a vertex 1 2 3 vertex 1 2 3",
        b"\0" * 200,
    ):
        path = tmp_path / "none.stl"
        path.write_bytes(content)
        with pytest.raises(ProblemError, match=r"STL file"):
            SurfaceSolid(str(path), 1.0, NOWHERE, None)
    for path in ("", str(tmp_path / "gone.stl")):
        with pytest.raises(ProblemError, match="choose"):
            SurfaceSolid(path, 1.0, NOWHERE, None)
