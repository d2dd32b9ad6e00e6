"""Names of parts: above parts that stand side by side, beside those that are stacked, and never over anything."""

from __future__ import annotations

import numpy as np
import pytest

from engines.geometry.particles import Particles, named_parts
from tests.ui.scene.spheres import INSIDE, info
from ui.scene.overlays.hud import Hud
from ui.scene.overlays.labels import _above, _beside, first_free, spots_of_labels
from ui.scene.scene import Scene
from workbench.project.project import CameraView, ViewSettings

SIZE = (800, 500)


def named(positions, azimuth: float = -90.0, elevation: float = 0.0, covered: float = 0.0, **view):
    """Pictures of names by name as (left, top, right, bottom), of two spheres that are a part each, seen along y."""
    spheres = Particles(np.array(positions, float), np.ones(2))
    parts = named_parts(spheres, ("Negative electrode", "Positive electrode"), (1, 1))
    scene = Scene()
    scene.set_geometry(parts)
    scene.info = info(parts, INSIDE)
    scene.apply_view(ViewSettings(camera=CameraView(azimuth=azimuth, elevation=elevation, distance=20.0), **view), 1.6)
    scene.covered = covered
    placed, _ = Hud().compose(scene, *SIZE, 1.0)
    boxes = {
        name: (left, top, left + image.shape[1], top + image.shape[0])
        for name, image, left, top in placed
        if name.startswith("part ")
    }
    ends, _ = scene.camera.to_pixels(spheres.positions, *SIZE)
    return boxes, ends


def test_side_by_side_names_stand_above() -> None:
    boxes, (first, second) = named([(-2.0, 0, 0), (2.0, 0, 0)])
    assert list(boxes) == ["part Negative electrode", "part Positive electrode"]
    for (left, _, right, bottom), middle in zip(boxes.values(), (first, second), strict=True):
        assert left < middle[0] < right
        assert bottom < middle[1] - 20


def test_stacked_names_stand_beside() -> None:
    boxes, (first, second) = named([(0.0, 0, -2), (0.0, 0, 2)])
    for (_, top, right, bottom), middle in zip(boxes.values(), (first, second), strict=True):
        assert right < middle[0] - 20
        assert top < middle[1] < bottom or abs(0.5 * (top + bottom) - middle[1]) < 60


def test_names_that_would_cover_each_other_are_left_out() -> None:
    boxes, _ = named([(0.0, 0.0, 0), (0.0, 0.3, 0)])
    spans = list(boxes.values())
    assert len(spans) >= 1
    if len(spans) == 2:
        (a, b, c, d), (e, f, g, h) = spans
        assert c <= e or g <= a or d <= f or h <= b


def test_parts_that_are_mixed_share_a_label() -> None:
    """Two populations in one sheet."""
    boxes, _ = named([(0.0, 0.0, 0), (0.05, 0.0, 0)])
    assert list(boxes) == ["part Negative electrode, Positive electrode"]


def test_names_stand_six_points_away_from_the_box_of_a_part() -> None:
    """Above it at its middle, its right end or its left; beside it at the height of its leftmost point."""
    pixels = np.array([[120.0, 90.0], [100.0, 140.0], [180.0, 110.0]])
    wide, high = 60, 20
    assert _above(pixels, 6.0)(wide, high) == ((110.0, 64.0), (120.0, 64.0), (100.0, 64.0))
    assert _beside(pixels, 6.0)(wide, high) == ((34.0, 130.0), (186.0, 130.0))


def test_they_go_with_the_figures() -> None:
    assert named([(-2.0, 0, 0), (2.0, 0, 0)], overlay=False)[0] == {}


@pytest.mark.parametrize(("spot", "whole"), [((0, 0), True), ((80, 40), True), ((-1, 0), False), ((0, -1), False),
                                             ((81, 0), False), ((0, 41), False)])  # fmt: skip
def test_a_name_is_whole_in_the_view_or_stands_elsewhere(spot, whole) -> None:
    assert first_free((10, 20, 4), (spot, (30, 30)), [], (100, 50)) == (spot if whole else (30, 30))
    assert first_free((10, 20, 4), (spot, (30, 30)), []) == spot


def test_a_name_is_not_written_under_what_lies_over_the_view() -> None:
    """The electrodes' names were half under a sentence on top: they stand below their particles then."""
    sides = [(-2.0, 0, 0), (2.0, 0, 0)]
    before, _ = named(sides)
    covered = max(top for _, top, _, _ in before.values()) + 4.0
    after, ends = named(sides, covered=covered)
    assert list(after) == list(before)
    for (left, top, right, _), middle in zip(after.values(), ends, strict=True):
        assert left < middle[0] < right
        assert top > middle[1] + 20


@pytest.mark.parametrize("spot", [(0, 20), (60, 20), (30, 5), (30, 40)])
def test_a_name_may_touch_what_is_placed_but_not_cover_it(spot) -> None:
    """A plate of 30 by 20 at (30, 20), and a name of 30 by 15."""
    plates = [("plate", np.zeros((20, 30, 4), np.uint8), 30, 20)]
    shape = (15, 30, 4)
    assert first_free(shape, [(30, 20), spot], plates) == spot
    towards = tuple(at + (at < to) - (at > to) for at, to in zip(spot, (30, 20), strict=True))
    assert first_free(shape, [towards], plates) is None


@pytest.mark.parametrize("positions", [[(-2.0, 0, 0), (2.0, 0, 0)], [(0.0, 0, -2), (0.0, 0, 2)]])
def test_names_stand_as_far_away_on_a_screen_of_twice_the_pixels(positions) -> None:
    parts = named_parts(Particles(np.array(positions), np.ones(2)), ("One", "Other"), (1, 1))
    scene = Scene()
    scene.set_geometry(parts)
    scene.info = info(parts, INSIDE)
    scene.apply_view(ViewSettings(camera=CameraView(azimuth=-90.0, elevation=0.0, distance=20.0)), 1.6)
    coarse, fine = (list(spots_of_labels(scene, *(n * k for n in SIZE), float(k))) for k in (1, 2))
    assert [name for name, _ in coarse] == [name for name, _ in fine] == ["One", "Other"]
    for (_, one), (_, other) in zip(coarse, fine, strict=True):
        np.testing.assert_allclose(2 * np.array(one(60, 20)), other(120, 40), atol=0.01)
