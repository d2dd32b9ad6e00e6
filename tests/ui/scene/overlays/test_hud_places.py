"""Where the tags of probes stand in the 3D view."""

import numpy as np
import pytest

from engines.api import FieldInfo
from engines.geometry.grid import Grid
from tests.ui.scene.meshes import kuhn_cube
from tests.ui.scene.test_categories import scene_of
from ui.scene.cameras.room import BESIDE_PLATES, CENTRED
from ui.scene.colormaps import MISSING
from ui.scene.overlays.hud import Hud, _around, _overlap, free_place
from ui.scene.scene import Scene
from ui.scene.visuals.plates import thinned
from ui.scene.visuals.screen import Stroke
from workbench.project.project import CameraView

TAG = (20, 60, 4)


def plate(left, top, wide, high):
    return "plate", np.zeros((high, wide, 4), np.uint8), left, top


def test_a_tag_stands_where_it_covers_nothing() -> None:
    spot = (200.0, 100.0)
    bar, left_tag = plate(215, 50, 80, 100), plate(100, 91, 50, 18)
    above = plate(180, 60, 40, 25)
    assert free_place(TAG, spot, [], 10) == (210, 90)
    assert free_place(TAG, spot, [bar], 10) == (130, 90), "left of the point"
    assert free_place(TAG, spot, [plate(215, 91, 80, 18), left_tag], 10) == (170, 70), "above"
    assert free_place(TAG, spot, [plate(215, 91, 80, 18), left_tag, above], 10) == (170, 110), "below"
    assert free_place(TAG, spot, [plate(0, 0, 400, 300)], 10) is None


def test_a_stroke_takes_the_room_around_its_ends() -> None:
    stroke = Stroke((40.0, 10.0), (20.0, 30.0), 3.0, (0, 0, 0, 255))
    assert _around(stroke) == (17.0, 7.0, 26.0, 26.0)
    beside = [(x, y, 5.0, 5.0) for x in (12.0, 43.0) for y in (2.0, 33.0)]
    assert not any(_overlap(_around(stroke), each) for each in beside)
    within = [(x, y, 5.0, 5.0) for x in (12.5, 42.5) for y in (2.5, 32.5)]
    assert all(_overlap(_around(stroke), each) and _overlap(each, _around(stroke)) for each in within)
    assert not _overlap(_around(stroke), (20.0, 40.0, 5.0, 5.0)), "below it"


def test_a_probe_is_pale_below_the_surface_and_not_in_it() -> None:
    """In it: within a fiftieth of what is seen, as a surface that is drawn coarsely lies beside where it is."""
    scene = Scene()
    scene.set_geometry(kuhn_cube(3))
    scene.camera.apply(CameraView(azimuth=0.0, elevation=0.0), 1.0)
    for depth, hidden in ((-0.1, False), (0.01, False), (0.03, True), (1.0, True)):
        spot = np.array([10.0 - depth * scene.camera.radius, 5.0, 3.0])
        assert Hud._find_hidden(scene, scene.layer, spot) == hidden, depth


SAID = ["Bandwidth\t4.70 GB/s, 6 %", "Steps\t4650 /s", "Pace\t211 fs/s", "Remaining\t2 s", "Bound by\tthe pace"]


def over(cells, size, ratio=1.0, covered=0.0, room=BESIDE_PLATES, title="Temperature", lines=SAID):
    """Name to (left, top, right, bottom) [points] of what lies over a grid in a window's view, and of the grid."""
    grid = Grid(cells, (1.0,) * len(cells))
    scene = scene_of(grid, FieldInfo("u", title, "K", "grid", (0.0, 1.0)))
    scene.room, scene.covered = room, covered
    scene.camera.apply(scene.home, size[0] / size[1])
    scene.time, scene.lines, scene.beyond = 1.0, lines, (100, 100)
    width, height = round(size[0] * ratio), round(size[1] * ratio)
    scene.room.at(width, height, ratio).place(scene.camera, width, height, ratio, fit=True)
    placed, _ = Hud().compose(scene, width, height, ratio)
    found = {name: np.array([x, y, x + image.shape[1], y + image.shape[0]]) / ratio for name, image, x, y in placed}
    corners = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)]) * scene.layer.bounds[1]
    pixels, _ = scene.camera.to_pixels(corners, width, height)
    camera = scene.camera
    across = np.sqrt(camera.distance**2 - camera.radius**2) / camera.distance * camera.mm_per_pixel(height)
    found["ball"] = np.array([*camera.middle(width, height), camera.radius / across]) / ratio
    found["body"] = np.concatenate([pixels.min(axis=0), pixels.max(axis=0)]) / ratio
    return found


def apart(one, other):
    return one[2] <= other[0] or other[2] <= one[0] or one[3] <= other[1] or other[3] <= one[1]


SMALL = (658, 389)
"""Points of the view in a window of 1024 × 768."""
CROWDED = ((332, 331), (380, 389))
"""And with the meters' dock open."""


@pytest.mark.parametrize("ratio", [1.0, 2.0])
@pytest.mark.parametrize("cells", [(80, 80), (20, 120), (300, 40), (60, 80)])
@pytest.mark.parametrize("size", [SMALL, *CROWDED, (914, 342), (908, 559), (1160, 640)])
def test_nothing_lies_over_a_flat_body_that_is_fitted(cells, size, ratio) -> None:
    """Neither meters and colours nor a sentence on top; its figures are all seen."""
    found = over(cells, size, ratio)
    body = found["body"]
    banner = (0, 0, size[0], BESIDE_PLATES.top - 0.5)
    for other in (found["lines"], found["time"], found["bar"], found["scale"], banner):
        assert apart(body, other)
    assert body[3] < size[1] - (18 if size in CROWDED else 20), "its figures are below"
    ticks = [box for name, box in found.items() if name.startswith("tick")]
    assert len(ticks) >= (5 if cells != (20, 120) and size not in CROWDED else 3)
    assert all(box[3] <= size[1] for box in ticks)
    assert all(apart(found["lines"], found[name]) for name in ("bar", "time", "scale", "axis y"))
    assert apart(found["bar"], found["scale"])


@pytest.mark.parametrize(("size", "most"), [(SMALL, 1.3), ((914, 342), 2.5), ((908, 559), 1.6)])
def test_a_ball_that_is_fitted_stands_close_beside_the_meters(size, most) -> None:
    body, lines = (over((40, 40, 40), size)[name] for name in ("body", "lines"))
    assert body[1] > 0.7 * BESIDE_PLATES.top
    middle, radius = (body[:2] + body[2:]) / 2, (body[2:] - body[:2]).max() / 2
    assert 0.9 * radius < np.linalg.norm(middle - lines[2:]) < most * radius


@pytest.mark.parametrize("ratio", [1.0, 2.0])
@pytest.mark.parametrize("size", [(588, 343), (588, 320), (588, 540), (620, 343), (908, 559)])
def test_no_figure_lies_over_a_ball_beside_which_they_are_listed(size, ratio) -> None:
    """As in a window of 1280 pixels with the probes' dock open."""
    found = over((40, 40, 40), size, ratio)
    x, y, radius = found["ball"]
    assert np.linalg.norm(np.array([x, y]) - np.minimum([x, y], found["lines"][2:])) > radius
    assert x + radius < found["bar"][0]
    assert radius > 0.37 * min(size[1], 390), "it stays large"


@pytest.mark.parametrize("size", CROWDED)
def test_a_ball_in_a_narrow_view_stands_between_colours_and_the_meter_in_short(size) -> None:
    found = over((40, 40, 40), size)
    body, (left, top, right, bottom) = found["body"], found["lines"]
    for name in ("lines", "time", "bar", "scale"):
        assert apart(body, found[name]), name
    assert bottom - top < 40, "one line"
    assert right - left < 130
    assert body[2] - body[0] > 0.4 * size[0]


@pytest.mark.parametrize("cells", [(80, 80), (20, 120), (300, 40), (40, 40, 40)])
def test_a_body_in_a_portrait_stands_beside_colours_and_below_what_is_said(cells) -> None:
    found = over(cells, (480, 640), room=CENTRED, title="Transmembrane voltage", lines=["Small slab", "A device"])
    for name in ("lines", "time", "bar", "scale"):
        assert apart(found["body"], found[name]), name


def test_what_is_said_on_top_moves_neither_body_nor_legend_and_covers_no_meter() -> None:
    before, after = over((80, 80), SMALL), over((80, 80), SMALL, covered=60.0)
    for name in ("body", "bar", "scale", "axis x"):
        assert np.array_equal(before[name], after[name]), name
    assert all(after[name][1] >= 60 for name in ("time", "lines", "bar"))
    assert before["time"][1] == 12


def test_in_a_view_that_is_too_low_the_first_meters_are_told() -> None:
    found = over((20, 120), (630, 240), covered=40.0)
    assert apart(found["lines"], found["axis y"])
    assert 0 < found["lines"][3] - found["lines"][1] < 50
    assert apart(found["bar"], found["scale"])


@pytest.mark.parametrize(("pixels_per_unit", "every"), [(1.0, 1), (0.5, 2), (0.2, 4), (100.0, 1)])
def test_figures_of_a_low_bar_do_not_run_into_each_other(pixels_per_unit, every) -> None:
    assert thinned((-75.0, -50.0, -25.0, 0.0, 25.0), pixels_per_unit, 16) == every
    assert thinned((1.0,), pixels_per_unit, 16) == 1


@pytest.mark.parametrize("ratio", [1.0, 2.0])
def test_the_axes_stand_in_the_lower_left_corner(ratio) -> None:
    """46 points from both edges, on any screen."""
    grid = Grid((20, 20), (1.0, 1.0))
    scene = scene_of(grid, FieldInfo("u", "Temperature", "K", "grid", (0.0, 1.0)))
    scene.camera.apply(scene.home, 630 / 400)
    placed, strokes = Hud().compose(scene, round(630 * ratio), round(400 * ratio), ratio)
    origin = (46 * ratio, (400 - 46) * ratio)
    assert sum(stroke.start == origin for stroke in strokes) >= 3  # and the point of one that looks at us
    for name, image, left, top in placed:
        if name.startswith("axis"):
            middle = np.array([left + image.shape[1] / 2, top + image.shape[0] / 2])
            assert np.linalg.norm(middle - origin) < 46 * ratio


@pytest.mark.parametrize("name", ["time", "bar"])
def test_plates_stand_below_what_is_said_where_no_room_was_left_for_it(name) -> None:
    """Before the first run: the legend of a mesh that was imported lay under its warning."""
    grid = Grid((20, 20), (1.0, 1.0))
    scene = scene_of(grid, FieldInfo("u", "Temperature", "K", "grid", (0.0, 1.0)))
    scene.covered, scene.time = 150.0, 1.0
    scene.camera.apply(scene.home, 2.0)
    placed, _ = Hud().compose(scene, 900, 560, 1.0)
    (top,) = [y for each, _, _, y in placed if each == name]
    assert top > 150


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("geometry", [Grid((20, 20), (1.0, 1.0)), kuhn_cube(2)])
def test_grey_places_are_explained_where_there_are_some(geometry, value) -> None:
    """Of a field that has a value everywhere: nobody could know what they are."""
    location = "grid" if isinstance(geometry, Grid) else "cell"
    scene = scene_of(geometry, FieldInfo("u", "Temperature", "K", location, (0.0, 1.0)))

    def greys() -> int:
        placed, _ = Hud().compose(scene, 900, 560, 1.0)
        (bar,) = [image for name, image, *_ in placed if name == "bar"]
        return int((bar == [*MISSING, 255]).all(axis=2).sum())

    assert greys() == 0
    values = np.zeros(geometry.n_cells, np.float32)
    values[: len(values) // 2] = value
    scene.show_fields({"u": values}, 2.0)
    assert greys() > 40
    scene.show_fields({"u": np.zeros_like(values)}, 3.0)
    assert greys() == 0
