"""Surfaces within a body: which are looked for, when, in which order they are drawn, and what is freed."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from ui.scene.shapes.inside import FrontSurface
from ui.scene.visuals.surface import Look, Palette
from ui.scene.visuals.within import front, levels, paced
from ui.scene.visuals.within.front import InsideFront
from ui.scene.visuals.within.levels import LevelSurfaces

LOOK = Look(np.zeros((256, 3), np.uint8), (0.0, 1.0), front_width=2.0, isochrone=3.0, gloss=0.7)
VALUES = np.arange(8.0)


class Visual:
    def __init__(self, palette) -> None:
        self.released, self.drawn = False, []

    def set_mesh(self, points, normals, triangles, colours) -> None:
        self.triangles, self.colours = triangles, colours

    def set_values(self, values) -> None:
        self.values = values

    def draw(self, look, view, projection, two_sided, nearest=False) -> None:
        self.drawn.append(SimpleNamespace(look=look, two_sided=two_sided, nearest=nearest))

    def release(self) -> None:
        self.released = True


@pytest.fixture
def now(monkeypatch):
    """A clock that stands still until it is set."""
    clock = SimpleNamespace(time=100.0)
    monkeypatch.setattr(paced, "clock", SimpleNamespace(perf_counter=lambda: clock.time))
    for module in (front, levels):
        monkeypatch.setattr(module, "SurfaceVisual", Visual)
    return clock


def surface(triangles: int) -> FrontSurface:
    points = np.zeros((3, 3))
    return FrontSurface(points, points, np.zeros((triangles, 3), int))


@pytest.fixture
def surfaces(now):
    asked = []

    def find(values, level):
        asked.append(level)
        return surface(round(10 * level))

    made = LevelSurfaces(find)
    made.asked = asked
    return made


def draw(surfaces):
    surfaces.draw(LOOK, np.eye(4), np.eye(4), Palette())
    surfaces.draw_over(LOOK, np.eye(4), np.eye(4))


def test_the_smallest_surface_is_solid_and_the_others_are_glass(surfaces):
    surfaces.want(VALUES, (0.7, 0.2, 0.5))
    draw(surfaces)
    visuals = surfaces._visuals
    assert [len(each.triangles) for each in visuals] == [2, 5, 7]
    assert [each.values.tolist() for each in visuals] == [pytest.approx([level] * 3) for level in (0.2, 0.5, 0.7)]
    assert all(each.colours.shape == (3, 3) for each in visuals)
    (solid,), *others = (each.drawn for each in visuals)
    assert (solid.look.glass, solid.nearest) == (0.0, False)
    assert [(each.look.glass, each.nearest) for (each,) in others] == [(0.4, True)] * 2
    for each in (solid, *(one for (one,) in others)):
        assert each.two_sided
        assert (each.look.front_width, each.look.isochrone, each.look.both_sides) == (0.0, 0.0, True)
        assert each.look.gloss == 0.3


def test_what_does_not_shine_has_no_surfaces_that_do(surfaces):
    surfaces.want(VALUES, (0.2,))
    surfaces.draw(Look(LOOK.lut, LOOK.limits, gloss=0.0), np.eye(4), np.eye(4), Palette())
    assert surfaces._visuals[0].drawn[0].look.gloss == 0.0


def test_surfaces_are_looked_for_again_for_other_values_or_levels_alone(surfaces, now):
    surfaces.want(VALUES, (0.2,))
    assert surfaces.is_behind
    draw(surfaces)
    surfaces.want(VALUES, (0.2,))
    assert not surfaces.is_behind
    now.time += 1.0
    surfaces.want(VALUES.copy(), (0.2,))
    draw(surfaces)
    now.time += 1.0
    surfaces.want(surfaces._wanted.values, (0.5,))
    draw(surfaces)
    assert surfaces.asked == [0.2, 0.2, 0.5]


def test_surfaces_that_are_no_more_are_freed(surfaces, now):
    surfaces.want(VALUES, (0.2, 0.5))
    draw(surfaces)
    small, large = surfaces._visuals
    now.time += 1.0
    surfaces.want(VALUES, (0.3,))
    draw(surfaces)
    assert surfaces._visuals == [small]
    assert (small.released, large.released) == (False, True)
    surfaces.want(None, ())
    draw(surfaces)
    assert small.released, "at once, whatever was due"
    assert surfaces._visuals == []


def test_what_the_graphics_card_has_lost_is_put_there_again(surfaces):
    surfaces.want(VALUES, (0.2,))
    draw(surfaces)
    (before,) = surfaces._visuals
    surfaces.release()
    assert before.released
    draw(surfaces)
    assert len(surfaces._visuals) == 1
    assert surfaces.asked == [0.2, 0.2]


@pytest.mark.parametrize(("took", "pause"), [(0.0, 0.1), (0.003, 0.1), (0.3, 2.0)])
def test_looking_for_surfaces_takes_fifteen_hundredths_of_the_time_at_most_and_ten_a_second(now, took, pause):
    def find(values, level):
        now.time += took
        return surface(1)

    surfaces = LevelSurfaces(find)
    surfaces.want(VALUES, (0.2,))
    draw(surfaces)
    done = now.time
    surfaces.want(VALUES.copy(), (0.2,))
    now.time = done + 0.99 * pause
    draw(surfaces)
    assert surfaces.is_behind, "not yet"
    now.time = done + 1.01 * pause
    draw(surfaces)
    assert not surfaces.is_behind


def test_a_front_is_plain_and_freed_when_there_is_none(now, monkeypatch):
    monkeypatch.setattr(front, "front_surface", lambda *given: surface(len(given)))
    inside = InsideFront()
    inside.draw(LOOK, np.eye(4), np.eye(4), Palette())
    visual = inside._visual
    assert not visual.drawn, "there is nothing yet"
    inside.take(SimpleNamespace(), VALUES, VALUES, 1.5)
    inside.draw(LOOK, np.eye(4), np.eye(4), Palette())
    (done,) = visual.drawn
    assert len(visual.triangles) == 4
    assert (done.look.mapped, done.look.front_width, done.look.both_sides, done.look.gloss) == (False, 0.0, True, 0.25)
    assert done.two_sided
    np.testing.assert_allclose((visual.colours / 255) ** 2, np.tile(front.FRONT_COLOUR, (3, 1)))
    inside.forget()
    inside.draw(LOOK, np.eye(4), np.eye(4), Palette())
    assert visual.released
    assert len(visual.drawn) == 1
    inside.take(SimpleNamespace(), VALUES, VALUES, 1.5)
    inside.release()
    assert inside._visual is None
    inside.draw(LOOK, np.eye(4), np.eye(4), Palette())
    assert len(inside._visual.drawn) == 1
