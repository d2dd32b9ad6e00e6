"""Particles in the scene without OpenGL: what is asked for, kept, picked, framed."""

from __future__ import annotations

import math
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from engines.api import FieldInfo
from engines.geometry.packing import packed
from engines.geometry.particles import Particles
from tests.ui.scene.spheres import ARRIVAL, INSIDE, SHELLS, SURFACE, info, ten, touching
from ui.scene.layers import particles as module
from ui.scene.layers.layer import Plan
from ui.scene.layers.particles import HIDING, MOVED, VALUES, ParticleLayer, same
from ui.scene.scene import Scene
from ui.scene.shapes.sphere_corner import CORNER, first_sphere
from ui.scene.shapes.vertex_means import NO_DATA
from workbench.project.project import ClipPlane, ViewSettings
from workbench.run.frames import Frame

# Written out: what the sources have is held against these.
COARSE_SPHERES = 10_000
DEEPEST_SHADE = 0.38
MOST_SPHERES = 1_000_000
SHADE_DEPTH = 1.8

HALF = ClipPlane(origin=(0.0, 0.0, 0.0), normal=(1.0, 0.0, 0.0))


def many(n: int) -> Particles:
    places = np.stack([np.arange(n) % 100, np.arange(n) // 100 % 100, np.arange(n) // 10_000], axis=1)
    return Particles(places.astype(float), np.full(n, 0.4))


# What is asked for.


def test_each_sphere_is_asked_for_once_with_all_its_shells() -> None:
    layer = ParticleLayer(ten())
    parts = layer.parts(layer.plan_shape(Plan(INSIDE)))
    assert list(parts) == [VALUES]
    name, selection = parts[VALUES]
    assert (name, selection.offsets) == ("inside", None)
    assert np.array_equal(selection.elements, np.arange(10))
    assert layer.note() == ""
    assert layer.parts(layer.plan_shape(Plan())) == {}
    assert layer.parts(replace(layer.plan_shape(Plan(INSIDE)), elements=np.arange(0))) == {}, "nor of no sphere"


@pytest.mark.parametrize(
    ("field", "coarse", "most"),
    [(INSIDE, False, 300_000 // SHELLS), (SURFACE, False, 300_000), (SURFACE, True, COARSE_SPHERES)],
)
def test_no_more_values_are_asked_for_than_there_is_room(field, coarse, most) -> None:
    places = np.stack([np.arange(400_000) % 1000, np.arange(400_000) // 1000, np.zeros(400_000)], axis=1)
    layer = ParticleLayer(Particles(places, np.full(400_000, 0.4)))
    layer.adopt(layer.plan_shape(Plan(field, samples=300_000, coarse=coarse)))
    ((_, selection),) = layer.parts(layer.shape).values()
    assert len(selection) == math.ceil(400_000 / math.ceil(400_000 / most)), "one of each 2, 3 …"
    steps = np.diff(selection.elements)
    assert steps.max() - steps.min() <= 1  # evenly, wherever they stand
    assert layer.note() == f"{len(selection):,} of 400,000 spheres".replace(",", "\u202f")


def test_of_more_than_a_million_a_part_is_drawn() -> None:
    layer = ParticleLayer(many(1_100_000))
    assert MOST_SPHERES / 2 < layer.plan_shape(Plan(SURFACE, samples=4_000_000)).drawn <= MOST_SPHERES


@pytest.mark.parametrize("n", [1, 10, 9_999, 10_001, 70_123, 300_001])
@pytest.mark.parametrize("plan", [Plan(), Plan(INSIDE, samples=77_777), Plan(SURFACE, coarse=True, clip=HALF)])
def test_a_settled_plan_stays_as_it_is(n, plan) -> None:
    layer = ParticleLayer(many(n))
    settled = layer.settled(replace(plan, height=0.3, volume=True, slices=(0.1, 0.2, 0.3)))
    assert layer.settled(settled) == settled == layer.settled(plan)
    assert np.array_equal(layer.plan_shape(settled).elements, layer.plan_shape(plan).elements)


def test_the_clipping_plane_hides_spheres_by_their_centres_and_asks_only_for_the_others() -> None:
    particles = ten()
    clip = ClipPlane(origin=tuple(particles.positions.mean(axis=0)), normal=(0.0, 1.0, 0.0))
    layer = ParticleLayer(particles)
    shape = layer.plan_shape(Plan(INSIDE, clip=clip))
    ((_, selection),) = layer.parts(shape).values()
    kept = np.flatnonzero(particles.positions[:, 1] <= clip.origin[1])
    assert 0 < len(kept) < 10
    assert np.array_equal(selection.elements, kept)
    layer.adopt(shape)
    gone = int(np.argmax(particles.positions[:, 1]))
    above = particles.positions[gone] + [0.0, 0.0, 50.0]
    assert layer.pick(above, np.array([0.0, 0.0, -1.0])) is None
    assert layer.note() == ""


def test_a_moved_window_asks_nothing_new_and_cutting_open_neither() -> None:
    particles, scene = ten(), Scene()
    scene.set_geometry(particles)
    request = scene.set_simulation(info(particles))
    assert scene.show_frame(Frame(request.serial, 1, 0.1, {VALUES: np.zeros((10, SHELLS), np.float32)}))
    assert scene.look().cut_open
    scene.samples, scene.coarse = 500_000, True
    assert scene.apply_view(ViewSettings(cut_open=False), 1.2) is None
    assert not scene.look().cut_open
    assert scene.apply_view(ViewSettings(field="surface"), 1.2).parts[VALUES][0] == "surface"


# Values.


def test_what_is_missing_and_what_is_no_number_is_marked() -> None:
    values = np.random.default_rng(0).uniform(0, 10, (10, SHELLS)).astype(np.float32)
    values[3, 4], values[5, 6] = -1.0, np.nan
    layer = ParticleLayer(ten())
    layer.adopt(layer.plan_shape(Plan(ARRIVAL)))
    layer.set_fields({"arrival": values}, 0.0)
    assert layer._masked
    assert (np.argwhere(layer._values == np.float32(NO_DATA)) == [[3, 4], [5, 6]]).all()
    layer.adopt(layer.plan_shape(Plan(INSIDE)))
    assert not layer.has_values
    layer.set_values({VALUES: np.abs(np.nan_to_num(values))}, 0.0)
    assert not layer._masked


def test_whole_fields_give_what_the_simulation_would_answer() -> None:
    particles = many(20_000)
    whole = np.random.default_rng(0).random(20_000).astype(np.float32)
    layer = ParticleLayer(particles)
    layer.adopt(layer.plan_shape(Plan(SURFACE, coarse=True)))
    layer.set_fields({"surface": whole}, 0.0)
    ((_, selection),) = layer.parts(layer.shape).values()
    assert np.array_equal(layer._values[:, 0], whole[selection.elements])


def test_what_has_changed_is_sent_once_and_what_has_not_is_not(monkeypatch) -> None:
    """To the graphics card: places and sizes where they are others, values where these are or their spheres."""
    sent: list[tuple[str, int]] = []

    class Visual:
        def __init__(self, _palette) -> None:
            sent.clear()

        def set_spheres(self, places, radii, shades) -> None:
            assert len(places) == len(radii) == len(shades)
            sent.append(("spheres", len(places)))

        def set_values(self, values, masked) -> None:
            sent.append(("values", len(values)))

        def draw(self, look, view, projection) -> None:
            sent.append(("drawn", int(look.mapped)))

        def release(self) -> None:
            sent.append(("released", 0))

    monkeypatch.setattr(module, "SphereVisual", Visual)
    look, layer = replace(Scene().look(), mapped=True), ParticleLayer(ten())
    displaced = FieldInfo("moved", "Moved", "mm", "point", (0.0, 1.0), components=3)
    layer.adopt(layer.plan_shape(Plan(SURFACE, displaced=displaced, hiding=SURFACE)))

    def drawn() -> list[tuple[str, int]]:
        sent.clear()
        layer.draw(look, np.eye(4), np.eye(4), None)
        return list(sent)

    def given(values=1.0, moved=0.0) -> None:
        hiding = np.arange(10.0)
        layer.set_values({VALUES: np.full(10, values), MOVED: np.full((10, 3), moved), HIDING: hiding}, 0.0)

    assert drawn() == [("spheres", 10), ("drawn", 0)], "before it has values"
    assert drawn() == [("drawn", 0)]
    given()
    assert drawn() == [("spheres", 10), ("values", 10), ("drawn", 1)], "they are carried along from now on"
    assert drawn() == [("drawn", 1)]
    layer.deformation = 2.0
    assert drawn() == [("spheres", 10), ("values", 10), ("drawn", 1)]
    layer.hidden_above = 5.0  # the one that has it is not above it
    assert drawn() == [("spheres", 6), ("values", 6), ("drawn", 1)]
    given(moved=3.0)
    assert drawn()[0] == ("spheres", 6)
    layer.adopt(layer.plan_shape(replace(layer.shape.plan, clip=HALF)))
    assert drawn()[0][0] == "spheres"
    layer.release()
    assert drawn()[0][0] == "spheres", "on another canvas all of it"


@pytest.mark.parametrize("size", [(800, 600), (300, 500)])
def test_the_value_under_the_pointer_is_that_of_the_sphere_there(size) -> None:
    places = np.stack([np.arange(48) % 8, np.arange(48) // 8, np.zeros(48)], axis=1).astype(float)
    particles, scene = Particles(places, np.full(48, 0.4)), Scene()
    scene.set_geometry(particles)
    scene.info = info(particles)
    scene.apply_view(ViewSettings(field="surface"), size[0] / size[1])
    scene.show_fields({"surface": np.arange(48, dtype=np.float32)}, 0.0)
    pixels, _ = scene.camera.to_pixels(places, *size)
    for sphere, pixel in enumerate(pixels):
        scene.pointer = tuple(pixel / size)
        assert scene.reading(*size) == sphere
        assert scene.pick(*pixel, *size)[0] == sphere
    scene.pointer = (0.0, 0.0)
    assert scene.reading(*size) is None, "beside them"
    scene.pointer = None
    assert scene.reading(*size) is None


# Where a ray meets them.


def marched(particles, origin, direction, corner, reach, steps=20_000):
    """(row, distance) found by walking along the ray in small steps; None if nothing is met."""
    at = np.linspace(0, reach, steps)
    away = origin + at[:, None] * direction - particles.positions[:, None]  # (spheres, steps, 3)
    solid = (away**2).sum(axis=2) <= particles.radii[:, None] ** 2
    if corner is not None:
        solid &= ~((away @ corner.T) > 0).all(axis=2)
    steps_met = np.flatnonzero(solid.any(axis=0))
    return None if not len(steps_met) else (int(np.argmax(solid[:, steps_met[0]])), at[steps_met[0]])


@pytest.mark.parametrize("is_open", [False, True])
def test_a_ray_meets_what_a_walk_along_it_meets(is_open) -> None:
    particles, choose = touching(12), np.random.default_rng(1)
    low, high = particles.bounds
    met, cuts = 0, 0
    for _ in range(60):
        back = choose.normal(size=3)
        back /= np.linalg.norm(back)
        right = np.cross([0.0, 0.0, 1.0], back)
        right /= np.linalg.norm(right)
        corner = CORNER @ np.stack([right, np.cross(back, right), back]) if is_open else None
        target = choose.uniform(low, high)
        origin = target + 15.0 * back
        found = first_sphere(particles.positions, particles.radii, origin, -back, corner)
        expected = marched(particles, origin, -back, corner, 30.0)
        # A step is 1.5e-3 long: what the ray touches for less may be missed.
        if expected is None or found is None:
            assert found is expected
            continue
        assert found[0] == expected[0]
        assert found[1] == pytest.approx(expected[1], abs=2e-3)
        met += 1
        place = origin - found[1] * back - particles.positions[found[0]]
        cuts += np.linalg.norm(place) < 0.99 * particles.radii[found[0]]
    assert met > 25
    assert (cuts > 8) == is_open


def test_inside_a_sphere_and_behind_one_nothing_is_met() -> None:
    one, right = Particles(np.zeros((1, 3)), np.ones(1)), np.array([1.0, 0.0, 0.0])
    layer = ParticleLayer(one)
    assert layer.pick(np.zeros(3), right) is None
    assert layer.pick(2 * right, right) is None
    element, place = layer.pick(-3 * right, right)
    assert element == 0
    assert place == pytest.approx([-1.0, 0.0, 0.0])


# The camera.


@pytest.mark.parametrize("particles", [Particles(np.full((1, 3), 7.0), np.full(1, 3.0)), ten(), touching(40)])
@pytest.mark.parametrize("aspect", [0.7, 1.6])
def test_all_spheres_are_in_the_picture_and_fill_it(particles, aspect) -> None:
    scene = Scene()
    scene.set_geometry(particles)
    scene.apply_view(ViewSettings(), aspect)
    right, up, _ = scene.camera.axes
    edges = [
        p + r * s for p, r in zip(particles.positions, particles.radii, strict=True) for s in (right, -right, up, -up)
    ]
    pixels, _ = scene.camera.to_pixels(np.array(edges), 1000 * aspect, 1000)
    share = np.abs(pixels / [1000 * aspect, 1000] - 0.5).max()
    # The bounding sphere is found within 2 % and leaves 3 %; seen from one side, a cluster is smaller than its sphere.
    assert 0.3 < share < 0.51


def test_spheres_in_a_plane_are_looked_down_on() -> None:
    scene = Scene()
    scene.set_geometry(ten())
    assert scene.camera.elevation == 90
    scene.set_geometry(touching(40))
    assert scene.camera.elevation == ViewSettings().camera.elevation


# Packings.


def box(n: int) -> Particles:
    return packed(np.exp(0.2 * np.random.default_rng(1).standard_normal(n)))


def test_of_a_packing_the_outermost_are_drawn() -> None:
    particles = box(3000)
    layer = ParticleLayer(particles)
    shape = layer.plan_shape(Plan(SURFACE, samples=1000))
    assert len(shape.elements) == shape.drawn == 1000
    low, high = particles.positions.min(axis=0), particles.positions.max(axis=0)
    depths = np.minimum(particles.positions - low, high - particles.positions).min(axis=1)
    inside = np.setdiff1d(np.arange(3000), shape.elements)
    assert depths[shape.elements].max() <= depths[inside].min()
    assert (np.diff(shape.elements) > 0).all()


def test_of_a_packing_that_is_cut_those_at_the_cut_are_drawn_too() -> None:
    particles = box(3000)
    clip = ClipPlane(origin=tuple(particles.positions.mean(axis=0)), normal=(1.0, 0.0, 0.0))
    shape = ParticleLayer(particles).plan_shape(Plan(SURFACE, clip=clip, samples=1000))
    below = clip.origin[0] - particles.positions[:, 0]
    assert len(shape.elements) == 1000
    assert below[shape.elements].min() >= 0
    at_the_cut = np.flatnonzero((below >= 0) & (below < 1))
    assert np.isin(at_the_cut, shape.elements).all()


def test_light_does_not_reach_far_into_a_packing() -> None:
    layer = ParticleLayer(box(3000))
    shades = layer._shades(layer.shape)
    assert shades.max() == 1
    assert 0.3 < shades.min() < 0.5
    assert (ParticleLayer(ten())._shades(ParticleLayer(ten()).shape) == 1).all()


def test_the_value_at_a_place_in_a_sphere_is_read_out() -> None:
    particles = ten()
    layer = ParticleLayer(particles)
    layer.adopt(layer.plan_shape(Plan(INSIDE)))
    place = particles.positions[4]
    assert layer.reading(4, place) is None
    assert layer.span() is None
    profiles = np.tile(np.linspace(0, 1, SHELLS, dtype=np.float32), (10, 1)) + np.arange(10, dtype=np.float32)[:, None]
    layer.set_values({VALUES: profiles}, 0.0)
    assert layer.span() == (0.0, 10.0)
    assert layer.reading(4, place) == 4.0
    outwards = np.array([particles.radii[4], 0.0, 0.0])
    assert layer.reading(4, place + outwards) == 5.0
    assert layer.reading(4, place + 0.5 * outwards) == pytest.approx(4.5, abs=1e-6)


def test_what_is_missing_is_not_read_out() -> None:
    layer = ParticleLayer(ten())
    layer.adopt(layer.plan_shape(Plan(ARRIVAL)))
    layer.set_fields({"arrival": np.full((10, SHELLS), -1.0)}, 0.0)
    assert layer.reading(2, ten().positions[2]) is None
    assert layer.span() is None


def test_keys_are_the_same_by_object_and_numbers_by_value():
    array, other = np.zeros(3), np.zeros(3)
    assert same((array, 1.5, "a"), (array, float("1.5"), "a"))
    assert not same((array, 1.5), (other, 1.5))
    assert not same((array, 1.5), (array, 2.5))
    assert not same(None, (array, 1.5))


def test_the_light_on_a_sphere_falls_off_over_so_many_mean_radii(monkeypatch):
    """exp(−1) of what the depth can take where it lies SHADE_DEPTH mean radii under the surface."""
    layer = ParticleLayer(Particles(np.arange(6.0).reshape(2, 3), np.array([0.5, 2.5])))
    layer._depths = np.zeros(2)
    monkeypatch.setattr(layer, "_depths_under", lambda plane: np.array([0.5, 2.5 + SHADE_DEPTH * 1.5]))
    shape = SimpleNamespace(elements=np.array([0, 1]), plan=SimpleNamespace(clip=None))
    light = layer._shades(shape)
    assert light == pytest.approx([1.0, DEEPEST_SHADE + (1 - DEEPEST_SHADE) * np.exp(-1)])


def test_the_outline_is_the_far_side_of_each_sphere_wherever_they_are() -> None:
    places = np.random.default_rng(4).uniform(0, 10, (1200, 3)) + np.array([300.0, -200.0, 50.0])
    for count in (1200, 1000):
        layer = ParticleLayer(Particles(places[:count], np.full(count, 0.5)))
        middle = np.mean(layer.bounds, axis=0)
        far = layer.outline[:count] - places[:count]
        np.testing.assert_allclose(np.linalg.norm(far, axis=1), 0.5)
        away = places[:count] - middle
        np.testing.assert_allclose(far, 0.5 * away / np.linalg.norm(away, axis=1)[:, None], atol=1e-9)
        assert len(layer.outline) == (count if count > 1000 else 7 * count)
