"""Arrows: where they stand, which way they point, how long they are, and what is asked of a run for them."""

from dataclasses import replace

import numpy as np
import pytest

from engines.api import FieldInfo, VectorInfo
from engines.geometry.grid import Grid
from engines.geometry.particles import Particles
from tests.ui.scene.grids import info
from tests.ui.scene.meshes import kuhn_cube
from ui.scene.arrows import ACROSS, PREFIX, asked, seeds_of, taken
from ui.scene.overlays.hud import Hud
from ui.scene.scene import Scene
from ui.scene.shapes.sheet import image
from workbench.project.project import ViewSettings
from workbench.run.frames import Frame

# Written out: what the sources have is held against these.
HEAD = 0.34
LEAST_HEAD = 0.16
LONGEST = 1.1
SLIM = 0.45

FLOW = VectorInfo("flow", "Flow", "m/s", ("a", "b", ""))
POWER = VectorInfo("S", "Flow of power", "W/m²", ("Ex", "", ""), ("", "Hy", ""))


def shown(grid, **view):
    """A scene of the grid, and what it asks for."""
    scene = Scene()
    scene.view = ViewSettings(**view)
    return scene, scene.set_simulation(replace(info(grid), vectors=(FLOW, POWER)))


def answered(scene, request, **components):
    values = {}
    for part, (name, selection) in request.parts.items():
        if part.startswith(PREFIX):
            places = scene.layer.geometry.centers(selection.elements)
            values[part] = np.broadcast_to(components[name](places), len(places)).astype(np.float32)
        elif selection.offsets is not None:
            values[part] = np.zeros(len(selection.offsets) - 1, np.float32)
        else:
            values[part] = np.zeros(len(selection.elements), np.float32)
    scene.show_frame(Frame(request.serial, 1, 1.0, values))
    return scene.arrows


def test_a_turning_flow_is_drawn_as_it_turns_and_as_long_as_it_is_strong():
    scene, request = shown(Grid((260, 130), (0.5, 0.5)), arrows="flow")
    assert {part for part in request.parts if part.startswith(PREFIX)} == {"arrow a", "arrow b"}
    arrows = answered(scene, request, a=lambda p: -(p[:, 1] - 30), b=lambda p: p[:, 0] - 60)
    assert len(arrows.places) == ACROSS * ACROSS // 2
    assert arrows.apart == pytest.approx(130 / ACROSS)
    lines = arrows.lines(np.array([0.0, 0.0, 1.0]), 0.0)
    count = len(lines) // 3
    shafts, heads = lines[:count], lines[count:]
    ways, middles = shafts[:, 1] - shafts[:, 0], shafts.mean(axis=1)
    around = middles - (60, 30, 0)
    assert abs((ways * around)[:, :2].sum(axis=1)).max() < 1e-9, "across the way to the middle"
    assert (np.cross(around, ways)[:, 2] > 0).all(), "anticlockwise"
    sizes, lengths = np.linalg.norm(around[:, :2], axis=1), np.linalg.norm(ways, axis=1)
    weak = sizes < arrows.longest
    np.testing.assert_allclose(lengths[weak], LONGEST * arrows.apart * sizes[weak] / arrows.longest)
    np.testing.assert_allclose(lengths[~weak], LONGEST * arrows.apart)
    np.testing.assert_allclose(heads[:, 1], np.concatenate([shafts[:, 1]] * 2))
    along, across = (ways / lengths[:, None])[None], np.cross(ways / lengths[:, None], (0, 0, 1))[None]
    barbs = (heads[:, 1] - heads[:, 0]).reshape(2, count, 3)
    head = np.clip(HEAD * lengths, LEAST_HEAD * arrows.apart, lengths)
    np.testing.assert_allclose((barbs * along).sum(axis=2), [head] * 2, err_msg="they lie back from the tip")
    np.testing.assert_allclose((barbs * across).sum(axis=2), [SLIM * head, -SLIM * head], atol=1e-9)


def test_the_scale_stays_while_it_fits_and_one_source_does_not_set_it():
    grid = Grid((40, 40), (1.0, 1.0))
    seeds = seeds_of(grid, (image(grid, 1600, False),))
    sizes = np.ones(len(seeds.elements), np.float32)
    sizes[0] = 1e6

    def of(factor, before):
        return taken(FLOW, seeds, {"arrow a": factor * sizes, "arrow b": 0 * sizes}, before)

    first = of(1.0, None)
    assert first.longest == 1.0
    assert of(0.5, first).longest == 1.0
    assert of(0.25, first).longest == 0.3
    assert taken(FLOW, seeds, {"arrow a": sizes}, None) is None


def test_what_is_weak_or_no_number_does_not_set_the_scale():
    grid = Grid((40, 40), (1.0, 1.0))
    seeds = seeds_of(grid, (image(grid, 1600, False),))
    sizes = np.full(len(seeds.elements), 1e-3)
    sizes[::5], sizes[1::50] = 1.0, np.nan
    arrows = taken(FLOW, seeds, {"arrow a": sizes, "arrow b": 0 * sizes}, None)
    assert arrows.longest == 1.0
    assert len(arrows.lines(np.array([0.0, 0.0, 1.0]), 0.0)) == 3 * (sizes == 1.0).sum()
    none = taken(FLOW, seeds, {"arrow a": np.nan * sizes, "arrow b": sizes}, None)
    assert (none.longest, len(none.lines(np.array([0.0, 0.0, 1.0]), 0.0))) == (1.0, 0)


def test_the_flow_of_power_is_the_cross_product():
    grid = Grid((12, 12, 12), (1.0, 1.0, 1.0))
    scene, request = shown(grid, arrows="S")
    arrows = answered(scene, request, Ex=lambda p: 3.0, Hy=lambda p: 0.5)
    np.testing.assert_allclose(arrows.vectors, np.broadcast_to((0, 0, 1.5), arrows.vectors.shape))
    sheets = np.abs(arrows.places - 6.5).min(axis=1)
    assert sheets.max() == 0, "they stand on the slices"
    through = seeds_of(grid, ())
    assert len(through.elements) == 9**3


def test_particles_have_some_spread_evenly_and_moved_with_them():
    axis = np.arange(100.0)
    x, y = np.meshgrid(axis, axis)
    places = np.stack([x.ravel(), y.ravel(), 0 * x.ravel()], axis=1)
    particles = Particles(places, np.full(len(places), 0.5))
    seeds = seeds_of(particles, ())
    assert 24**2 <= len(seeds.elements) <= 25**2
    moved = FieldInfo("u", "Displacement", "mm", "cell", (0.0, 1.0), components=3)
    parts = asked(VectorInfo("v", "Velocity", "m/s", ("v",)), seeds, moved)
    assert {part: name for part, (name, _) in parts.items()} == {"arrow v": "v", "arrow place": "u"}
    values = {part: np.tile(np.float32((0, 2, 0)), (len(seeds.elements), 1)) for part in parts}
    arrows = taken(VectorInfo("v", "Velocity", "m/s", ("v",)), seeds, values, None)
    shafts = arrows.lines(np.array([0.0, 0.0, 1.0]), 10.0)[: len(seeds.elements)]
    np.testing.assert_allclose(shafts.mean(axis=1)[:, :2], seeds.places[:, :2] + (0, 20))
    assert seeds_of(kuhn_cube(2), ()) is None


def test_of_the_particles_in_a_box_the_one_nearest_to_its_middle_has_the_arrow():
    """Boxes are a twenty-fourth of the longest side, 2 mm here."""
    places = 7 + 2 * np.array([[0.0, 0, 0], [24.0, 0, 0], [2.1, 0.5, 0], [2.45, 0.5, 0], [2.9, 0.5, 0], [3.1, 0.5, 0]])
    seeds = seeds_of(Particles(places, np.full(len(places), 0.05)), ())
    assert sorted(seeds.elements.tolist()) == [0, 1, 3, 5]
    assert seeds.apart == 2.0


def test_among_particles_in_space_arrows_are_a_ninth_of_the_longest_side_apart():
    axis = np.arange(19.0)
    places = np.stack([part.ravel() for part in np.meshgrid(axis, axis / 3, axis / 2)], axis=1)
    seeds = seeds_of(Particles(places, np.full(len(places), 0.1)), ())
    assert seeds.apart == 2.0
    boxes = np.floor(places[seeds.elements] / 2)
    assert len(np.unique(boxes, axis=0)) == len(boxes), "one in each box"
    alone = seeds_of(Particles(np.zeros((1, 3)), np.ones(1)), ())
    assert (alone.elements.tolist(), alone.apart) == ([0], 1.0)


def test_a_key_says_what_length_means():
    scene, request = shown(Grid((50, 50), (1.0, 1.0)), arrows="flow")
    names = [name for name, *_ in Hud().compose(scene, 800, 600, 1.0)[0]]
    assert "arrows" not in names
    answered(scene, request, a=lambda p: 3.0, b=lambda p: 0.0)
    assert "arrows" in [name for name, *_ in Hud().compose(scene, 800, 600, 1.0)[0]]
    for height in (230, 260, 316, 600):  # in a low view the colours make room for it
        tops = {name: (top, image.shape[0]) for name, image, _, top in Hud().compose(scene, 800, height, 1.0)[0]}
        assert sum(tops["bar"]) <= tops["arrows"][0]
        assert sum(tops["arrows"]) <= tops["scale"][0]
    scene.view.arrows = ""
    request = scene.replan()
    answered(scene, request)
    assert scene.arrows is None
