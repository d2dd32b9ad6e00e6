"""Isochrones: where the lines are in a picture, on which fields, how far apart, and the switch for them."""

import math
from dataclasses import replace

import numpy as np
import pytest

from engines.api import FieldInfo
from tests.ui.scene.meshes import ACTIVATION, VOLTAGE, info, kuhn_cube
from tests.ui.scene.test_renderer import SIZE, canvas, egl, pixels  # noqa: F401  # fixtures
from ui.panels.view.panel import ViewPanel
from ui.scene.fields import is_timed
from ui.scene.scene import Scene
from ui.scene.shapes.smoothing import smoothed_known, smoothing
from ui.scene.shapes.surface import surface
from ui.scene.visuals.plates import DARK, colour_bar
from workbench.project.project import CameraView, ViewSettings

# Written out: what the sources have is held against these.
LINE_SHADE = 0.35

LATER = replace(ACTIVATION, name="later", title="Latest activation")


def scene_of(mesh, times, **view) -> Scene:
    scene = Scene()
    scene.set_geometry(mesh)
    scene.info = replace(info(mesh), fields=(VOLTAGE, ACTIVATION, LATER))
    camera = CameraView(azimuth=0.0, elevation=0.0)
    scene.apply_view(ViewSettings(camera=camera, **view), SIZE[0] / SIZE[1])
    values = np.asarray(times, np.float32)
    scene.show_fields(dict.fromkeys(("voltage", "activation", "later"), values), 70.0)
    return scene


@pytest.mark.parametrize("field", ["activation", "later"])
def test_lines_stand_where_the_time_is_a_multiple_of_the_step(canvas, field) -> None:  # noqa: F811
    """Times run along y at 5 ms/mm; in the range of 60 ms lines are 5 ms, so 1 mm, apart."""
    mesh = kuhn_cube(20)
    marked, plain = (scene_of(mesh, 5.0 * mesh.centroids[:, 1], field=field, isochrones=on) for on in (True, False))
    changed = np.abs(pixels(marked) - pixels(plain))[SIZE[1] // 2, :, :3].sum(axis=1)
    assert marked.isochrone_step(ACTIVATION) == 5.0
    (left, right), _ = marked.camera.to_pixels(np.array([[10.0, 2.0, 5.0], [10.0, 8.0, 5.0]]), *SIZE)
    inside = np.arange(round(left[0] + 4), round(right[0] - 4))
    y = np.interp(inside, [left[0], right[0]], [2.0, 8.0])
    lines = y[changed[inside] > 60]
    pixel = 6.0 / (right[0] - left[0])
    assert np.abs(lines - np.round(lines)).max() < 2 * pixel, "half a line and half a pixel"
    assert set(np.round(lines)) == {3.0, 4.0, 5.0, 6.0, 7.0}
    assert (changed[inside][np.abs(y - np.round(y)) > 3 * pixel] < 15).all()


def test_lines_are_drawn_of_times_alone_and_where_there_are_any() -> None:
    mesh = kuhn_cube(2)
    about = info(mesh)
    assert is_timed(ACTIVATION, about)
    assert not is_timed(VOLTAGE, about)
    assert not is_timed(replace(ACTIVATION, missing=None), about)
    assert not is_timed(ACTIVATION, replace(about, time_unit="s"))
    times = mesh.centroids[:, 1]
    assert scene_of(mesh, times, field="voltage").look().isochrone == 0.0
    assert scene_of(mesh, times, field="activation", isochrones=False).look().isochrone == 0.0
    for range_, step in (((0.0, 60.0), 5.0), ((0.0, 250.0), 20.0), ((300.0, 313.0), 1.0)):
        assert scene_of(mesh, times, field="activation", range=range_).look().isochrone == step


def test_the_bar_says_how_far_apart_they_are() -> None:
    lut = np.zeros((256, 3), np.uint8)
    bare, told = (colour_bar(ACTIVATION, (0.0, 60.0), lut, DARK, 1.0, 300, step) for step in (0.0, 5.0))
    assert bare.shape == told.shape
    assert (told[-40:] != bare[-40:]).any()


def test_the_sample_of_a_line_is_darker_than_its_ground_as_on_the_surface() -> None:
    lut = np.full((256, 3), 200, np.uint8)
    foot = colour_bar(ACTIVATION, (0.0, 60.0), lut, DARK, 1.0, 300, 5.0)[-24:, 12:22, :3].astype(int).mean(axis=(1, 2))
    ground, line = np.flatnonzero(foot == 200), np.flatnonzero(foot == round(200 * LINE_SHADE))
    assert len(line) >= 1
    assert ground.min() < line.min() <= line.max() < ground.max()


def test_a_range_that_nobody_typed_is_legible(qtbot) -> None:
    panel = ViewPanel()
    qtbot.addWidget(panel)
    phase = FieldInfo("phase", "Phase", "rad", "cell", (-math.pi, math.pi))
    panel.set_info(replace(info(kuhn_cube(2)), fields=(phase,)))
    assert (panel.colours.low.text(), panel.colours.high.text()) == ("-3.1416", "3.1416")
    panel.set_view(ViewSettings(range=(-3.1234567, 1.0)))
    assert panel.colours.low.value() == -3.1234567, "what a person typed is kept"


def test_smoothing_leaves_what_is_not_known_out() -> None:
    found = surface(kuhn_cube(8))
    known = found.points[:, 1] < 5.0
    values = np.where(known, 7.0, 3e38).astype(np.float32)
    result = smoothed_known(smoothing(found.triangles, found.nodes), values, known)
    near = found.points[:, 1] < 5.0 + 10.0 / 8 + 1e-3
    assert result[near] == pytest.approx(7.0, rel=1e-6)
    assert np.isfinite(result).all()
    assert np.abs(result).max() < 8.0


def test_the_switch_in_the_view_panel(qtbot) -> None:
    panel, edits = ViewPanel(), []
    qtbot.addWidget(panel)
    panel.edited.connect(edits.append)
    panel.set_info(info(kuhn_cube(2)))
    assert not panel.isochrones.isEnabled(), "the voltage is no time"
    panel.set_view(ViewSettings(field="activation"))
    assert panel.isochrones.isEnabled()
    assert panel.isochrones.isChecked()
    panel.isochrones.click()
    assert not edits[-1].isochrones
