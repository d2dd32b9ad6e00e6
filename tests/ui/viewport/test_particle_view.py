"""Particles in the window: cutting open, settings of the view, clicks, probes, the status bar."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QPointF, Qt

from engines.geometry.particles import Particles
from tests.ui.scene.spheres import INSIDE, SHELLS, SURFACE, info, ten
from tests.ui.viewport.on_screen import NEEDS_DISPLAY
from tests.ui.wave import slab
from ui.panels.view.panel import ViewPanel
from ui.scene.layers.particles import VALUES
from ui.scene.overlays.hud import Hud
from ui.scene.visuals.plates import DARK, colour_bar
from ui.viewport import surfaces as viewport_surfaces
from ui.viewport.viewport import Viewport
from ui.window.status import geometry_text
from workbench.project.project import CameraView, Project, ViewSettings
from workbench.run.frames import Frame

pytestmark = NEEDS_DISPLAY
PROFILE = np.tile(np.linspace(0, 1, SHELLS, dtype=np.float32), (10, 1))


class Shown:
    def __init__(self, qtbot, particles: Particles, values, *fields) -> None:
        self.viewport, self.requests, self.values = Viewport(), [], values
        qtbot.addWidget(self.viewport)
        self.viewport.request_changed.connect(self.requests.append)
        self.viewport.resize(420, 320)
        self.viewport.set_geometry(particles)
        self.viewport.apply_view(ViewSettings())
        self.viewport.show()
        qtbot.waitExposed(self.viewport)
        self.viewport.set_simulation(info(particles, *fields))
        self.answer()

    def answer(self) -> None:
        request = self.requests[-1]
        values = {part: self.values[selection.elements] for part, (_, selection) in request.parts.items()}
        self.viewport.show_frame(Frame(request.serial, 1, 0.1, values))


@pytest.fixture(params=["raster", "direct"])
def shown(request, qtbot, monkeypatch):
    software = request.param == "raster"
    monkeypatch.setattr(viewport_surfaces.OffscreenContext, "is_software", property(lambda self: software))
    made = Shown(qtbot, ten(), PROFILE)
    yield made
    made.viewport.close_canvas()


def test_view_settings_round_trip(shown) -> None:
    view = ViewSettings(
        field="inside",
        cut_open=False,
        camera=CameraView(azimuth=10, elevation=30, distance=40.0, center=(5.0, 4.0, 3.0)),
    )
    shown.viewport.apply_view(view)
    assert shown.viewport.view_settings() == view
    assert shown.viewport.deformation is None
    shown.viewport.scene.layer._moved, shown.viewport.scene.layer.deformation = np.zeros((10, 3)), 3.0
    assert shown.viewport.deformation == 3.0
    assert Project.model_validate_json(Project(engine="soak", view=view).model_dump_json()).view == view
    assert ViewSettings.model_validate({"field": "voltage", "volume": True}).cut_open  # from before particles


def test_cutting_open_is_seen_at_once_and_asks_the_run_for_nothing(shown) -> None:
    pictures, asked = [], len(shown.requests)
    for cut_open in (True, False, True):
        shown.viewport.apply_view(ViewSettings(cut_open=cut_open))
        pictures.append(shown.viewport.image(210, 160).astype(int))
    assert np.abs(pictures[0] - pictures[1]).max() > 100
    assert np.abs(pictures[0] - pictures[2]).max() <= 1
    assert len(shown.requests) == asked


def test_a_click_on_a_cut_picks_its_sphere_and_the_place_in_it(shown, qtbot) -> None:
    viewport, particles = shown.viewport, ten()
    viewport.image()
    center, radius = particles.positions[3], particles.radii[3]
    (at,), _ = viewport.scene.camera.to_pixels(center, viewport.width(), viewport.height())
    with qtbot.waitSignal(viewport.picked, timeout=1000) as caught:
        qtbot.mouseClick(viewport, Qt.MouseButton.LeftButton, pos=QPointF(*at).toPoint())
    element, position = caught.args
    assert element == 3
    # On a closed sphere it would be a radius away; here the click is on the corner's tip, the centre, up to a pixel.
    assert np.linalg.norm(np.array(position) - center) < 0.25 * radius
    assert particles.nearest(np.array(position))[0] == 3


def test_the_value_under_the_pointer_is_read_out(shown, qtbot) -> None:
    viewport, particles = shown.viewport, ten()
    viewport.image()
    (at,), _ = viewport.scene.camera.to_pixels(particles.positions[3], viewport.width(), viewport.height())
    qtbot.mouseMove(viewport, QPointF(*at).toPoint())
    size = viewport.width(), viewport.height()
    qtbot.waitUntil(lambda: viewport.scene.reading(*size) is not None, timeout=2000)
    # The corner's tip is the centre, where the value is 0; a pixel beside it is within a quarter of the radius.
    assert 0 <= viewport.scene.reading(*size) < 0.25
    assert "reading" in {name for name, *_ in Hud().compose(viewport.scene, *size, 1.0)[0]}
    assert "reading" not in {name for name, *_ in Hud().compose(viewport.scene, *size, 1.0, handles=False)[0]}
    qtbot.mouseMove(viewport, QPointF(2, 2).toPoint())
    qtbot.waitUntil(lambda: viewport.scene.reading(*size) is None, timeout=2000)


def test_the_range_fits_what_is_in_the_picture(shown, qtbot) -> None:
    panel = ViewPanel()
    qtbot.addWidget(panel)
    panel.set_info(info(ten(), INSIDE))
    panel.fit_asked.connect(lambda: panel.colours.fit_range(shown.viewport.span()))
    edits = []
    panel.edited.connect(edits.append)
    panel.colours.fit.click()
    assert edits[-1].range == (0.0, 1.0)
    panel.colours.fit_range((0.3, 0.4))
    panel.colours.fit_range((0.5, 0.5))  # the same everywhere: as it was
    panel.colours.fit_range(None)
    assert [view.range for view in edits] == [(0.0, 1.0), (0.3, 0.4)]


def test_a_long_title_takes_two_lines_of_the_colour_bar() -> None:
    lut, sizes = np.zeros((256, 3), np.uint8), []
    for title in ("Stoichiometry", "Stoichiometry at the surface of the particles"):
        sizes.append(colour_bar(replace(INSIDE, title=title), (0.0, 1.0), lut, DARK, 1.0, 300).shape)
    assert sizes[0][0] == sizes[1][0] == 300
    assert sizes[1][1] <= 130


def test_probes_are_marked_where_they_are(shown) -> None:
    viewport = shown.viewport
    place = ten().positions[4] + [0.0, 0.0, ten().radii[4]]
    viewport.set_probes([("P1", tuple(place), (250, 20, 200))])
    image = viewport.image().astype(int)
    (at,), _ = viewport.scene.camera.to_pixels(place[None], image.shape[1], image.shape[0])
    column, row = np.floor(at).astype(int)
    assert np.abs(image[row, column, :3] - [250, 20, 200]).max() < 20


def test_a_part_of_the_spheres_is_said_to_be_one(qtbot, monkeypatch) -> None:
    monkeypatch.setattr(viewport_surfaces.OffscreenContext, "is_software", property(lambda self: True))
    n = 30_000
    places = np.stack([np.arange(n) % 200, np.arange(n) // 200, np.zeros(n)], axis=1).astype(float)
    made = Shown(qtbot, Particles(places, np.full(n, 0.4)), np.zeros(n, np.float32), SURFACE)
    lines = []
    made.viewport.quality_changed.connect(lines.append)
    try:
        qtbot.waitUntil(lambda: made.viewport.scene.coarse, timeout=5000)
        made.answer()
        made.viewport.quality._last_news = None
        made.viewport.redraw()
        qtbot.waitUntil(lambda: any("10\u202f000 of 30\u202f000 spheres" in line for line in lines), timeout=5000)
        assert len(made.requests[-1].parts[VALUES][1]) == 10_000
    finally:
        made.viewport.close_canvas()


def test_the_panel_offers_cutting_open_for_particles_alone(qtbot) -> None:
    panel, edits = ViewPanel(), []
    qtbot.addWidget(panel)
    panel.edited.connect(edits.append)
    panel.set_info(info(ten(), INSIDE, SURFACE))
    assert panel.cut_open.isVisibleTo(panel)
    assert panel.clip.isVisibleTo(panel)
    assert not panel.front.isVisibleTo(panel)
    assert panel.cut_open.isEnabled()
    assert panel.cut_open.isChecked()
    panel.cut_open.click()
    assert [view.cut_open for view in edits] == [False]
    panel.set_view(ViewSettings(field="surface"))
    assert not panel.cut_open.isEnabled()
    panel.set_geometry(slab((2, 2, 2)))
    assert not panel.cut_open.isVisibleTo(panel)
    assert panel.front.isVisibleTo(panel)


def test_the_panel_s_plane_reaches_from_one_end_of_the_particles_to_the_other(qtbot) -> None:
    panel = ViewPanel()
    qtbot.addWidget(panel)
    particles = ten()
    panel.set_geometry(particles)
    low, high = particles.bounds
    panel.axis.setCurrentIndex(panel.axis.findData("y"))
    panel.clip_slider.setValue(panel.clip_slider.maximum())
    assert panel._plane().origin == pytest.approx([(low + high)[0] / 2, high[1], (low + high)[2] / 2])


def test_spheres_are_called_spheres() -> None:
    assert geometry_text(ten()) == "10 spheres"
