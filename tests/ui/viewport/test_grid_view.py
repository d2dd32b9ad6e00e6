"""Grids in the window: settings of the view, slices and volume, probes."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QPointF, Qt

from engines.geometry.grid import Grid
from tests.ui.scene.grids import gather, info
from tests.ui.viewport.on_screen import NEEDS_DISPLAY
from ui.panels.view.grid import GridPanel
from ui.viewport import surfaces as viewport_surfaces
from ui.viewport.viewport import Viewport
from workbench.project.project import CameraView, Project, ViewSettings
from workbench.run.frames import Frame

pytestmark = NEEDS_DISPLAY
BOX = Grid((16, 20, 24), (0.5, 0.5, 0.5))
VIEW = ViewSettings(
    field="u",
    camera=CameraView(azimuth=12.0, elevation=30.0, distance=40.0, center=(5.0, 4.0, 3.0)),
    height=0.25,
    slices=(0.25, 0.5, 0.75),
    volume=True,
)


class Shown:
    def __init__(self, qtbot, grid: Grid, values) -> None:
        self.viewport, self.requests, self.values = Viewport(), [], values
        qtbot.addWidget(self.viewport)
        self.viewport.request_changed.connect(self.requests.append)
        self.viewport.resize(420, 320)
        self.viewport.set_geometry(grid)
        self.viewport.apply_view(ViewSettings())
        self.viewport.show()
        qtbot.waitExposed(self.viewport)
        self.viewport.set_simulation(info(grid))
        self.answer()

    def answer(self) -> None:
        request = self.requests[-1]
        values = {part: gather(self.values, selection) for part, (_, selection) in request.parts.items()}
        self.viewport.show_frame(Frame(request.serial, 1, 0.1, values))


@pytest.fixture(params=["raster", "direct"])
def shown(request, qtbot, monkeypatch):
    software = request.param == "raster"
    monkeypatch.setattr(viewport_surfaces.OffscreenContext, "is_software", property(lambda self: software))
    made = Shown(qtbot, BOX, np.linspace(0, 1, BOX.n_cells))
    made.software = software
    yield made
    made.viewport.close_canvas()


def test_view_settings_round_trip(shown) -> None:
    shown.viewport.apply_view(VIEW)
    assert shown.viewport.view_settings() == VIEW
    assert Project.model_validate_json(Project(engine="pond", view=VIEW).model_dump_json()).view == VIEW


def test_projects_from_before_grids_still_load() -> None:
    old = {"field": "voltage", "front": True, "overlay": False}
    view = ViewSettings.model_validate(old)
    assert (view.height, view.slices, view.volume) == (0.0, None, False)


def test_a_volume_only_where_there_is_a_graphics_card(shown) -> None:
    viewport = shown.viewport
    viewport.apply_view(ViewSettings(volume=True))
    if shown.software:
        assert viewport.volume_refusal
        assert len(shown.requests) == 1  # nothing new to ask: the slices are there
    else:
        assert viewport.volume_refusal == ""
        assert list(shown.requests[-1].parts) == ["volume"]
        shown.answer()
        sliced = viewport.image(120, 90)
        viewport.apply_view(ViewSettings())
        shown.answer()
        assert (viewport.image(120, 90) != sliced).any()


def test_the_panel_says_why_there_is_no_volume_and_moves_slices(qtbot) -> None:
    panel, edits = GridPanel(), []
    qtbot.addWidget(panel)
    panel.edited.connect(edits.append)
    panel.set_grid(BOX)
    panel.set_refusal("There is no graphics card.")
    panel.set_view(VIEW)
    assert panel.refusal.isVisibleTo(panel)
    assert panel.mode.currentText() == "Slices"
    assert not panel.mode.model().item(1).isEnabled()
    assert [label.text() for label in panel.places] == ["3 mm", "5 mm", "6 mm"]
    assert edits == []
    panel.slices[1].setValue(100)
    qtbot.waitUntil(lambda: bool(edits), timeout=1000)
    assert edits == [{"slices": (0.25, 0.2, 0.75)}]
    panel.set_refusal("")
    panel.set_view(VIEW)
    assert panel.mode.currentText() == "Volume"


def test_a_click_on_a_slice_picks_its_cell(shown, qtbot) -> None:
    viewport = shown.viewport
    viewport.apply_view(ViewSettings(slices=(0.0, 1.0, 0.5), camera=CameraView(azimuth=-60, elevation=40)))
    shown.answer()
    viewport.image()
    cell = np.ravel_multi_index((8, 6, 15), BOX.shape)
    center = BOX.centers(np.array([cell]))[0]
    (at,), _ = viewport.scene.camera.to_pixels(center, viewport.width(), viewport.height())
    with qtbot.waitSignal(viewport.picked, timeout=1000) as caught:
        qtbot.mouseClick(viewport, Qt.MouseButton.LeftButton, pos=QPointF(*at).toPoint())
    element, position = caught.args
    assert element == cell
    assert position == pytest.approx(center, abs=0.1)  # a pixel is 0.05 mm


def test_probes_are_marked_where_they_are(shown) -> None:
    viewport = shown.viewport
    viewport.set_probes([("P1", (9.0, 2.0, 4.25), (250, 20, 200))])
    image = viewport.image().astype(int)
    ratio = viewport.devicePixelRatioF()
    (at,), _ = viewport.scene.camera.to_pixels(np.array([[9.0, 2.0, 4.25]]), image.shape[1], image.shape[0])
    column, row = np.floor(at).astype(int)
    assert ratio == 1.0
    assert np.abs(image[row, column, :3] - [250, 20, 200]).max() < 20


def test_a_strided_grid_is_said_to_be_one(qtbot) -> None:
    grid = Grid((4000, 5000), (1.0, 1.0))
    made = Shown(qtbot, grid, np.zeros(grid.n_cells, np.float32))
    lines = []
    made.viewport.quality_changed.connect(lines.append)
    try:
        made.viewport.quality._last_news = None
        made.viewport.redraw()
        qtbot.waitUntil(lambda: any("one of each" in line for line in lines), timeout=5000)
        ((_, selection),) = made.requests[-1].parts.values()
        assert len(selection) <= made.viewport.quality.samples(420, 320)
    finally:
        made.viewport.close_canvas()
