"""Surfaces of objects, for pictures: with their copies, as far as they are in the grid; and colours of materials."""

from __future__ import annotations

import numpy as np
import pytest

from engines.fdtd.parameters import (
    Box,
    FdtdParameters,
    GridSetting,
    Material,
    Painted,
    PictureObject,
    Sphere,
    SurfaceObject,
    Torus,
)
from engines.fdtd.parameters.placing import Lattice, Turn
from engines.fdtd.placing.placement import placement_of
from engines.fdtd.placing.surfaces import METAL, colour_of
from tests.engines.geometry.test_faces import volume

GRID = GridSetting(cells_x=40, cells_y=40, cells_z=40, size_x=4.0, size_y=4.0, size_z=4.0)


def faces(item):
    parameters = FdtdParameters(grid=GRID, objects=[item], materials=[Material()])
    return placement_of(parameters).at(("objects", 0)).faces()


def test_a_turned_box_and_its_copies_have_their_volume() -> None:
    box = Box(low=(0.5, 0.5, 0.5), high=(1.0, 1.0, 1.5), turn=Turn(axis=(0, 0, 1), angle=30.0))
    assert volume(faces(box)) == pytest.approx(0.25)
    copies = Lattice(counts=(2, 3, 1), first=(1.5, 0, 0), second=(0, 1.0, 0), omitted=[(1, 2, 0)])
    assert volume(faces(box.model_copy(update={"copies": copies}))) == pytest.approx(5 * 0.25)


def test_what_reaches_beyond_the_grid_ends_there() -> None:
    found = faces(Box(low=(-9.0, 1.0, 1.0), high=(9.0, 2.0, 2.0)))
    assert volume(found) == pytest.approx(4.0)
    ball = faces(Sphere(center=(2.0, 2.0, 0.0), radius=1.0))
    assert volume(ball) == pytest.approx(2 / 3 * np.pi, rel=0.01), "half of it"
    assert ball.points.min() >= 0.0


def test_a_torus_paint_and_a_picture(tmp_path) -> None:
    """A picture of 4 × 2 pixels whose left half is dark, and spots one by one."""
    from workbench.export.png import encode_png

    assert volume(faces(Torus(radius=1.0, tube_radius=0.3))) == pytest.approx(2 * np.pi**2 * 0.09, rel=0.015)
    spots = faces(Painted(spots=[(1.0, 1.0, 1.0, 0.5), (3.0, 3.0, 3.0, 0.5)]))
    assert volume(spots) == pytest.approx(2 * 4 / 3 * np.pi * 0.125, rel=0.01)
    pixels = np.full((2, 4, 4), 255, np.uint8)
    pixels[:, :2, :3] = 0
    (tmp_path / "half.png").write_bytes(encode_png(pixels))
    drawn = PictureObject(picture=str(tmp_path / "half.png"), low=1.0, high=3.0, corner=(1.0, 1.0), size=(2.0, 1.0))
    found = faces(drawn)
    assert volume(found) == pytest.approx(1.0 * 1.0 * 2.0)
    assert found.points[:, 0].max() == pytest.approx(2.0)


def test_a_file_that_is_not_there_is_not_drawn() -> None:
    parameters = FdtdParameters(grid=GRID, objects=[SurfaceObject(file="/no/such.stl")], materials=[Material()])
    assert placement_of(parameters).at(("objects", 0)).faces is None


def test_colours_of_materials() -> None:
    gold = colour_of(Material(name="film", library="Au"))
    assert gold == colour_of(Material(name="Gold film"))
    assert gold[0] > gold[1] > gold[2], "it is yellow"
    assert colour_of(Material(name="screen", perfect_conductor=True)) == METAL
    assert colour_of(Material(name="rods")) is None, "a tint of the list, that differs from the others"
    assert colour_of(Material(name="salt")) is None, "al within a word is no aluminium"
    assert colour_of(None) is None
