"""How many pixels the 3D part of a view is drawn with, and where in it things are, at any resolution."""

import numpy as np
import pytest

from tests.ui.scene.meshes import kuhn_cube
from tests.ui.scene.test_renderer import SIZE, canvas, egl, scene_with  # noqa: F401  # fixtures
from ui.scene.painter import Painter


@pytest.fixture
def scene():
    mesh = kuhn_cube(3)
    return scene_with(mesh, 0.0, np.full(mesh.n_cells, -1.0), front=False)


@pytest.mark.parametrize("resolution", [0.5, 1.0, 2.0])
def test_a_scene_has_as_many_pixels_as_its_resolution_asks_for(canvas, scene, resolution) -> None:  # noqa: F811
    """Twice as many a side as the window's are smoothed edges, half as many are cheap; the picture is the same."""
    painter = Painter()
    painter.draw_scene(scene, *SIZE, ratio=1.0, resolution=resolution)
    picture = painter.read_scene().astype(int)
    width, height = (round(side * resolution) for side in SIZE)
    assert picture.shape == (height, width, 4)
    corners, _ = scene.camera.to_pixels(scene.layer.mesh.points, *SIZE)
    background = picture[2, 2, :3]
    rows, columns = np.nonzero(np.abs(picture[..., :3] - background).sum(axis=2) > 60)
    drawn = [columns.min(), columns.max(), rows.min(), rows.max()]
    (left, top), (right, bottom) = corners.min(axis=0), corners.max(axis=0)
    assert np.array(drawn) / resolution == pytest.approx([left, right, top, bottom], abs=3 / resolution + 1)
    painter.release()


def test_a_scene_of_a_few_points_is_drawn_all_the_same(canvas, scene) -> None:  # noqa: F811
    painter = Painter()
    painter.draw_scene(scene, 20, 10, ratio=1.0, resolution=0.5)
    assert painter.read_scene().shape == (16, 16, 4)
    painter.release()


def test_a_picture_that_is_narrower_than_the_view_shows_all_of_its_width(canvas, scene, monkeypatch) -> None:  # noqa: F811
    """As a movie in another shape: what is zoomed in on was cropped left and right. The view stays as it is."""
    painter, (width, height), across = Painter(), SIZE, []
    scene.auto_fit, scene.aspect = False, width / height
    scene.camera.distance *= 0.8
    before, center = scene.camera.distance, scene.camera.center
    beside = [center - scene.camera.axes[0], center + scene.camera.axes[0]]

    def paint(scene, width, height, *_, **__) -> None:
        across.append(np.ptp(scene.camera.to_pixels(beside, width, height)[0][:, 0]) / width)

    monkeypatch.setattr(painter, "paint", paint)
    for size in (SIZE, (height // 2, height), (2 * width, height)):
        painter.read(scene, *size, 1.0, 1.0)
    shown, narrow, wide = across
    assert narrow == pytest.approx(shown)
    assert wide == pytest.approx(shown / 2)
    assert scene.camera.distance == before
    painter.release()
