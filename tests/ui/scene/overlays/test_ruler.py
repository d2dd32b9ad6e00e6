"""Names of axes are in the picture, also where a wide and low one leaves no room below the figures."""

from itertools import combinations, product

import numpy as np
import pytest

from engines.api import FieldInfo
from engines.geometry.grid import Grid
from tests.ui.scene.test_categories import scene_of
from ui.scene.cameras.room import BESIDE_PLATES
from ui.scene.overlays.hud import Hud
from ui.scene.overlays.ruler import ruler


@pytest.mark.parametrize("size", [(914, 344), (914, 540), (1200, 620), (420, 700), (600, 900), (700, 240)])
def test_both_names_are_in_the_picture_and_on_no_figure(size):
    scene = scene_of(Grid((256, 256), (300 / 256,) * 2), FieldInfo("u", "u", "", "grid", (0.0, 1.0)))
    scene.camera.apply(scene.home, size[0] / size[1])
    labels, _ = ruler(scene, *size, 1.0)
    names = [label for label in labels if label.faint]
    assert [label.text[0] for label in names] == ["x", "y"]
    for label in names:
        half = 3.0 * len(label.text)
        assert half < label.middle[0] < size[0] - half
        assert 7 < label.middle[1] < size[1] - 7
        for other in labels:
            if other is not label:
                apart = np.abs(np.subtract(label.middle, other.middle))
                assert apart[0] > 3.2 * (len(label.text) + len(other.text)) or apart[1] > 12, other.text


@pytest.mark.parametrize("size", [(674, 390), (674, 486), (480, 380), (1176, 720)])
@pytest.mark.parametrize("shape", [(96, 96, 96), (78, 78, 56), (512, 512)])
def test_all_names_are_drawn_and_nothing_over_anything(size, shape):
    """The name of x lay on the first figure of y, and of a square beside its scale bar it was left out."""
    scene = scene_of(Grid(shape, (1.0,) * len(shape)), FieldInfo("u", "u", "", "grid", (0.0, 1.0)))
    scene.camera.apply(scene.home, size[0] / size[1])
    scene.room.place(scene.camera, *size, 1.0, True)
    placed, _ = Hud().compose(scene, *size, 1.0)
    labels, _ = ruler(scene, *size, 1.0)
    texts = {name: (left, top, left + image.shape[1], top + image.shape[0]) for name, image, left, top in placed}
    for place, label in enumerate(labels):
        assert not label.faint or f"tick {place}" in texts, label
    for (_, one), (_, other) in combinations([each for each in texts.items() if each[0].startswith("tick")], 2):
        assert one[2] <= other[0] or other[2] <= one[0] or one[3] <= other[1] or other[3] <= one[1]


@pytest.mark.parametrize("size", [(420, 700), (914, 240), (700, 200)])
@pytest.mark.parametrize("shape", [(256, 256), (32, 840), (840, 32)])
def test_no_figure_is_cut_by_the_edge_of_the_picture(size, shape):
    scene = scene_of(Grid(shape, (300 / 256,) * 2), FieldInfo("u", "u", "", "grid", (0.0, 1.0)))
    scene.camera.apply(scene.home, size[0] / size[1])
    labels, _ = ruler(scene, *size, 1.0)
    assert labels
    for label in labels:
        half = 3.0 * len(label.text)
        assert half < label.middle[0] < size[0] - half, label
        assert 7 < label.middle[1] < size[1] - 7, label


@pytest.mark.parametrize("size", [(480, 380), (540, 380), (914, 344)])
def test_no_name_or_figure_stands_in_the_scale_bar(size):
    """Where the lower edge of a square stands beside it."""
    scene = scene_of(Grid((256, 256), (1.0, 1.0)), FieldInfo("u", "u", "", "grid", (0.0, 1.0)))
    scene.camera.apply(scene.home, size[0] / size[1])
    placed, strokes = Hud().compose(scene, *size, 1.0)
    bar = max((each for each in strokes if each.start[1] == each.end[1] == size[1] - 16), key=lambda s: s.end[0])
    texts = [(image, left, top) for name, image, left, top in placed if name.startswith("tick")]
    assert texts
    for image, left, top in texts:
        beside = left + image.shape[1] <= bar.start[0] or left >= bar.end[0]
        assert beside or top + image.shape[0] <= bar.start[1] - 4 or top >= bar.start[1]


@pytest.mark.parametrize("azimuth", [-60.0, 30.0, 120.0, 210.0])
def test_heights_stand_at_the_left_of_a_box_and_the_others_below_it(azimuth):
    scene = scene_of(Grid((60, 50, 40), (1.0,) * 3), FieldInfo("u", "u", "", "grid", (0.0, 1.0)))
    scene.camera.azimuth, scene.camera.elevation = azimuth, 25.0
    labels, _ = ruler(scene, 900, 700, 1.0)
    corners = np.array(list(product(*zip(*scene.layer.bounds, strict=True))))
    pixels, _ = scene.camera.to_pixels(corners, 900, 700)
    names = {label.text[0]: label.middle for label in labels if label.faint}
    assert names["z"][0] < pixels[:, 0].min()
    for axis in "xy":
        assert names[axis][1] > pixels[:, 1].mean()


@pytest.mark.parametrize("size", [(588, 343), (588, 320), (636, 360), (660, 343), (692, 343)])
def test_each_figure_is_drawn_over_a_scale_bar_that_is_shorter_there(size):
    """The last one of x was left out where the bar began under it."""
    scene = scene_of(Grid((256, 256), (100 / 256,) * 2), FieldInfo("u", "u", "", "grid", (0.0, 1.0)))
    scene.room, scene.lines = BESIDE_PLATES, ["Bandwidth\t10.8 MB/s, 0 %", *4 * ["Steps\t82.1 /s"]]
    scene.camera.apply(scene.home, size[0] / size[1])
    scene.room.place(scene.camera, *size, 1.0, True)
    placed, _ = Hud().compose(scene, *size, 1.0)
    labels, _ = ruler(scene, *size, 1.0)
    drawn = {name for name, *_ in placed}
    assert not [label for place, label in enumerate(labels) if not label.faint and f"tick {place}" not in drawn]
