"""Fields whose values are names: a legend instead of a bar, and no colour that stands for no name."""

from __future__ import annotations

import numpy as np
import pytest

from engines.api import FieldInfo
from engines.geometry.grid import Grid
from engines.geometry.particles import Particles
from tests.ui.scene.grids import info
from tests.ui.scene.meshes import kuhn_cube
from tests.ui.scene.test_grid_pictures import colours_at, drawn
from tests.ui.scene.test_renderer import canvas, egl  # noqa: F401  # fixtures
from ui.scene.colormaps import MISSING, categories
from ui.scene.layers.grid import GridLayer
from ui.scene.layers.layer import Plan
from ui.scene.overlays.hud import Hud, named_colours, value_text
from ui.scene.scene import Scene
from workbench.project.project import ViewSettings

STATE = FieldInfo("state", "State", "", "grid", (0.0, 2.0), names=("empty", "tree", "burning"))


def scene_of(geometry, field=STATE, **view) -> Scene:
    scene = Scene()
    scene.set_geometry(geometry)
    scene.info = info(geometry, field)
    scene.apply_view(ViewSettings(field=field.name, **view), 1.0)
    values = (np.arange(geometry.n_cells) % 3).astype(np.float32)
    scene.show_fields({field.name: values}, 1.0)
    return scene


def test_each_value_has_a_colour_of_its_own():
    lut = categories(3)
    colours = lut[[round((value + 0.5) / 3 * 255) for value in range(3)]]
    assert len(np.unique(lut, axis=0)) == len(np.unique(colours, axis=0)) == 3
    entries = named_colours(STATE.names, lut)
    assert [name for name, _ in entries] == list(STATE.names)
    np.testing.assert_array_equal([colour for _, colour in entries], colours)


def test_many_names_end_in_how_many_more():
    entries = named_colours(tuple(f"phase {n}" for n in range(40)), categories(40))
    assert entries[-1] == ("and 25 more", MISSING)
    assert len(entries) == 16


def test_the_pointer_reads_a_name():
    named = [value_text(value, STATE, STATE.names) for value in (-1.0, 0.0, 1.0, 2.0, 2.5, 3.0)]
    assert named == ["−1", "empty", "tree", "burning", "2.5", "3"]
    assert value_text(-1.5, FieldInfo("u", "u", "mV", "grid", (0, 1)), ()) == "−1.5 mV"


def test_a_grid_shows_a_legend_whatever_range_and_colours_the_view_asks_for():
    scene = scene_of(Grid((12, 9), (1.0, 1.0)), range=(0.5, 0.7), colormap="inferno", follow=True)
    assert scene.limits(STATE) == (-0.5, 2.5)
    assert scene.lut(STATE) is categories(3)
    names = [name for name, *_ in Hud().compose(scene, 400, 300, 1.0)[0]]
    assert "names" in names
    assert "bar" not in names


def test_blocks_of_a_large_grid_show_one_of_their_cells():
    layer = GridLayer(Grid((600, 600), (1.0, 1.0)))
    (sheet,) = layer.plan_shape(Plan(field=STATE, samples=10_000)).sheets
    assert max(sheet.sampling.strides) > 1
    assert not sheet.sampling.means


def test_a_surface_that_is_smoothed_shows_numbers():
    scene = scene_of(kuhn_cube(2), FieldInfo("state", "State", "", "cell", (0.0, 2.0), names=STATE.names))
    assert scene.names(scene.shown_field) == ()
    assert "bar" in [name for name, *_ in Hud().compose(scene, 400, 300, 1.0)[0]]


def test_between_two_names_there_is_no_third_colour(canvas):  # noqa: F811
    """Stripes of 0 and 2: a picture that mixed them would pass through 1."""
    grid = Grid((6, 5), (1.0, 1.0))
    values = np.tile([0, 0, 2, 2, 0, 2], 5)
    image, scene = drawn(grid, values, STATE)
    lut = categories(3).astype(int)
    at = colours_at(image, scene, grid.centers(np.arange(grid.n_cells)))
    np.testing.assert_allclose(at, lut[((values + 0.5) / 3 * 255).round().astype(int)], atol=2)
    shown = image[image.sum(axis=2) > 0]
    assert not (np.abs(shown - lut[128]).max(axis=1) <= 8).any()


def test_particles_show_a_legend():
    at = np.array([[0.0, 0, 0], [1, 0, 0], [2, 0, 0]])
    field = FieldInfo("state", "State", "", "point", (0.0, 2.0), names=STATE.names)
    scene = scene_of(Particles(at, np.full(3, 0.5)), field)
    assert scene.names(scene.shown_field) == STATE.names
    assert scene.layer.drawn_values[0].max() == pytest.approx(2.0)
