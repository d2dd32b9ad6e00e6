"""Markers of a moment: asked for where there are any, drawn where they are, counted in the legend."""

from dataclasses import replace

import numpy as np

from engines.api import MarkerInfo, Markers
from tests.ui.scene.meshes import info, kuhn_cube
from tests.ui.scene.test_renderer import SIZE, canvas, egl  # noqa: F401 — fixtures
from ui.panels.view.panel import ViewPanel
from ui.scene.overlays.hud import marker_lines
from ui.scene.painter import Painter
from ui.scene.scene import Scene
from ui.scene.visuals.markers import COLOURS
from workbench.project.project import CameraView, ViewSettings
from workbench.run.frames import Frame

# Written out: what the sources have is held against these.
POINTS = 5.0

MARKED = MarkerInfo("Spiral tips", ("left", "right"))
NEAR, FAR = (10.0, 5.0, 7.0), (0.0, 5.0, 3.0)
MARKERS = Markers(np.array([NEAR, FAR]), np.array([1, -1], np.int8))


def answered(**view) -> tuple[Scene, bool]:
    """A scene seen from +x after one frame, and whether markers were asked for."""
    scene, mesh = Scene(), kuhn_cube(3)
    scene.set_geometry(mesh)
    scene.info = replace(info(mesh), marked=MARKED)
    camera = CameraView(azimuth=0.0, elevation=0.0)
    request = scene.apply_view(ViewSettings(camera=camera, front=False, **view), SIZE[0] / SIZE[1])
    values = {part: np.full(len(selection), -80.0, np.float32) for part, (_, selection) in request.parts.items()}
    markers = MARKERS if request.markers else None
    assert scene.show_frame(Frame(request.serial, 1, 0.1, values, markers=markers))
    return scene, request.markers


def test_markers_are_drawn_where_they_are_and_pale_where_hidden(canvas) -> None:  # noqa: F811
    scene, asked = answered()
    assert asked
    painter = Painter()
    painter.draw_scene(scene, *SIZE, ratio=1.0, resolution=1.0)
    image = painter.read_scene()[..., :3].astype(float)
    painter.release()
    spots, _ = scene.camera.to_pixels(MARKERS.positions, *SIZE)
    drawn = [image[round(y), round(x)] / 255 for x, y in spots]
    for colour, wanted in zip(drawn, COLOURS, strict=True):
        others = [channel for channel in range(3) if wanted[channel] < 128]
        lit = [channel for channel in range(3) if wanted[channel] > 200]
        assert min(colour[lit]) > max(colour[others]), "the hue of its sign"
    x, y = (round(value) for value in spots[0])
    plain = image[y, x + round(POINTS) + 4]
    ghost = np.abs(drawn[1] * 255 - plain).max()
    assert 10 < ghost < 0.7 * np.abs(drawn[0] * 255 - plain).max(), "the far side shines through, pale"


def test_the_legend_counts_each_sign() -> None:
    title, lines = marker_lines(MARKED, np.array([1, 1, -1], np.int8))
    assert title == "Spiral tips: 3"
    assert [name for name, _ in lines] == ["2 left", "1 right"]
    assert marker_lines(MARKED, np.zeros(0, np.int8)) == ("Spiral tips: none", ())


def test_markers_that_are_switched_off_are_not_asked_for() -> None:
    scene, asked = answered(markers=False)
    assert not asked
    assert scene.markers is None
    assert scene.apply_view(scene.view.model_copy(update={"markers": True}), 1.2).markers


def test_the_switch_bears_their_name_and_is_there_only_with_them(qtbot) -> None:
    panel = ViewPanel()
    qtbot.addWidget(panel)
    panel.show()
    assert not panel.markers.isVisible()
    mesh = kuhn_cube(1)
    panel.set_info(replace(info(mesh), marked=MARKED))
    assert panel.markers.isVisible()
    assert panel.markers.text() == "Spiral tips"
    views = []
    panel.edited.connect(views.append)
    panel.markers.click()
    assert not views[-1].markers
    panel.set_info(info(mesh))
    assert not panel.markers.isVisible()
