"""Outlines under the pointer, and where a drag brings a handle to: on a camera whose rays are known."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from engines.api.placing import MOVE, Change, Handle, PlacedGroup, PlacedItem, Placement
from engines.geometry.grid import Grid
from tests.ui.scene.grids import info
from ui.scene.marks import Marks
from ui.scene.overlays.gripping import _met, dragged_to, hold_at, item_at, nudged, snapped
from ui.scene.overlays.placed import Knob, _knob, _way_to, knobs, lines_in_space, strokes
from ui.scene.scene import Scene

SIZE = (800, 600)
SQUARE = np.array([[4.0, 4, 5], [6, 4, 5], [6, 6, 5], [4, 6, 5], [4, 4, 5]])
HANDLES = (
    Handle(MOVE, (5.0, 5.0, 5.0), reference=(4.25, 4.25, 5.0)),
    Handle("x high", (6.0, 5.0, 5.0), direction=(1.0, 0.0, 0.0)),
)


def placement(shape=(10, 10, 10)):
    nodes = tuple(np.linspace(0.0, 10.0, count + 1) for count in shape)
    square = PlacedItem(
        ("objects", 0), "1  Square", outline=(SQUARE,), tint=0, handles=HANDLES, moved=lambda *_: Change(None, "")
    )
    around = PlacedItem(("faces",), "Layers", outline=(SQUARE * 1.9 - 4.5,))
    return Placement(
        (PlacedGroup("Objects", ("objects",), "object", (square,)), PlacedGroup("", ("faces",), "boundary", (around,))),
        nodes,
    )


@pytest.fixture
def scene():
    """A cube of ten cells, seen along z."""
    scene = Scene()
    scene.set_simulation(info(Grid((10, 10, 10), (1.0, 1.0, 1.0))))
    scene.camera.look_along("z")
    scene.marks = Marks(placement(), ("objects", 0), None, grips=True)
    return scene


def pixel(scene, *point):
    (at,), _ = scene.camera.to_pixels(np.array([point]), *SIZE)
    return float(at[0]), float(at[1])


@pytest.mark.parametrize(
    ("way", "low", "far"),
    [
        ((1, 0, 0), (-3.0, 1, 1), 2.0),
        ((-1, 0, 0), (12.0, 1, 1), 2.0),
        ((0, 0, 1), (1.0, 1, -4.5), 3.5),
        ((0.6, 0.8, 0), (-4.0, -4.0, 1), 5.0),
        ((1, 0, 0), (-3.0, 12, 1), np.inf),
        ((-1, 0, 0), (-3.0, 1, 1), np.inf),
        ((1, 0, 0), (4.0, 4, 4), 0.0),
        ((0, 1, 0), (-1.0, -3.0, 1), 2.0),
        ((0, 1, 0), (-1.1, -3.0, 1), np.inf),
        ((0.6, 0.8, 0), (10.0, -9.0, 1), np.inf),
        ((1, 0, 0), (-3.0, 10, 1), 2.0),
        ((1, 0, 0), (-3.0, 9.5, 1), 2.0),
        ((1, 0, 0), (10.0, 1, 1), 0.0),
        ((1, 0, 0), (9.5, 1, 1), 0.0),
    ],
)
def test_how_far_a_box_goes_until_it_meets_the_body(way, low, far) -> None:
    """A cube of 1 mm and a body of 10 mm; one that just slides along a face meets it."""
    item = SimpleNamespace(bounds=(np.array(low, float), np.array(low, float) + 1.0))
    assert _way_to((np.zeros(3), np.full(3, 10.0)), item, np.array(way, float)) == pytest.approx(far)


def test_what_has_no_box_is_at_the_body_already() -> None:
    assert _way_to((np.zeros(3), np.ones(3)), SimpleNamespace(bounds=None), np.array([1.0, 0, 0])) == 0.0


@pytest.mark.parametrize(("name", "radius"), [(MOVE, 5.6), ("x high", 4.4)])
@pytest.mark.parametrize("ratio", [1.0, 2.0])
def test_a_handle_has_a_dark_rim_around_its_white(name, radius, ratio) -> None:
    rim, white = _knob(Knob(Handle(name, (0.0, 0.0, 0.0)), None, (40.0, 30.0), (40.0, 30.0)), ratio)
    assert (rim.radius, white.radius) == pytest.approx(((radius + 1.2) * ratio, radius * ratio))
    assert sum(rim.colour[:3]) < sum(white.colour[:3])


def test_an_arrow_has_two_strokes_of_a_head_and_a_dark_rim_of_a_point() -> None:
    knob = Knob(Handle(MOVE, (0.0, 0.0, 0.0)), 0, (0.0, 0.0), (40.0, 0.0))
    strokes_ = _knob(knob, 1.0)
    under, over = strokes_[:3], strokes_[3:]
    assert [each.radius for each in over] == pytest.approx([1.4] * 3)
    assert [each.radius for each in under] == pytest.approx([2.4] * 3)
    assert [(each.start, each.end) for each in over] == [(each.start, each.end) for each in under] == [
        ((0.0, 0.0), (40.0, 0.0)), ((31.0, 4.5), (40.0, 0.0)), ((31.0, -4.5), (40.0, 0.0)),
    ]  # fmt: skip


def test_what_is_nearest_to_the_pointer_is_chosen_and_layers_never(scene) -> None:
    on_edge = pixel(scene, 5.0, 4.0, 5.0)
    assert item_at(scene, *on_edge, *SIZE) == ("objects", 0)
    assert item_at(scene, *pixel(scene, 5.0, 5.0, 5.0), *SIZE) is None
    assert item_at(scene, *pixel(scene, 5.0, 3.1, 5.0), *SIZE) is None, "a layer"
    scene.view.outlines = False
    assert item_at(scene, *on_edge, *SIZE) is None


def test_the_middle_moves_in_the_plane_that_faces_the_viewer_and_onto_nodes(scene) -> None:
    """The reference, at 4.25, comes to stand on whole numbers, so the middle stands 0.75 beyond one."""
    start = pixel(scene, 5.0, 5.0, 5.0)
    hold = hold_at(scene, *start, *SIZE)
    assert hold.handle.name == MOVE
    assert hold.along is None
    target = pixel(scene, 6.9, 5.4, 5.0)
    assert dragged_to(scene, hold, *target, *SIZE, free=False) == pytest.approx((6.75, 5.75, 5.0))
    assert dragged_to(scene, hold, *target, *SIZE, free=True) == pytest.approx((6.9, 5.4, 5.0), abs=1e-9)


def test_an_axis_along_which_it_is_not_dragged_keeps_its_place(scene) -> None:
    """The reference, at 4.25, comes to stand on no node of y."""
    hold = hold_at(scene, *pixel(scene, 5.0, 5.0, 5.0), *SIZE)
    target = pixel(scene, 6.9, 5.0, 5.0)
    assert dragged_to(scene, hold, *target, *SIZE, free=False) == pytest.approx((6.75, 5.0, 5.0))


def test_it_follows_the_pointer_from_where_it_was_gripped(scene) -> None:
    """Gripped at its edge, the middle moves by as much as the pointer."""
    hold = hold_at(scene, *pixel(scene, 4.5, 4.0, 5.0), *SIZE)
    assert hold.handle.name == MOVE
    target = pixel(scene, 6.5, 4.5, 5.0)
    assert dragged_to(scene, hold, *target, *SIZE, free=True) == pytest.approx((7.0, 5.5, 5.0), abs=1e-9)


def test_a_face_slides_along_its_direction_alone(scene) -> None:
    x, y = pixel(scene, 6.0, 5.0, 5.0)
    hold = hold_at(scene, x, y, *SIZE)
    held = [hold_at(scene, x, y + beside, *SIZE).handle.name for beside in (0.0, 9.5, 10.5)]
    assert held == ["x high", "x high", MOVE], "within ten points, and beyond them the outline"
    position = dragged_to(scene, hold, *pixel(scene, 8.2, 7.0, 5.0), *SIZE, free=False)
    assert position == pytest.approx((8.0, 5.0, 5.0))


def test_an_arrow_moves_along_one_axis(scene) -> None:
    scene.camera.azimuth, scene.camera.elevation = -60.0, 24.0
    arrow = next(knob for knob in knobs(scene, *SIZE) if knob.axis == 2)
    hold = hold_at(scene, *arrow.at, *SIZE)
    assert hold.along == pytest.approx((0.0, 0.0, 1.0))
    up = np.array(arrow.at) + 3.0 * (np.array(arrow.at) - np.array(arrow.foot))
    x, y, z = dragged_to(scene, hold, *up, *SIZE, free=True)
    assert (x, y) == pytest.approx((5.0, 5.0))
    assert z > 6.0
    assert hold_at(scene, 2.0, 2.0, *SIZE) is None


@pytest.mark.parametrize(("cells", "moved"), [(1, (8.0, 5.0, 5.0)), (2, (8.0, 9.0, 5.0))])
def test_a_drag_in_a_plane_moves_nothing_along_an_axis_of_one_cell(scene, cells, moved) -> None:
    """In a line of cells too, which lies in planes of two such axes."""
    scene.marks = Marks(placement((10, cells, 1)), ("objects", 0), None, grips=True)
    hold = hold_at(scene, *pixel(scene, 5.0, 5.0, 5.0), *SIZE)
    assert hold.normal == pytest.approx((0.0, 0.0, 1.0))
    assert dragged_to(scene, hold, *pixel(scene, 8.0, 9.0, 5.0), *SIZE, free=True) == pytest.approx(moved)


def test_along_an_axis_of_one_cell_nothing_moves(scene) -> None:
    scene.marks = Marks(placement((10, 10, 1)), ("objects", 0), None, grips=True)
    scene.camera.azimuth, scene.camera.elevation = -60.0, 24.0
    assert {knob.axis for knob in knobs(scene, *SIZE)} == {0, 1, None}
    hold = hold_at(scene, *pixel(scene, 5.0, 5.0, 5.0), *SIZE)
    assert hold.normal == pytest.approx((0.0, 0.0, 1.0))
    assert dragged_to(scene, hold, *pixel(scene, 7.0, 8.0, 5.0), *SIZE, free=True)[2] == 5.0


def test_without_grips_nothing_is_held(scene) -> None:
    scene.marks = Marks(placement(), ("objects", 0))
    assert hold_at(scene, *pixel(scene, 5.0, 5.0, 5.0), *SIZE) is None
    assert strokes(scene, *SIZE, 1.0, handles=True) == strokes(scene, *SIZE, 1.0, handles=False)


def test_the_chosen_item_is_drawn_over_the_picture_and_the_others_in_it(scene) -> None:
    assert [len(lines) for lines, *_ in lines_in_space(scene)] == [4]
    assert strokes(scene, *SIZE, 1.0, handles=False)
    scene.marks = Marks(placement())
    assert [len(lines) for lines, *_ in lines_in_space(scene)] == [4, 4]
    assert strokes(scene, *SIZE, 1.0, handles=True) == []
    scene.view.outlines = False
    assert lines_in_space(scene) == []


def test_places_go_to_the_nearest_node_and_on_beyond_the_ends() -> None:
    graded = Placement((), (np.array([0.0, 1.0, 1.5, 1.7]), np.zeros(2), np.zeros(2)))
    assert [snapped(graded, 0, place) for place in (0.6, 1.2, 1.3, 1.62)] == [1.0, 1.0, 1.5, 1.7]
    assert [snapped(graded, 0, place) for place in (-1.4, 2.0)] == pytest.approx([-1.0, 2.1], abs=0.11)


@pytest.mark.parametrize(
    ("keys", "axes", "moved"),
    [
        ((1, 0), "z", (0.75, 0.0, 0.0)),
        ((-1, 0), "z", (-1.25, 0.0, 0.0)),
        ((0, 1), "z", (0.0, 0.75, 0.0)),
        ((0, -1), "z", (0.0, -1.25, 0.0)),
        ((0, 1), "x", (0.0, 0.0, 1.0)),
        ((1, 0), "x", (0.0, 0.75, 0.0)),
        ((1, 0), "-x", (0.0, -1.25, 0.0)),
    ],
)
def test_a_key_moves_the_chosen_item_by_a_cell_towards_its_side_of_the_picture(scene, keys, axes, moved) -> None:
    """The reference, at 4.25, 4.25 and 5, comes to stand on the node that is nearest to a cell further."""
    scene.camera.look_along(axes)
    item, handle, position = nudged(scene, *keys)
    assert (item.path, handle.name) == (("objects", 0), MOVE)
    assert position == pytest.approx(np.add((5.0, 5.0, 5.0), moved))


def test_a_key_moves_along_no_axis_of_one_cell_and_by_the_cells_that_there_are(scene) -> None:
    scene.marks = Marks(placement((20, 10, 1)), ("objects", 0), None, grips=True)
    assert nudged(scene, 1, 0)[2] == pytest.approx((5.25, 5.0, 5.0)), "from 4.25 by 0.5 to the nearest of 4.5 and 5"
    scene.camera.look_along("x")
    assert nudged(scene, 0, 1)[2][2] == 5.0
    for marks in (Marks(placement(), None, None, grips=True), Marks(placement(), ("objects", 0), None)):
        scene.marks = marks
        assert nudged(scene, 1, 0) is None


def test_what_cannot_be_moved_is_neither_held_nor_nudged(scene) -> None:
    """Layers have no way to be moved, and a face has no handle of its middle."""
    fixed = Marks(placement(), ("faces",), None, grips=True)
    scene.marks = fixed
    assert hold_at(scene, *pixel(scene, 4.05, 5.0, 5.0), *SIZE) is None
    assert nudged(scene, 1, 0) is None


def test_along_a_line_or_a_plane_that_is_seen_from_its_edge_nothing_is_told(scene) -> None:
    hold = hold_at(scene, *pixel(scene, 5.0, 5.0, 5.0), *SIZE)
    face = hold_at(scene, *pixel(scene, 6.0, 5.0, 5.0), *SIZE)
    scene.camera.look_along("x")
    assert dragged_to(scene, hold, *pixel(scene, 5.0, 5.0, 5.0), *SIZE, free=True) is None
    assert dragged_to(scene, face, SIZE[0] / 2, SIZE[1] / 2, *SIZE, free=True) is None
    scene.camera.elevation = 8.0
    at = pixel(scene, 5.0, 6.0, 5.0)
    assert dragged_to(scene, hold, *at, *SIZE, free=True) == pytest.approx((5.0, 6.0, 5.0), abs=1e-6)
    to = pixel(scene, 7.0, 5.0, 5.0)
    assert dragged_to(scene, face, *to, *SIZE, free=True) == pytest.approx((7.0, 5.0, 5.0), abs=1e-6)
    scene.marks = Marks()
    assert dragged_to(scene, hold, *at, *SIZE, free=True) is None


def test_a_plane_is_that_of_the_axis_that_faces_most_or_that_has_one_cell(scene) -> None:
    for axis, normal in (("x", 0), ("-y", 1), ("z", 2)):
        scene.camera.look_along(axis)
        hold = hold_at(scene, *pixel(scene, 5.0, 5.0, 5.0), *SIZE)
        assert np.argmax(hold.normal) == normal
    scene.marks = Marks(placement((2, 10, 10)), ("objects", 0), None, grips=True)
    assert np.argmax(hold_at(scene, *pixel(scene, 5.0, 5.0, 5.0), *SIZE).normal) == 2, "two cells are not one"
    for place, shape in enumerate([(1, 10, 10), (10, 1, 10), (10, 10, 1)]):
        scene.marks = Marks(placement(shape), ("objects", 0), None, grips=True)
        scene.camera.azimuth, scene.camera.elevation = -60.0, 24.0
        hold = hold_at(scene, *pixel(scene, 5.0, 5.0, 5.0), *SIZE)
        assert np.argmax(hold.normal) == place


@pytest.mark.parametrize(("sine", "told"), [(0.02, False), (-0.02, False), (0.04, True), (-0.04, True)])
@pytest.mark.parametrize("along", [None, np.array([1.0, 0.0, 0.0])])
def test_a_ray_that_hardly_crosses_a_plane_or_a_line_tells_no_place_on_it(sine, told, along) -> None:
    direction = np.array([np.sqrt(1 - sine**2), 0.0, sine])
    hold = SimpleNamespace(start=np.array([1.0, 2.0, 3.0]), along=along, normal=np.array([0.0, 0.0, 1.0]))
    there = np.array([4.0, 2.0, 3.0])
    met = _met(hold, there - 5 * direction, direction)
    assert (met is None) == (not told)
    if told:
        np.testing.assert_allclose(met, there)
