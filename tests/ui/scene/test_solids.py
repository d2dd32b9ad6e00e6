"""Bodies in space: their light, what is seen through them, which is in front, and their legend."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from unittest.mock import Mock

import numpy as np
import pytest

from engines.api.placing import Faces, PlacedGroup, PlacedItem, Placement
from engines.geometry.grid import Grid
from engines.geometry.solids.faces import ball_faces, box_faces, joined, turned_faces
from tests.ui.scene.grids import info
from tests.ui.scene.test_renderer import canvas, egl  # noqa: F401  (fixtures)
from ui.scene.marks import Marks
from ui.scene.overlays.placed import materials, solids
from ui.scene.painter import Painter
from ui.scene.scene import Scene
from ui.scene.visuals import solids as module
from ui.scene.visuals.plates import DARK, LIGHT
from ui.scene.visuals.solids import SolidVisuals, _corners, with_normals
from workbench.project.project import CameraView, ViewSettings

# Written out: what the sources have is held against these.
COARSE = 64
GLOSS = 0.22
VEILED = 0.25

SIZE = (200, 200)
RED, BLUE = (220, 60, 40), (60, 110, 220)
CORNERS = np.array([[0.0, 0, 0], [10, 10, 10]])


def item(number: int, colour, faces, material="") -> PlacedItem:
    return PlacedItem(
        ("objects", number), str(number), outline=(CORNERS,), colour=colour, material=material, faces=faces
    )


def ball(number: int, center, radius: float, colour=RED, material="") -> PlacedItem:
    return item(number, colour, lambda: ball_faces(np.array(center, float), np.full(3, radius)), material)


def box(number: int, low, high, colour=BLUE, material="") -> PlacedItem:
    return item(number, colour, lambda: box_faces(np.array(low, float), np.array(high, float)), material)


def scene_of(*items: PlacedItem, theme=DARK, **view) -> Scene:
    """A cube of ten, seen along its x axis from in front, with its slices far behind."""
    grid = Grid((10, 10, 10), (1.0, 1.0, 1.0))
    scene = Scene(theme)
    scene.set_geometry(grid)
    scene.info = info(grid)
    camera = CameraView(azimuth=0.0, elevation=0.0, distance=60.0, center=(5.0, 5.0, 5.0))
    scene.apply_view(ViewSettings(camera=camera, slices=view.pop("slices", (0.0, 0.0, 0.0)), **view), 1.0)
    nodes = np.linspace(0.0, 10.0, 11)
    scene.marks = Marks(Placement((PlacedGroup("Objects", ("objects",), "object", items),), (nodes, nodes, nodes)))
    scene.show_fields({"u": np.full(1000, 0.5, np.float32)}, 1.0)
    return scene


def picture(scene: Scene, painter: Painter | None = None) -> np.ndarray:
    """Without outlines: (h, w, 3) float."""
    painter = painter or Painter()
    painter._draw_outlines = lambda *_: None
    painter.draw_scene(scene, *SIZE, 1.0, 1.0)
    return painter.read_scene()[..., :3].astype(float)


def at(scene: Scene, image: np.ndarray, place) -> np.ndarray:
    (pixel,), _ = scene.camera.to_pixels(np.array([place], float), *SIZE)
    return image[int(pixel[1]), int(pixel[0])]


def facing_eye(colour) -> np.ndarray:
    """What ``light.glsl`` makes of a colour on a face that looks at the eye."""
    key = np.array([0.308, 0.431, 0.848])
    sky = 0.5 * (np.array([0.40, 0.37, 0.37]) + np.array([0.52, 0.54, 0.58]))
    light = sky + 0.30 + np.array([0.46, 0.45, 0.43]) * key[2]
    half = key + np.array([0.0, 0.0, 1.0])
    shine = GLOSS * (half[2] / np.linalg.norm(half)) ** 48
    return 255 * np.sqrt(np.clip((np.array(colour) / 255) ** 2 * light + shine, 0, 1))


@pytest.mark.usefixtures("canvas")
class TestPictures:
    @pytest.mark.parametrize("theme", [DARK, LIGHT])
    def test_a_body_has_its_colour_in_the_light_of_the_view(self, theme) -> None:
        scene = scene_of(box(0, (7, 4, 4), (9.5, 6, 6), RED), theme=theme, solidity=1.0)
        image = picture(scene)
        assert at(scene, image, (9.5, 5.0, 5.0)) == pytest.approx(facing_eye(RED), abs=4)
        bare = picture(scene_of(theme=theme))
        assert at(scene, image, (8, 8, 8)) == pytest.approx(at(scene, bare, (8, 8, 8)), abs=1)

    def test_glass_tints_what_is_behind_it_by_its_opacity(self) -> None:
        behind = picture(scene_of())
        scene = scene_of(ball(0, (8, 5, 5), 1.5), solidity=0.4)
        middle = (9.5, 5.0, 5.0)
        mixed = 0.6 * at(scene, behind, middle) + 0.4 * facing_eye(RED)
        assert at(scene, picture(scene), middle) == pytest.approx(mixed, abs=3)

    @pytest.mark.parametrize("order", [1, -1])
    def test_a_body_within_another_is_seen_through_it_whichever_is_listed_first(self, order) -> None:
        inner, outer = ball(0, (5, 5, 5), 1.0), box(1, (3, 3, 3), (7, 7, 7))
        scene = scene_of(*(inner, outer)[::order], solidity=0.4)
        base = at(scene, picture(scene_of()), (7, 5, 5))
        through = 0.6 * (0.6 * base + 0.4 * facing_eye(RED)) + 0.4 * facing_eye(BLUE)
        assert at(scene, picture(scene), (7, 5, 5)) == pytest.approx(through, abs=4)

    def test_a_ring_of_two_walls_tints_once(self) -> None:
        """The nearest face of a body alone is drawn: its far wall, and a part behind a part, are not counted again."""
        walls = [box_faces(np.array([x, 3.0, 3]), np.array([x + 1.0, 7, 7])) for x in (3.0, 6.0)]
        scene = scene_of(item(0, BLUE, lambda: joined(walls)), solidity=0.4)
        base = at(scene, picture(scene_of()), (7, 5, 5))
        assert at(scene, picture(scene), (7, 5, 5)) == pytest.approx(0.6 * base + 0.4 * facing_eye(BLUE), abs=3)

    @pytest.mark.parametrize("opacity", [0.4, 1.0])
    def test_a_body_shines_through_a_slice_in_front_of_it(self, opacity) -> None:
        """Its two walls, so that the whole of it is seen; the slice, whose values one reads, more than it."""
        scene = scene_of(ball(0, (5, 5, 5), 2.0), solidity=opacity, slices=(0.95, 0.0, 0.0))
        bare = scene_of(slices=(0.95, 0.0, 0.0))
        base, seen = at(scene, picture(bare), (7, 5, 5)), at(scene, picture(scene), (7, 5, 5))
        part = np.dot(seen - base, facing_eye(RED) - base) / np.sum((facing_eye(RED) - base) ** 2)
        assert part == pytest.approx(1 - (1 - VEILED * opacity) ** 2, abs=0.05)
        assert part < 0.5

    def test_a_body_does_not_shine_through_another_that_is_solid(self) -> None:
        """Before the slice, behind which the other one is."""
        front, behind = box(0, (7, 3, 3), (9, 7, 7)), ball(1, (4, 5, 5), 1.0)
        alone = scene_of(front, solidity=1.0, slices=(0.6, 0.0, 0.0))
        both = scene_of(front, behind, solidity=1.0, slices=(0.6, 0.0, 0.0))
        assert at(both, picture(both), (9, 5, 5)) == pytest.approx(at(alone, picture(alone), (9, 5, 5)), abs=1)

    def test_a_body_is_drawn_where_it_has_moved(self) -> None:
        scene = scene_of(box(0, (7, 0, 4), (9, 2, 6), RED), solidity=1.0)
        scene.shifts = {("objects", 0): (0.0, 4.0, 0.0)}
        image, bare = picture(scene), picture(scene_of())
        assert at(scene, image, (9, 5, 5)) == pytest.approx(facing_eye(RED), abs=4)
        assert at(scene, image, (9, 1, 5)) == pytest.approx(at(scene, bare, (9, 1, 5)), abs=1)

    def test_triangles_go_to_the_card_once(self) -> None:
        made = []
        thing = item(0, RED, lambda: made.append(1) or ball_faces(np.full(3, 5.0), np.ones(3)))
        painter, scene = Painter(), scene_of(thing)
        for _ in range(3):
            picture(scene, painter)
        assert made == [1]
        painter.release()


def test_what_is_drawn_as_bodies() -> None:
    glass, more, gold = (
        ball(0, (5, 5, 5), 1, BLUE, "glass"),
        box(1, (1, 1, 1), (2, 2, 2), BLUE, "glass"),
        ball(2, (5, 5, 5), 1),
    )
    scene = scene_of(glass, more, replace(gold, faces=None))
    assert [each[0] for each in solids(scene)] == [glass, more]
    assert materials(scene) == (("glass", BLUE),)
    scene.marks = replace(scene.marks, dragged=replace(glass, title="moved"))
    assert [each[0].title for each in solids(scene)] == ["moved", "1"]
    scene.view.solidity = 0.0
    assert solids(scene) == []
    assert materials(scene) == ()


def test_round_bodies_are_smooth_and_boxes_have_edges() -> None:
    points, normals = with_normals(ball_faces(np.full(3, 5.0), np.full(3, 2.0)))
    outwards = (points - 5.0) / np.linalg.norm(points - 5.0, axis=1)[:, None]
    assert (normals * outwards).sum(axis=1).min() > 0.995
    _, normals = with_normals(box_faces(np.zeros(3), np.array([1.0, 2.0, 3.0])))
    assert np.sort(np.abs(normals), axis=1) == pytest.approx(np.tile([0, 0, 1], (36, 1)), abs=1e-6)


@pytest.mark.parametrize(("steps", "one"), [(0.0, True), (0.4, True), (0.6, False)])
def test_walls_whose_corners_a_millionth_tells_apart_do_not_meet(steps, one) -> None:
    corners = [(0, 0, 0), (1, 0, 0), (0.5, 0.4, 0), (steps / 2**20, 0, 0), (0.5, -0.4, 0.1), (1, 0, 0)]
    _, normals = with_normals(Faces(np.array(corners, float), np.arange(6, dtype=np.int32).reshape(2, 3)))
    assert np.allclose(normals[0], normals[3]) == one


def test_a_fine_surface_in_coarse_steps_is_where_it_was() -> None:
    """A ball of 115,000 triangles: a ninth of them is left, within a step of it, looking outwards."""
    angles = np.linspace(-0.5 * np.pi, 0.5 * np.pi, 1201)
    ball = turned_faces(np.stack([np.cos(angles), np.sin(angles)], axis=1), np.zeros(3), np.eye(3)[2])
    points, normals = with_normals(ball, COARSE)
    assert len(points) / 3 < 0.12 * len(ball.triangles)
    away = np.linalg.norm(points, axis=1)
    assert np.abs(away - 1).max() < 2 / COARSE
    assert ((normals * points).sum(axis=1) / away).min() > 0.85


@pytest.mark.parametrize("side", [1.0, -1.0])
@pytest.mark.parametrize("moved", [0.0, 30.0])
def test_bodies_are_drawn_the_farthest_first_from_either_side(monkeypatch, side, moved):
    monkeypatch.setattr(module, "SurfaceVisual", lambda palette: Mock())
    visuals = SolidVisuals(None)
    near, far = (PlacedItem(("objects", k), str(k), outline=(CORNERS,), colour=RED) for k in range(2))
    for item, place in ((near, 4.0), (far, -4.0)):
        visuals._kept[id(item)] = module._Kept(item, RED, Mock(), np.array([[side * place, 0.0, 0.0]]))
    order = []
    for k, item in enumerate((near, far)):
        visuals._kept[id(item)].visual.draw = lambda *_, k=k, **__: order.append(k)
    view = np.eye(4)
    view[0, 3] = -side * 40.0
    shift = np.array([side * moved, 0.0, 0.0])
    visuals.draw([(near, RED, np.zeros(3)), (far, RED, shift)], 1.0, Scene().look(), view, np.eye(4))
    assert order == ([0, 1] if moved else [1, 0])


def test_corners_of_a_body_are_those_of_the_box_around_it() -> None:
    points = np.array([[0.0, 5.0, 9.0], [1.0, 3.0, 7.0], [0.5, 4.0, 8.0]])
    assert {tuple(each) for each in _corners(points)} == set(product((0.0, 1.0), (3.0, 5.0), (7.0, 9.0)))
