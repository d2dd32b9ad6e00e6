"""Lattices in the scene: where squares and cubes are drawn, what is hidden, what a click meets, and the scale."""

from __future__ import annotations

from dataclasses import replace
from unittest.mock import Mock

import numpy as np
import pytest

from engines.api import FieldInfo, Lines, SimulationInfo
from engines.api.charts import Links
from engines.api.placing import PlacedGroup, PlacedItem, Placement
from engines.geometry.particles import Particles
from tests.ui.scene.test_renderer import egl  # noqa: F401  (a fixture)
from ui.scene import renderer
from ui.scene.cameras.deformation import visible_scale
from ui.scene.layers import lattice as lattice_module
from ui.scene.layers.kinds import layer_for
from ui.scene.layers.lattice import LatticeLayer
from ui.scene.layers.layer import Plan
from ui.scene.layers.particles import HIDING, MOVED, VALUES, ParticleLayer
from ui.scene.marks import Marks
from ui.scene.overlays.link_strokes import link_strokes
from ui.scene.overlays.placed import segments
from ui.scene.scene import Scene
from ui.scene.shapes.boxes import first_box
from workbench.project.project import ClipPlane, ViewSettings
from workbench.run.frames import Frame

# Written out: what the sources have is held against these.
COARSE_FACES = 80_000

DAMAGE = FieldInfo("damage", "Damage", "", "cell", (0.0, 0.5), "grey")
GONE = FieldInfo("gone", "Displacement", "mm", "cell", (0.0, 1.0), components=3)


def lattice(nx: int, ny: int, nz: int = 1, spacing: float = 2.0) -> Particles:
    z, y, x = np.meshgrid(np.arange(nz), np.arange(ny), np.arange(nx), indexing="ij")
    cells = np.stack([x.ravel(), y.ravel(), z.ravel()], axis=1).astype(np.int32)
    positions = (cells + 0.5) * spacing
    if nz == 1:
        positions[:, 2] = 0.0
    return Particles(positions, np.full(len(positions), spacing / 2), "mm", cells)


def info(particles: Particles) -> SimulationInfo:
    return SimulationInfo(
        particles, 0.1, "us", (DAMAGE,), (), (), None, displaced=GONE, hidden_by="damage", lined="Crack path"
    )


def shown(particles: Particles, damage, moved, **view) -> Scene:
    scene = Scene()
    scene.set_geometry(particles)
    scene.info = info(particles)
    scene.apply_view(ViewSettings(**view), 1.5)
    scene.show_fields({"damage": np.asarray(damage, np.float32), "gone": np.asarray(moved, np.float32)}, 1.0)
    return scene


def test_a_lattice_has_a_layer_of_its_own() -> None:
    assert isinstance(layer_for(lattice(3, 2)), LatticeLayer)
    spheres = Particles(np.eye(3), np.full(3, 0.1))
    assert type(layer_for(spheres)) is ParticleLayer
    with pytest.raises(ValueError, match="cells of shape"):
        Particles(np.eye(3), np.ones(3), "mm", np.zeros((2, 3), np.int32))


def test_a_click_meets_a_square_where_it_is_drawn() -> None:
    particles, moved = lattice(4, 3), np.zeros((12, 3))
    moved[:, 0] = 0.05
    scene = shown(particles, np.zeros(12), moved, deformation=100.0)
    place = particles.positions[5] + [5.0, 0.0, 0.0]
    origin, down = place + np.array([0.1, 0.0, 9.0]), np.array([0.0, 0.0, -1.0])
    element, position = scene.layer.pick(origin, down)
    assert element == 5
    assert position == pytest.approx(particles.positions[5] + [0.1, 0.0, 0.0], abs=1e-5)  # float32 displacement
    assert scene.layer.shown_at(particles.positions[5:6])[0] == pytest.approx(place, abs=1e-5)
    assert scene.layer.pick(particles.positions[0] + [0.0, 0.0, 9.0], down) is None
    assert scene.deformation == 100.0


@pytest.mark.parametrize("away", [0.0, 0.05])
def test_the_value_under_the_pointer_is_that_of_the_square_there(away) -> None:
    particles, moved, size = lattice(4, 3), np.zeros((12, 3)), (600, 400)
    moved[:, 0] = away
    scene = shown(particles, np.arange(12), moved, deformation=100.0)
    pixels, _ = scene.camera.to_pixels(particles.positions + 100.0 * moved + [0.6, -0.6, 0.0], *size)
    for square, pixel in enumerate(pixels):
        scene.pointer = tuple(pixel / size)
        assert scene.reading(*size) == square, "to its corners"
    scene.pointer = (0.0, 0.0)
    assert scene.reading(*size) is None, "beside them"


def test_at_rest_nothing_is_asked_of_displacements() -> None:
    scene = shown(lattice(4, 3), np.zeros(12), np.ones((12, 3)), deformation=0.0)
    assert set(scene.layer.parts(scene.layer.shape)) == {VALUES}
    scene.apply_view(ViewSettings(hidden_above=0.1), 1.5)
    assert set(scene.layer.parts(scene.layer.plan_shape(scene.plan()))) == {VALUES, MOVED, HIDING}


def test_cubes_are_drawn_where_something_is_missing_beside_them() -> None:
    particles = lattice(5, 5, 5)
    damage = np.zeros(125)
    middle, beside = 62, 63
    scene = shown(particles, damage, np.zeros((125, 3)))
    rows = scene.layer._shown_rows()
    assert len(rows) == 125 - 27
    _, faces = scene.layer._faces(rows)
    assert len(faces) == 6 * 25
    assert set(faces) == set(range(3, 9))
    damage[middle] = 0.4
    scene.show_fields({"damage": damage.astype(np.float32), "gone": np.zeros((125, 3), np.float32)}, 2.0)
    rows = scene.layer._shown_rows()
    assert middle in rows
    assert beside not in rows
    assert len(scene.layer._faces(rows)[1]) == 6 * 25 + 3
    scene.apply_view(ViewSettings(hidden_above=0.3), 1.5)
    scene.show_fields({"damage": damage.astype(np.float32), "gone": np.zeros((125, 3), np.float32)}, 2.0)
    rows = scene.layer._shown_rows()
    assert middle not in rows
    assert beside in rows


def test_a_cut_shows_the_cubes_behind_it() -> None:
    layer = LatticeLayer(lattice(5, 5, 5))
    clip = ClipPlane(origin=(5.0, 0.0, 0.0), normal=(1.0, 0.0, 0.0))
    shape = layer.plan_shape(Plan(DAMAGE, clip=clip))
    assert len(shape.elements) == 75  # centres at 1, 3 and 5
    assert layer.particles.positions[shape.elements, 0].max() == 5.0
    assert shape.free[layer.particles.positions[shape.elements, 0] == 5.0, 1].all()


@pytest.mark.parametrize("counts", [(400, 300, 1), (240, 180, 3)])
def test_too_many_become_larger_ones_and_are_said_to(counts) -> None:
    particles = lattice(*counts)
    layer = LatticeLayer(particles)
    assert layer.has_coarse
    plan = layer.settled(Plan(DAMAGE, coarse=True))
    assert layer.settled(plan) == plan
    shape = layer.plan_shape(plan)
    assert 0 < layer._count(plan) <= COARSE_FACES
    layer.adopt(shape)
    assert "particles drawn as one" in layer.note()
    low, high = particles.bounds
    middles, half = layer._middles(particles.positions[shape.elements]), layer._half()
    # what is drawn ends within half of a larger cube of where the body does
    assert np.abs(middles.min(axis=0)[:2] - half - low[:2]).max() <= half
    assert np.abs(middles.max(axis=0)[:2] + half - high[:2]).max() <= half


def test_the_nearest_box_is_met() -> None:
    centres = np.array([[0.0, 0, 0], [3.0, 0, 0], [6.0, 0, 0]])
    row, distance = first_box(centres, np.ones(3), np.array([10.0, 0.5, 0.2]), np.array([-1.0, 0.0, 0.0]))
    assert (row, distance) == (2, 3.0)
    assert first_box(centres, np.ones(3), np.array([10.0, 1.5, 0.0]), np.array([-1.0, 0.0, 0.0])) is None


def test_the_scale_makes_displacements_visible_and_is_calm() -> None:
    moved = np.full((1000, 3), [0.03, 0.0, 0.0])
    assert visible_scale(moved, 100.0, None) == 100.0  # 5 mm of 100 mm would be 167
    assert visible_scale(1.6 * moved, 100.0, 100.0) == 100.0
    assert visible_scale(2.0 * moved, 100.0, 100.0) == 50.0
    assert visible_scale(1e-9 * moved, 100.0, None) == 1000.0
    assert visible_scale(1e6 * moved, 100.0, None) == 1.0
    moved[0] = 50.0  # a fragment that flies away
    assert visible_scale(moved, 100.0, None) == 100.0
    assert visible_scale(0 * moved, 100.0, None) == 1.0


def test_links_are_drawn_where_their_ends_have_gone() -> None:
    particles, moved = lattice(4, 3), np.zeros((12, 3))
    moved[:, 1] = 0.01
    scene = shown(particles, np.zeros(12), moved, deformation=50.0)
    segments = particles.positions[[[5, 6], [5, 9]]]
    displacements = np.full((2, 2, 3), [0.0, 0.01, 0.0])
    scene.links = Links("Bond stretch", "", (-1.0, 1.0), segments, np.array([0.5, np.nan]), displacements)
    strokes = link_strokes(scene, 600, 400, 1.0)
    (hub,), _ = scene.camera.to_pixels(particles.positions[5:6] + np.array([0.0, 0.5, 0.0]), 600, 400)
    assert strokes[-1].start == pytest.approx(hub)
    assert strokes[0].colour[3] < 255  # the one that is gone, under the others
    scene.links = None
    assert link_strokes(scene, 600, 400, 1.0) == []


def test_lines_are_asked_for_when_they_are_drawn() -> None:
    particles, scene = lattice(4, 3), Scene()
    scene.set_geometry(particles)
    scene.view = ViewSettings(lines=True)
    request = scene.set_simulation(info(particles))
    assert request.lines
    lines = Lines(np.zeros((1, 2, 3)))
    values = {VALUES: np.zeros(12, np.float32), MOVED: np.zeros((12, 3), np.float32)}
    assert scene.show_frame(Frame(request.serial, 1, 0.1, values, lines=lines))
    assert scene.traced is lines


@pytest.mark.parametrize("depth", [1, 4])
def test_a_picture_shows_the_body_where_it_has_gone(egl, depth) -> None:  # noqa: F811
    """A block whose upper half has moved up by a half of its height: the gap shows the background."""
    particles = lattice(8, 8, depth)
    upper = particles.positions[:, 1] > 8
    moved = np.where(upper[:, None], [0.0, 0.08, 0.0], 0.0).astype(np.float32)
    damage = np.full(len(upper), 0.5, np.float32)
    values, size = {"damage": damage, "gone": moved}, (300, 300)
    camera = {"azimuth": -90.0, "elevation": 90.0, "distance": 90.0, "center": (8.0, 8.0, 0.0)}
    bright = {}
    for scale in (0.0, 100.0):
        view = ViewSettings(deformation=scale, overlay=False, camera=camera)
        image = renderer.render(particles, info(particles), values, 1.0, view, size).astype(int)
        bright[scale] = (image[:, 110:190, :3].min(axis=2) > 70).mean(axis=1) > 0.9  # rows of the body
    begins = [int((np.diff(rows.astype(int)) == 1).sum()) for rows in bright.values()]
    assert begins == [1, 2]
    assert bright[100.0].sum() == pytest.approx(bright[0.0].sum(), rel=0.2)  # squares and cubes overlap a little


def test_what_has_moved_is_outlined_where_it_is_as_often_as_the_body() -> None:
    """While its handles are there it stays where it was placed."""
    particles, scene = lattice(4, 3), Scene()
    scene.set_geometry(particles)
    scene.view = ViewSettings(deformation=10.0)
    request = scene.set_simulation(info(particles))
    item = PlacedItem(("rigid", 0), "Ball", outline=(np.zeros((2, 3)),))
    values = {VALUES: np.zeros(12, np.float32), MOVED: np.full((12, 3), 0.1, np.float32)}
    frame = Frame(request.serial, 1, 0.1, values, shifts={("rigid", 0): (0.0, -0.5, 0.0)})
    assert scene.show_frame(frame)
    assert segments(scene, item)[..., 1] == pytest.approx(-5.0)
    assert (segments(scene, PlacedItem(("rigid", 1), "Plane", outline=item.outline)) == 0).all()
    scene.marks = Marks(grips=True)
    assert segments(scene, item)[..., 1] == pytest.approx(0.0)
    scene.set_simulation(info(particles))
    assert not scene.shifts


@pytest.mark.parametrize(
    ("begins", "by", "drawn"),
    [
        (10.0, (0.0, -3.0, 0.0), -3.0),  # the body is not reached: it is drawn where it is
        (10.0, (0.0, -5.0, 0.0), -4.0 - 10 * 1.0),  # a millimetre beyond the body's face
        (10.0, (0.0, 5.0, 0.0), 5.0),  # it goes away
        (6.0, (0.0, -0.5, 0.0), -5.0),  # it touches from the first
    ],
)
def test_what_comes_from_afar_is_drawn_where_it_is_until_it_meets_the_body(begins, by, drawn) -> None:
    particles, scene = lattice(4, 3), Scene()
    assert particles.bounds[1][1] == pytest.approx(6.0)
    scene.set_geometry(particles)
    scene.view = ViewSettings(deformation=10.0)
    request = scene.set_simulation(info(particles))
    outline = np.array([[2.0, begins, 0.0], [3.0, begins + 2.0, 0.0]])
    item = PlacedItem(("rigid", 0), "Box", outline=(outline,))
    values = {VALUES: np.zeros(12, np.float32), MOVED: np.full((12, 3), 0.1, np.float32)}
    assert scene.show_frame(Frame(request.serial, 1, 0.1, values, shifts={("rigid", 0): by}))
    assert segments(scene, item)[0, 0, 1] - begins == pytest.approx(drawn)


def test_a_picture_has_what_has_moved_where_it_is(egl) -> None:  # noqa: F811
    """A ring beside the body, which the run has moved up: its green is by two of its diameters higher."""
    particles, size = lattice(8, 8), (300, 300)
    turn = np.linspace(0, 2 * np.pi, 33)
    ring = np.column_stack([20 + 2 * np.cos(turn), 4 + 2 * np.sin(turn), 0 * turn])
    item = PlacedItem(("rigid", 0), "Ball", outline=(ring,))
    placement = Placement((PlacedGroup("Penetrators", ("rigid",), "monitor", (item,)),), (np.arange(9.0),) * 3)
    values = {"damage": np.zeros(64, np.float32), "gone": np.zeros((64, 3), np.float32)}
    camera = {"azimuth": -90.0, "elevation": 90.0, "distance": 90.0, "center": (12.0, 8.0, 0.0)}
    view = ViewSettings(deformation=1.0, overlay=False, camera=camera)
    rows = []
    for up in (0.0, 8.0):
        image = renderer.render(
            particles, info(particles), values, 1.0, view, size, placement=placement,
            shifts={("rigid", 0): (0.0, up, 0.0)},
        ).astype(int)  # fmt: skip
        green = (image[..., 1] > image[..., 0] + 40) & (image[..., 1] > image[..., 2] + 30)
        rows.append(np.nonzero(green[:, 170:])[0][[0, -1]])
    tall = np.diff(rows[0])[0]
    assert tall > 15
    assert rows[0] - rows[1] == pytest.approx(2 * tall, abs=4)  # a line is about two pixels wide


def test_a_flat_lattice_is_drawn_as_squares_that_have_colours_once_there_are_values(monkeypatch) -> None:
    monkeypatch.setattr(lattice_module, "LatticeVisual", Mock)
    particles, look = lattice(4, 3), replace(Scene().look(), mapped=True)
    layer = LatticeLayer(particles)
    layer.adopt(layer.plan_shape(Plan(DAMAGE, displaced=GONE)))
    layer.draw(look, "view", "projection", None)
    visual = layer._squares
    middles, faces, rows, _ = visual.set_faces.call_args.args
    np.testing.assert_array_equal(middles, particles.positions)
    assert faces.tolist() == [2] * 12, "the one that looks up"
    assert rows.tolist() == list(range(12))
    drawn = visual.draw.call_args.args
    assert (drawn[0].mapped, *drawn[1:]) == (False, "view", "projection", 1.0, 0.0)
    layer.deformation = 2.0
    layer.set_values({VALUES: np.arange(12.0), MOVED: np.ones((12, 3))}, 1.0)
    for mapped in (True, False):
        layer.draw(replace(look, mapped=mapped), "view", "projection", None)
        drawn = visual.draw.call_args.args
        assert (drawn[0].mapped, *drawn[3:]) == (mapped, 1.12, 2.0), "what is stretched shows no gaps"
    assert visual.set_told.call_count == 2
    np.testing.assert_array_equal(visual.set_told.call_args.args[1], np.arange(12.0))


@pytest.mark.parametrize(("most", "stride"), [(8000, 1), (7999, 2), (1000, 2), (999, 3), (125, 4), (64, 5)])
def test_of_a_large_body_as_many_cells_are_asked_for_as_may_be(monkeypatch, most, stride):
    monkeypatch.setattr(lattice_module, "MOST_ASKED", most)
    layer = LatticeLayer(lattice(20, 20, 20))
    shape = layer.plan_shape(Plan(DAMAGE))
    assert shape.stride == stride
    assert len(shape.elements) == np.ceil(20 / stride) ** 3
    assert shape.free.sum() == 6 * np.ceil(20 / stride) ** 2, "what is inside has neighbours at all its sides"
