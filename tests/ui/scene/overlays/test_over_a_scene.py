"""All that lies over a scene at once, on a camera whose rays are known: where in space each mark points, that plates
lie in the view and apart, and that a screen of twice the pixels has all of it twice as large."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from engines.api import MarkerInfo
from engines.api.placing import MOVE
from tests.ui.scene.overlays.scenes import SEEN, SIZE, at, full, linked
from tests.ui.scene.overlays.test_gripping import SQUARE, placement
from ui.scene.colormaps import colormap
from ui.scene.marks import Marks
from ui.scene.overlays import hud as composing
from ui.scene.overlays.brush_mark import brush_strokes
from ui.scene.overlays.clip_handle import _frame
from ui.scene.overlays.hud import Hud, _overlap, marker_lines, named_axes
from ui.scene.overlays.inspected_mark import ring_strokes
from ui.scene.overlays.link_strokes import BRIGHT, GONE, link_strokes
from ui.scene.overlays.measure_mark import measure_strokes
from ui.scene.overlays.placed import AXES, TINTS, WHITE, knobs, strokes
from ui.scene.overlays.ruler import ruler
from ui.scene.visuals.plates import LIGHT

# Written out: what the sources have is held against these.
RADIUS = 11.0
DOT = 4.6
ARM = 46.0
MIDDLE = 5.6


@pytest.mark.parametrize("clipped", [False, True])
@pytest.mark.parametrize("seen", SEEN)
def test_a_screen_of_twice_the_pixels_has_all_of_it_twice_as_large(seen, clipped):
    scene = full(seen, clipped=clipped)
    (plates, lines), (large, long) = (Hud().compose(scene, *(n * k for n in SIZE), float(k)) for k in (1, 2))
    assert len(lines) == len(long) > 150
    for one, two in zip(lines, long, strict=True):
        for pair in (one.start, two.start), (one.end, two.end):
            np.testing.assert_allclose(2 * np.array(pair[0]), pair[1], atol=0.01)
        assert two.radius == pytest.approx(2 * one.radius)
        assert two.colour == one.colour
    assert [each[0] for each in plates] == [each[0] for each in large]
    for (name, image, left, top), (_, double, other_left, other_top) in zip(plates, large, strict=True):
        np.testing.assert_allclose(double.shape[:2], 2 * np.array(image.shape[:2]), rtol=0.05, atol=4, err_msg=name)
        assert (other_left, other_top) == pytest.approx((2 * left, 2 * top), abs=8), name


@pytest.mark.parametrize("size", [(1400, 900), (800, 600), (640, 480)])
@pytest.mark.parametrize("ratio", [1.0, 1.5])
@pytest.mark.parametrize("seen", SEEN)
def test_plates_lie_in_the_view_and_apart(size, ratio, seen):
    width, height = (round(ratio * n) for n in size)
    scene = full(seen, size=size)
    plates, _ = Hud().compose(scene, width, height, ratio)
    boxes = {name: (left, top, *image.shape[1::-1]) for name, image, left, top in plates}
    assert {"time", "lines", "bar", "scale", "axis x", "axis y", "tick 0"} <= set(boxes)
    for name, (left, top, wide, high) in boxes.items():
        assert left >= 0, name
        assert top >= 0, name
        assert left + wide <= width, name
        assert top + high <= height, name
    fixed = [name for name in boxes if name.split()[0] in ("time", "lines", "bar", "scale", "arrows", "tick", "probe")]
    for place, one in enumerate(fixed):
        for other in fixed[:place]:
            assert not _overlap(boxes[one], boxes[other]), (one, other)
    assert boxes["time"][:2] == (round(12 * ratio),) * 2
    assert boxes["lines"][0] == boxes["time"][0] or boxes["lines"][0] > sum(boxes["time"][::2])
    left, _, wide, _ = boxes["bar"]
    assert left + wide == width - round(12 * ratio)


@pytest.mark.parametrize(("apart", "points"), [(0.1, None), (2.0, None), (8.0, 120)])
def test_the_key_of_arrows_is_as_long_as_the_longest_of_them_and_no_longer_than_has_room(apart, points):
    scene = full()
    before = Hud().compose(scene, *SIZE, 1.0)[0]
    scene.arrows = replace(scene.arrows, apart=apart)
    plates, lines = Hud().compose(scene, *SIZE, 1.0)
    tip = (800 - 12 - 4, 600 - 12 - 36 - 8)
    shaft, *barbs = [line for line in lines if line.end == tip]
    long = points or 1.1 * apart / scene.camera.mm_per_pixel(600)
    assert shaft.start == pytest.approx((tip[0] - long, tip[1]))
    head = min(9, long)
    assert [each.start for each in barbs] == [pytest.approx((tip[0] - head, tip[1] + k * head)) for k in (-0.45, 0.45)]
    (image, left, top), *_ = [each[1:] for each in plates if each[0] == "arrows"]
    assert (left + image.shape[1], top + image.shape[0]) == (tip[0], tip[1] - 8)
    assert [each[0] for each in plates] == [each[0] for each in before]


@pytest.mark.parametrize(
    ("other", "meet"),
    [
        ((10, 0, 5, 5), False),
        ((9, 0, 5, 5), True),
        ((0, 10, 5, 5), False),
        ((0, 9, 5, 5), True),
        ((-5, -5, 30, 30), True),
        ((30, 30, 2, 2), False),
    ],
)
def test_plates_that_touch_do_not_overlap(other, meet):
    one = (0, 0, 10, 10)
    assert _overlap(one, other) == _overlap(other, one) == meet


def test_the_scale_bar_is_as_long_as_it_says():
    scene = full("above")
    _, lines = Hud().compose(scene, *SIZE, 1.0, handles=False)
    bottom, left_end, right_end = lines[:3]
    assert bottom.end[0] - bottom.start[0] == pytest.approx(5.0 / scene.camera.mm_per_pixel(SIZE[1]), rel=1e-6)
    assert bottom.end == (SIZE[0] - 16, SIZE[1] - 16)
    for tick, foot in ((left_end, bottom.start), (right_end, bottom.end)):
        assert tick.end == foot
        assert (tick.start[0], foot[1] - tick.start[1]) == (foot[0], 4.0)


def test_axes_point_where_the_camera_sees_them_and_the_one_that_looks_away_is_pale():
    scene = full("slanted")
    _, lines = Hud().compose(scene, *SIZE, 1.0, handles=False)
    origin = np.array([46.0, SIZE[1] - 46.0])
    arms = {line.colour[:3]: line for line in lines if line.start == tuple(origin) and line.start != line.end}
    assert set(arms) == set(AXES)
    middle, scale = at(scene, 0, 0, 0), 1e-3
    for axis, colour in enumerate(AXES):
        way = at(scene, *(scale * np.eye(3)[axis])) - middle
        arm = np.array(arms[colour].end) - origin
        across = abs(way[0] * arm[1] - way[1] * arm[0]) / np.linalg.norm(way) / max(np.linalg.norm(arm), 1e-9)
        assert across < 0.5
        assert way @ arm > 0
        towards = scene.camera.axes[2][axis]
        assert np.linalg.norm(arm) == pytest.approx(30 * np.sqrt(1 - towards**2), rel=1e-6)
        assert arms[colour].colour[3] == (255 if towards > -0.15 else 130)
    order = [scene.camera.axes[2][AXES.index(line.colour[:3])] for line in arms.values()]
    assert order == sorted(order), "what is nearer is drawn later"


def test_names_of_axes_that_would_lie_on_each_other_are_left_out():
    assert named_axes(np.eye(3)) == [True, True, True]
    assert named_axes(np.array([[1.0, 0.2, 0.8], [0, 0.9, 0.1], [0, 0.1, 0.6]])) == [True, True, False]
    assert named_axes(full("slanted").camera.axes) == [True, True, True]


def test_a_ruler_is_worked_out_anew_only_when_what_it_hangs_on_has_changed(monkeypatch):
    scene, hud, made = full(), Hud(), []
    monkeypatch.setattr(composing, "ruler", lambda *arguments: (made.append(arguments), ruler(*arguments))[1])
    first = hud.compose(scene, *SIZE, 1.0)
    scene.show_fields({"u": np.ones(1000, np.float32)}, 2.5)
    scene.time = 2.5
    assert hud.compose(scene, *SIZE, 1.0)[1] == first[1]
    assert len(made) == 1
    for change in (
        lambda: scene.camera.rotate(1, 0),
        lambda: scene.camera.pan(3, 0, SIZE[1]),
        lambda: setattr(scene.camera, "offset", (0.1, 0.0)),
        lambda: setattr(scene, "theme", LIGHT),
    ):
        change()
        before = len(made)
        again = hud.compose(scene, *SIZE, 1.0)
        assert len(made) == before + 1
        assert again[1] == Hud().compose(scene, *SIZE, 1.0)[1]
    hud.compose(scene, *SIZE, 2.0)
    hud.compose(scene, SIZE[0], SIZE[1] + 1, 2.0)
    assert len(made) == 2 * 4 + 3


@pytest.mark.parametrize("seen", SEEN)
def test_figures_of_the_ruler_stand_outside_at_their_places(seen):
    scene = full(seen)
    labels, lines = ruler(scene, *SIZE, 1.0)
    names = [label.text for label in labels if label.faint]
    assert names == [f"{axis} [mm]" for axis in ("xyz" if seen == "slanted" else "xy")]
    figures = [label for label in labels if not label.faint]
    assert len(figures) == len(lines) >= 3 * len(names)
    corners = np.array(np.meshgrid([0, 10], [0, 10], [0, 10])).reshape(3, -1).T.astype(float)
    edges = [(a, b) for a in corners for b in corners if (a != b).sum() == 1 and (b > a).any()]
    middle = at(scene, 5, 5, 5)
    for label, line in zip(figures, lines, strict=True):
        value, start = float(label.text.replace("−", "-")), np.array(line.start)
        places = [at(scene, *(a + (b - a) * value / 10)) for a, b in edges]
        assert min(np.linalg.norm(place - start) for place in places) < 1e-6, "on an edge, where its value is"
        outward = np.array(line.end) - start
        assert np.linalg.norm(outward) == pytest.approx(5.0)
        assert outward @ (start - middle) > 0
        assert (np.array(label.middle) - start) @ outward > 5 * 16
    low = [np.array(line.start)[1] for line in lines if np.array(line.end)[1] - line.start[1] > 3]
    assert min(low) > middle[1], "of x and y the edge in front"
    scene.camera.distance = 2000.0
    assert ruler(scene, *SIZE, 1.0) == ([], []), "what looks short has no ticks"
    scene.camera.distance = 0.1
    assert ruler(scene, *SIZE, 1.0) == ([], []), "nor what is beside or behind the eye"


def test_a_chosen_item_has_its_outline_twice_and_its_knobs_on_top():
    scene = full("slanted")
    lines = strokes(scene, *SIZE, 1.0, True)
    edges = [(at(scene, *a), at(scene, *b)) for a, b in pairwise(SQUARE)]
    for under, over, (a, b) in zip(lines[:4], lines[4:8], edges, strict=True):
        for line in (under, over):
            np.testing.assert_allclose([line.start, line.end], [a, b])
        assert under.radius > over.radius
        assert over.colour[:3] == TINTS[0]
    found = knobs(scene, *SIZE)
    assert [knob.axis for knob in found] == [0, 1, 2, None, None]
    assert [knob.handle.name for knob in found] == [MOVE, MOVE, MOVE, "x high", MOVE]
    usual = ARM * scene.camera.mm_per_pixel(SIZE[1])
    for knob in found[:3]:
        np.testing.assert_allclose(knob.foot, at(scene, 5, 5, 5))
        arm = usual if knob.axis == 2 else 1.0 + 0.55 * usual  # beyond the handle of a face
        np.testing.assert_allclose(knob.at, at(scene, *(5 + arm * np.eye(3)[knob.axis])), atol=1e-6)
    np.testing.assert_allclose(found[3].at, at(scene, 6, 5, 5))
    whites = [line for line in lines if line.colour == (*WHITE, 255)]
    assert [line.start for line in whites] == [found[3].at, found[4].at]
    assert whites[1].radius == MIDDLE > whites[0].radius
    for axis, colour in enumerate(AXES):
        shaft, *head = [line for line in lines if line.colour == (*colour, 255)]
        tip, foot = np.array(found[axis].at), np.array(found[axis].foot)
        np.testing.assert_allclose([shaft.start, shaft.end], [foot, tip])
        along = (tip - foot) / np.linalg.norm(tip - foot)
        ways = [np.array(line.start) - tip for line in head]
        assert [way @ along for way in ways] == pytest.approx([-9, -9])
        assert sum(ways) @ np.array([-along[1], along[0]]) == pytest.approx(0, abs=1e-9)
        assert [np.linalg.norm(way) for way in ways] == pytest.approx([np.hypot(9, 4.5)] * 2)
    scene.marks = replace(scene.marks, grips=False)
    assert len(strokes(scene, *SIZE, 1.0, True)) == 8
    scene.marks = replace(scene.marks, grips=True, wrong=True)
    assert strokes(scene, *SIZE, 1.0, True)[4].colour == (240, 84, 84, 255)
    assert len(strokes(scene, *SIZE, 1.0, False)) == 8
    scene.view.outlines = False
    assert strokes(scene, *SIZE, 1.0, True) == knobs(scene, *SIZE) == []


@pytest.mark.parametrize(("half", "arms"), [(0.5, 1.05), (1.0, 1.55), (1.55, 2.1), (1.65, 1.0), (3.0, 1.0)])
def test_an_arrow_is_longer_where_its_tip_would_stand_on_the_handle_of_a_face(half, arms):
    """In usual lengths: half of an item's width, and the arrow's."""
    scene = full("slanted")
    usual = ARM * scene.camera.mm_per_pixel(SIZE[1])
    item = scene.marks.item
    wide = replace(item, outline=(np.array([[5.0] * 3, [5.0] * 3]) + half * usual * np.array([[-1], [1]]),))
    groups = scene.marks.placement.groups
    changed = [replace(each, items=tuple(wide if one is item else one for one in each.items)) for each in groups]
    scene.marks = replace(scene.marks, placement=replace(scene.marks.placement, groups=tuple(changed)))
    for knob in knobs(scene, *SIZE)[:3]:
        np.testing.assert_allclose(knob.at, at(scene, *(5 + arms * usual * np.eye(3)[knob.axis])), atol=1e-6)


def test_what_the_pointer_is_over_has_its_outline_once_and_only_where_one_can_grip():
    scene = full("slanted")
    scene.marks = replace(scene.marks, chosen=None, hovered=("objects", 0))
    hovered = strokes(scene, *SIZE, 1.0, True)
    assert [line.colour for line in hovered] == [(*TINTS[0], 255)] * 4
    assert strokes(scene, *SIZE, 1.0, False) == []
    scene.marks = replace(scene.marks, chosen=("objects", 0))
    assert len(strokes(scene, *SIZE, 1.0, False)) == 8


@pytest.mark.parametrize(
    "normal",
    [(1.0, 0.0, 0.0), (0.6, 0.0, 0.8), (0.48, 0.6, 0.64), (0.0, 0.0, 1.0), (0.0, 0.28, 0.96), (0.28, 0.0, 0.96)],
)
def test_the_outline_of_a_plane_stands_level(normal):
    """One side of it lies in the plane of x and y, or where it faces z of x and z."""
    across, upright = _frame(np.array(normal, float))
    assert across[1 if normal[2] > 0.9 else 2] == 0
    np.testing.assert_allclose(
        np.array([across, upright, normal]) @ np.array([across, upright, normal]).T, np.eye(3), atol=1e-9
    )
    assert upright[1 if normal[2] > 0.9 else 2] > 0


@pytest.mark.parametrize(("cells", "axes"), [(1, [0, 1]), (2, [0, 1, 2]), (3, [0, 1, 2])])
def test_there_is_an_arrow_along_each_axis_of_more_than_one_cell(cells, axes):
    scene = full("slanted")
    scene.marks = Marks(placement((10, 10, cells)), ("objects", 0), None, grips=True)
    assert [knob.axis for knob in knobs(scene, *SIZE) if knob.axis is not None] == axes


def test_an_arrow_that_points_at_the_viewer_is_left_out():
    assert [knob.axis for knob in knobs(full("above"), *SIZE)] == [0, 1, None, None]


def test_measured_ways_lie_over_the_body_and_those_that_stay_have_smaller_dots():
    scene = full("slanted")
    lines = measure_strokes(scene, *SIZE, 1.0)
    assert len(lines) == 12
    cut, measured = lines[:6], lines[6:]
    for part, y in ((cut, 2.0), (measured, 0.0)):
        ends = [at(scene, 0, y, 10), at(scene, 10, y, 10)]
        for way, first, last in (part[:3], part[3:]):
            np.testing.assert_allclose([way.start, way.end, first.start, last.end], [*ends, *ends])
        assert [line.radius for line in part[:3]] == pytest.approx([line.radius + 1.3 for line in part[3:]])
    assert measured[4].radius == DOT
    assert cut[4].radius == pytest.approx(0.6 * DOT)
    scene.camera.distance = 0.1
    assert measure_strokes(scene, *SIZE, 1.0) == []


def test_the_brush_is_a_circle_of_its_radius_and_the_ring_one_of_points():
    scene = full("above")
    for ratio in (1.0, 2.0):
        size = tuple(round(ratio * n) for n in SIZE)
        circle = brush_strokes(scene, *size, ratio)
        middle, edge = at(scene, 5, 5, 10, size=size), at(scene, 7, 5, 10, size=size)
        ring = ring_strokes((30.0, 40.0), ratio, pale=False)
        for lines, center, radius in ((circle, middle, edge[0] - middle[0]), (ring, (30, 40), RADIUS * ratio)):
            half = len(lines) // 2
            for part in (lines[:half], lines[half:]):
                away = np.array([line.start for line in part]) - center
                np.testing.assert_allclose(np.linalg.norm(away, axis=1), radius, rtol=1e-3)
                np.testing.assert_allclose(away.sum(axis=0), 0, atol=0.01)
                np.testing.assert_allclose([line.end for line in part], [line.start for line in part[1:] + part[:1]])
            assert lines[0].radius > lines[-1].radius
    assert {line.colour[3] for line in ring_strokes((0.0, 0.0), 1.0, pale=True)} == {90}
    assert {line.colour[3] for line in ring_strokes((0.0, 0.0), 1.0, pale=False)} == {255}


def test_links_have_the_colours_of_their_values_and_what_is_stretched_most_lies_on_top():
    scene = full("above")
    scene.links = linked()
    lines = link_strokes(scene, *SIZE, 1.0)
    gone, edges, rest, hub = lines[0], lines[1:4], lines[4:10], lines[10:]
    assert gone.colour == GONE
    np.testing.assert_allclose(gone.end, at(scene, 6, 6, 6))
    ways, dots = rest[::2], rest[1::2]
    for order, k in enumerate((3, 0, 2)):
        np.testing.assert_allclose(
            [ways[order].start, ways[order].end], [at(scene, 5, 5, 5), at(scene, 5 + k, 6, 5 + k)]
        )
        np.testing.assert_allclose(edges[order].end, ways[order].end)
        assert dots[order].start == dots[order].end == ways[order].end
        assert dots[order].colour == ways[order].colour
        assert edges[order].radius > ways[order].radius > gone.radius
    (small, large, least), (faint, hued, blue) = (way.colour for way in ways), ((0.625, 0.75, 0.0))
    for colour, share in ((small, faint), (large, hued), (least, blue)):
        assert colour[:3] == tuple(colormap("diverging")[round(255 * share)])
    assert [line.start for line in hub] == [gone.start] * 2
    assert hub[1].colour == BRIGHT
    assert hub[0].radius > hub[1].radius
    alone = linked()
    scene.links = replace(alone, segments=alone.segments[:1], values=alone.values[:1])
    assert [line.start for line in link_strokes(scene, *SIZE, 1.0)[-2:]] == [gone.start] * 2
    scene.links = alone
    scene.camera.distance = 0.1
    assert link_strokes(scene, *SIZE, 1.0) == []
    scene.links = None
    assert link_strokes(scene, *SIZE, 1.0) == []


def test_probes_are_pale_and_without_a_name_where_the_body_hides_them():
    scene = full("above")
    scene.view.clip = None
    plates, lines = Hud().compose(scene, *SIZE, 1.0, handles=False)
    names = [name for name, *_ in plates if name.startswith("probe")]
    assert names == ["probe P1"]
    for colour, alpha, place in (((220, 20, 20), 255, (1, 1, 10)), ((20, 200, 20), 90, (9, 9, 0))):
        (dot,) = (line for line in lines if line.colour[:3] == colour)
        assert dot.colour[3] == alpha
        np.testing.assert_allclose(dot.start, at(scene, *place))
        assert dot.start == dot.end


def test_the_reading_stands_beside_the_pointer_and_in_the_view():
    scene = full("above")
    scene.marks = replace(scene.marks, said="x = 3 mm")
    for pointer in ((0.5, 0.5), (0.99, 0.99)):
        scene.pointer = pointer
        plates, _ = Hud().compose(scene, *SIZE, 1.0)
        ((image, left, top),) = (each[1:] for each in plates if each[0] == "reading")
        assert left == min(round(pointer[0] * SIZE[0] + 14), SIZE[0] - image.shape[1])
        assert top == min(round(pointer[1] * SIZE[1] + 16), SIZE[1] - image.shape[0])
    assert "reading" not in [each[0] for each in Hud().compose(scene, *SIZE, 1.0, handles=False)[0]]


def test_markers_are_counted_by_their_signs():
    marked = MarkerInfo("Singularities", ("clockwise", "anticlockwise"))
    title, entries = marker_lines(marked, np.array([1, 1, -1, 0]))
    assert (title, [name for name, _ in entries]) == ("Singularities: 3", ["2 clockwise", "1 anticlockwise"])
    assert marker_lines(marked, np.array([-1])) == ("Singularities: 1", (("1 anticlockwise", entries[1][1]),))
    assert marker_lines(marked, np.zeros(0)) == ("Singularities: none", ())
