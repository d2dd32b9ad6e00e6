"""Objects as cells: which middles of cells they hold, against plain formulas."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image

from engines.api import Problem
from engines.api.errors import ProblemError
from engines.backend.cpu import CpuBackend
from engines.fdtd.engine import FdtdEngine
from engines.fdtd.media.solids.picture import PictureSolid
from engines.fdtd.media.solids.shapes import cells_of, fillings_of
from engines.fdtd.parameters import (
    Box,
    Cone,
    Cylinder,
    Ellipsoid,
    FdtdParameters,
    GridSetting,
    Lattice,
    Material,
    Outline,
    Painted,
    PictureObject,
    Polygon,
    Ring,
    Rod,
    Sphere,
    SurfaceObject,
    Torus,
    Turn,
)
from engines.fdtd.setup.grid import make_yee
from engines.geometry.solids.solid import grid_points
from tests.engines.fdtd.stl_cases import cube, write_binary

GRID = GridSetting(cells_x=37, cells_y=41, cells_z=33, size_x=3.7, size_y=4.1, size_z=3.3)
MATERIALS = [Material(name="a"), Material(name="b")]
YEE = make_yee(GRID)
X, Y, Z = grid_points(*(YEE.halves(axis) for axis in range(3))).T
C = (1.83, 2.07, 1.64)
DX, DY, DZ = X - C[0], Y - C[1], Z - C[2]
COS, SIN = np.cos(np.radians(30)), np.sin(np.radians(30))


def problem(*objects) -> FdtdParameters:
    return FdtdParameters(grid=GRID, materials=MATERIALS, objects=list(objects))


def filled(*objects):
    return cells_of(problem(*objects), YEE).reshape(-1)


def rod_by_hand():
    start, end = np.array((0.6, 0.9, 0.7)), np.array((2.9, 3.0, 2.2))
    d = (end - start) / np.linalg.norm(end - start)
    away = np.stack([X, Y, Z], axis=1) - start
    along = away @ d
    across = np.linalg.norm(np.cross(away, d), axis=1)
    return (along > 0) & (along < np.linalg.norm(end - start)) & (across < 0.43)


CASES = {
    "ellipsoid": (
        Ellipsoid(material="a", center=C, radii=(1.1, 0.7, 0.9), turn=Turn(angle=30)),
        ((DX * COS + DY * SIN) / 1.1) ** 2 + ((DY * COS - DX * SIN) / 0.7) ** 2 + (DZ / 0.9) ** 2 < 1,
    ),
    "box": (
        Box(material="a", low=(0.83, 1.57, 1.34), high=(2.83, 2.57, 1.94), turn=Turn(angle=30, axis=(0, -2, 0))),
        (np.abs(DX * COS + DZ * SIN) < 1) & (np.abs(DY) < 0.5) & (np.abs(DZ * COS - DX * SIN) < 0.3),
    ),
    "rod": (Rod(material="a", start=(0.6, 0.9, 0.7), end=(2.9, 3.0, 2.2), radius=0.43), rod_by_hand()),
    "cone": (
        Cone(material="a", center=C, axis="x", radius_low=0.9, radius_high=0.3, length=2.0),
        (np.abs(DX) < 1) & (np.hypot(DY, DZ) < 0.6 - 0.3 * DX),
    ),
    "ring": (
        Ring(material="a", center=C, axis="y", radius=1.1, width=0.4, height=0.5),
        (np.abs(DY) < 0.25) & (np.abs(np.hypot(DX, DZ) - 1.1) < 0.2),
    ),
    "torus": (
        Torus(material="a", center=C, axis="x", radius=1.0, tube_radius=0.37),
        np.hypot(np.hypot(DY, DZ) - 1.0, DX) < 0.37,
    ),
    "polygon": (
        Polygon(
            material="a", axis="y", low=0.8, high=3.1, points=[(0.51, 0.52), (3.01, 0.52), (0.51, 3.02)],
            holes=[Outline(points=[(0.91, 0.91), (1.51, 0.91), (1.51, 1.51), (0.91, 1.51)])],
        ),
        (Y > 0.8) & (Y < 3.1) & (X > 0.51) & (Z > 0.52) & (X + Z < 3.53)
        & ~((X > 0.91) & (X < 1.51) & (Z > 0.91) & (Z < 1.51)),
    ),
    "painted": (
        Painted(material="a", spots=[(*C, 0.5), (1.0, 1.0, 1.0, 0.3)]),
        (DX**2 + DY**2 + DZ**2 < 0.25) | ((X - 1) ** 2 + (Y - 1) ** 2 + (Z - 1) ** 2 < 0.09),
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_cells_are_those_whose_middles_an_object_holds(case):
    item, right = CASES[case]
    np.testing.assert_array_equal(filled(item) == 1, right)
    assert right.sum() > 100


@pytest.mark.parametrize("case", CASES)
def test_points_are_held_as_cells_are_and_lie_within_the_bounds(case):
    """What smoothing asks for."""
    points = np.stack([X, Y, Z], axis=1)
    held = np.zeros(len(points), bool)
    for _, _, solid in fillings_of(problem(CASES[case][0])):
        found = solid.contains(points)
        low, high = solid.bounds()
        assert ((points[found] >= low) & (points[found] <= high)).all()
        held |= found
    np.testing.assert_array_equal(held, CASES[case][1])


def test_copies_stand_on_a_lattice_without_the_omitted_sites():
    """A triangular lattice of rods with a bend taken out, cut out of a slab."""
    lattice = Lattice(counts=(4, 3, 1), first=(0.8, 0, 0), second=(0.4, 0.7, 0), omitted=[(1, 0, 0), (1, 1, 0)])
    hole = Cylinder(material="vacuum", center=(0.63, 1.02, 1.6), radius=0.23, length=9, copies=lattice)
    slab = Box(material="b", low=(0, 0, 1.0), high=(3.7, 4.1, 2.0))
    right = np.where((Z > 1) & (Z < 2), 2, 0)
    for i in range(4):
        for j in range(3):
            if (i, j) not in ((1, 0), (1, 1)):
                right[np.hypot(X - 0.63 - 0.8 * i - 0.4 * j, Y - 1.02 - 0.7 * j) < 0.23] = 0
    np.testing.assert_array_equal(filled(slab, hole), right)


def picture(tmp_path) -> str:
    """Two columns, three rows: black, grey; white, black; grey, white from the top."""
    path = tmp_path / "levels.png"
    Image.fromarray(np.array([[0, 128], [255, 0], [128, 255]], np.uint8)).save(path)
    return str(path)


def test_what_is_transparent_in_a_picture_is_nothing(tmp_path):
    """A black drawing on a transparent ground, below which editors leave black."""
    pixels = np.zeros((6, 8, 4), np.uint8)
    pixels[1:3, 2:7, 3] = 255
    Image.fromarray(pixels).save(tmp_path / "drawing.png")
    solid = PictureSolid(str(tmp_path / "drawing.png"), 2, 0.0, 1.0, (0.0, 0.0), (8.0, 6.0), (0.0, 0.5))
    u, v = (each.ravel() + 0.5 for each in np.meshgrid(np.arange(8.0), np.arange(6.0)))
    assert solid.covers(u, v).reshape(6, 8)[::-1].tolist() == (pixels[:, :, 3] > 0).tolist()


def test_a_picture_is_drawn_out_by_its_brightness(tmp_path):
    place = {"picture": picture(tmp_path), "axis": "x", "low": 0.9, "high": 2.1, "corner": (0.5, 0.7), "size": (2, 1.8)}
    dark = PictureObject(material="a", brightest=0.2, **place)
    grey = PictureObject(material="b", darkest=0.4, brightest=0.6, **place)
    within = (X > 0.9) & (X < 2.1)
    column, row = np.floor(Y - 0.5).astype(int), np.floor((Z - 0.7) / 0.6 + 1e-9).astype(int)
    right = np.zeros(len(X), int)
    for wanted, number in (((0, 2), 1), ((1, 1), 1), ((0, 0), 2), ((1, 2), 2)):
        right[within & (column == wanted[0]) & (row == wanted[1])] = number
    np.testing.assert_array_equal(filled(dark, grey), right)


def test_a_surface_is_an_object_like_others(tmp_path):
    path = write_binary(tmp_path / "cube.stl", cube())
    lattice = Lattice(counts=(2, 1, 1), first=(1.5, 0, 0))
    cells = filled(SurfaceObject(material="b", file=path, scale=1.2, shift=(0.41, 0.52, 0.63), copies=lattice))
    inside = (Y > 0.52) & (Y < 1.72) & (Z > 0.63) & (Z < 1.83)
    along = ((X > 0.41) & (X < 1.61)) | ((X > 1.91) & (X < 3.11))
    np.testing.assert_array_equal(cells, np.where(inside & along, 2, 0))


@pytest.mark.parametrize(
    ("item", "sentence"),
    [
        (Polygon(material="a", points=[(1, 1), (2, 1)]), r"Object 1 \(polygon\): Its outline has 2 different corners"),
        (Polygon(material="a", points=[(1, 1), (1, 1), (2, 1)]), "has 2 different corners"),
        (Polygon(material="a", points=[(1, 1), (2, 2), (2, 1), (1, 2)]), r"crosses itself: the line from \(1, 1\)"),
        (Polygon(material="a", low=2, high=1), "ends at 1 and begins at 2"),
        (PictureObject(material="a"), r"Object 1 \(picture\): No picture is chosen"),
        (PictureObject(material="a", picture="/no/such.png"), "Its picture '/no/such.png' is not there"),
        (PictureObject(material="a", picture=__file__), "is not a picture that can be read"),
        (SurfaceObject(material="a"), "No STL file is chosen"),
        (SurfaceObject(material="a", file="/no/such.stl"), "is not there"),
        (Rod(material="a", start=(1, 1, 1), end=(1, 1, 1)), "Both ends are at one point"),
        (Box(material="a", turn=Turn(angle=5, axis=(0, 0, 0))), "axis of a turn has no direction"),
        (Sphere(material="a", copies=Lattice(counts=(999, 999, 1))), "998,001 copies"),
        (Sphere(material="a", copies=Lattice(counts=(2, 2, 1), omitted=[(2, 0, 0)])), r"has no site \(2, 0, 0\)"),
        (Sphere(material="gold"), "'gold', which is not among the materials"),
    ],
)
def test_a_bad_object_is_refused_before_the_run(item, sentence):
    with pytest.raises(ProblemError, match=sentence) as caught:
        FdtdEngine().estimate(Problem(problem(item)), CpuBackend())
    assert caught.value.place[:2] == ("objects", 0)


def test_objects_that_cannot_be_seen_are_told():
    objects = [
        Sphere(material="a", center=(9, 9, 9)),
        Box(material="a", low=(1, 1, 1), high=(2, 2, 1.03)),
        Box(material="a", low=(1, 1, 1), high=(2, 2, 1.1)),
        Sphere(material="a", center=C, copies=Lattice(counts=(9, 1, 1))),
    ]
    found = FdtdEngine().estimate(Problem(problem(*objects)), CpuBackend()).findings
    told = [finding.message for finding in found if "Object" in finding.message]
    assert told == [
        "Object 1 (sphere) lies outside of the grid: it counts for nothing.",
        "Object 2 (box) is 0.3 cells thick along z: use smaller cells to resolve it.",
    ]
