"""Angles on a surface: means are those of directions, and colours go round without a seam."""

from dataclasses import replace

import numpy as np
import pytest

from engines.api import FieldInfo
from engines.geometry.meshes.adjacency import cells_at
from tests.ui.scene.meshes import info, kuhn_cube
from tests.ui.scene.test_renderer import SIZE, canvas, egl, pixels  # noqa: F401  # fixtures
from ui.scene.colormaps import colormap
from ui.scene.scene import Scene
from ui.scene.shapes.surface import surface
from ui.scene.shapes.vertex_means import VertexMeans
from workbench.project.project import CameraView, ViewSettings

PHASE = FieldInfo("phase", "Phase", "rad", "cell", (-np.pi, np.pi), "cycle", cyclic=True)


def test_the_mean_of_angles_beside_the_seam_lies_there() -> None:
    mesh = kuhn_cube(2)
    means = VertexMeans(cells_at(mesh, surface(mesh).nodes))
    values = np.where(np.arange(mesh.n_cells) % 2, np.pi - 0.1, -np.pi + 0.1).astype(np.float32)
    asked = values[means.selection(PHASE).elements]
    off = np.abs(means.reduce(PHASE, asked))  # the seam is at ±π
    assert off.min() > np.pi - 0.1001
    assert means.reduce(PHASE, np.full_like(asked, 0.3)) == pytest.approx(0.3, abs=1e-6)
    np.testing.assert_array_equal(means.of_whole(PHASE, values), asked)


def test_angles_are_averaged_in_the_range_of_their_field() -> None:
    """Degrees from 0 to 360: the mean of 10 and 30 is 20, and that of 350 and 30 is 10."""
    degrees = replace(PHASE, unit="°", range=(0.0, 360.0))
    mesh = kuhn_cube(2)
    means = VertexMeans(cells_at(mesh, surface(mesh).nodes))
    two = means._offsets[:-1][np.diff(means._offsets) == 2][0]
    for one, other, mean in ((10.0, 30.0, 20.0), (350.0, 30.0, 10.0)):
        values = np.full(mesh.n_cells, one, np.float32)
        values[means.cells.elements[two + 1]] = other
        answer = means.reduce(degrees, values[means.selection(degrees).elements])
        assert answer[means._offsets[:-1] == two] == pytest.approx(mean, abs=1e-3)


def test_a_turn_over_a_face_goes_once_through_the_map(canvas) -> None:  # noqa: F811
    """The phase runs along y, half a turn over the cube, across the seam: no pixel has a colour of the other half."""
    mesh = kuhn_cube(10)
    scene = Scene()
    scene.set_geometry(mesh)
    scene.info = replace(info(mesh), fields=(PHASE,), front=None)
    scene.apply_view(ViewSettings(camera=CameraView(azimuth=0.0, elevation=0.0)), SIZE[0] / SIZE[1])
    angle = np.pi / 2 + np.pi * mesh.centroids[:, 1] / 10.0
    wrapped = (angle + np.pi) % (2 * np.pi) - np.pi
    scene.show_fields({"phase": wrapped.astype(np.float32)}, 1.0)
    row = pixels(scene)[SIZE[1] // 2, :, :3]
    drawn = row[row.sum(axis=1) > 0]
    lut = colormap("cycle", dark=True).astype(int)
    allowed = np.concatenate([lut[180:], lut[:76]])  # phases from π/2 to 3π/2, and a little
    nearest = np.abs(drawn[:, None] - allowed[None]).max(axis=2).min(axis=1)
    assert nearest.max() <= 6  # between two entries of the map, and rounding
    place = np.abs(drawn[:, None] - lut[None]).max(axis=2).argmin(axis=1)
    assert ((place - 128) % 256 > 40).all()


@pytest.mark.parametrize(("elevation", "normal"), [(0.0, (0.8660254, 0.5, 0.0)), (40.0, (0.8660254, 0.5, 0.0)),
                                                   (89.0, (0.0, 0.0, 1.0))])  # fmt: skip
def test_a_cut_stands_upright_and_faces_the_viewer_and_lies_where_one_looks_from_above(elevation, normal):
    scene = Scene()
    scene.set_geometry(kuhn_cube(2))
    scene.apply_view(ViewSettings(camera=CameraView(azimuth=30.0, elevation=elevation)), 1.5)
    clip = scene.default_clip()
    assert clip.normal == pytest.approx(normal)
    assert clip.origin == pytest.approx((5.0, 5.0, 5.0))
