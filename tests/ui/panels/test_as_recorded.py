"""Panels and forms behave as they did when somebody looked at them last: what is on, shown or offered, what wraps, what
takes the keys, what has a tip (see tests/ui/recorded.py)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Annotated, Literal

import pytest
from pydantic import Field
from PySide6.QtWidgets import QApplication, QWidget

from engines.api import MarkerInfo, SimulationInfo, VectorInfo
from engines.api.parameters import ParameterGroup, quantity
from engines.geometry.grid import Grid
from tests.ui.comparing.test_page import AtOnce, View
from tests.ui.forms.test_lines import Poem
from tests.ui.panels.test_gallery import ENGINES, PRESETS
from tests.ui.panels.test_timeline import MARKS
from tests.ui.recorded import compare_widgets
from tests.ui.scene.grids import CONCENTRATION
from tests.ui.scene.grids import info as of_grid
from tests.ui.scene.meshes import info, kuhn_cube
from ui.charts.figure_dialog import SIZES, FigureDialog
from ui.comparing.page import ComparisonPage
from ui.forms.form import ParameterForm
from ui.forms.schema import plain
from ui.panels.gallery import Gallery
from ui.panels.meters.panel import MetersPanel
from ui.panels.timeline import Timeline
from ui.panels.view.panel import ViewPanel
from ui.recording.movie_dialog import MovieDialog
from ui.recording.movie_progress import MovieProgress
from ui.recording.reel import Kept
from ui.session.controller import Phase
from ui.widgets.theme import theme
from ui.window.help.tours.guide import Card
from workbench.project.project import ClipPlane, ViewSettings
from workbench.run.frames import Frame

ROOM = "panels"


class Part(ParameterGroup):
    name: str = quantity("part", "", "Name")
    length: float = quantity(2.0, "mm", "From one end to the other", gt=0)


class Example(ParameterGroup):
    """A field of each kind."""

    speed: float = quantity(1.5, "m/s", "How fast it goes", live=True, gt=0, le=20)
    count: int = quantity(3, "1", "How many", ge=1, le=9)
    limit: Annotated[float, Field(gt=0)] | None = quantity(None, "ms", "Limit")
    closed: bool = quantity(True, "", "Closed")
    way: Literal["up", "down"] = quantity("up", "", "Way")
    where: tuple[float, float, float] = quantity((1.0, 2.0, 3.0), "mm", "Where")
    table: str = quantity("", "", "Measured", file="table")
    verses: Poem = quantity(Poem(), "", "Poem")
    parts: list[Part] = quantity([Part(), Part(name="other")], "", "Parts")


def view_of(simulated: SimulationInfo | None, **view: object) -> ViewPanel:
    panel = ViewPanel()
    panel.set_info(simulated)
    panel.set_view(ViewSettings(**view))  # type: ignore[arg-type]  # of its own fields
    return panel


def form_of(values: object) -> ParameterForm:
    form = ParameterForm()
    form.set_model(type(values))  # type: ignore[arg-type]  # a model of parameters
    form.set_suggestions({"region": ["left", "right"]})
    form.set_values(plain(values))  # type: ignore[arg-type]
    return form


def gallery() -> Gallery:
    made = Gallery()
    made.set_presets(PRESETS, ENGINES, {"light": "Maxwell's equations"})
    return made


def timeline(phase: Phase) -> Timeline:
    made = Timeline()
    made.set_unit("ms")
    made.set_phase(phase)
    made.set_marks(MARKS)
    return made


def two_runs() -> ComparisonPage:
    return ComparisonPage(lambda parent: View(parent, 1.0), lambda *_: [], AtOnce(), None)


MESH = replace(info(kuhn_cube(2)), marked=MarkerInfo("Spiral tips", ("left", "right")))
GRID = replace(
    of_grid(Grid((8, 6, 4), (1.0, 1.0, 1.0)), CONCENTRATION), vectors=(VectorInfo("f", "Flow", "m/s", ("a", "", "")),)
)
SEEN: dict[str, Callable[[], QWidget]] = {
    "view without a run": lambda: view_of(None),
    "view of a mesh that is cut": lambda: view_of(MESH, clip=ClipPlane(origin=(5.0, 5.0, 5.0), normal=(0.0, 0.0, 1.0))),
    "view of a grid with isosurfaces": lambda: view_of(GRID, levels=[0.3], range=(0.0, 2.0), reverse=True),
    "form of all kinds of fields": lambda: form_of(Example()),
    "gallery": gallery,
    "timeline of a run that is paused": lambda: timeline(Phase.PAUSED),
    "timeline of a run that goes on": lambda: timeline(Phase.RUNNING),
    "meters": MetersPanel,
    "dialog of a figure": lambda: FigureDialog(QWidget, SIZES["On a slide"]),
    "dialog of a movie": lambda: MovieDialog([Kept(None, 1, Frame(1, k, 3.6 * k, {})) for k in range(3)], "s", 19_900),
    "dialog of a movie as it is written": lambda: MovieProgress("movie", 12, None),
    "page of two runs": two_runs,
    "card of a tour": lambda: Card(None),
}


@pytest.mark.parametrize("name", SEEN)
def test_a_panel_behaves_as_it_did(qtbot, qapp, name):
    theme().apply("dark", qapp)
    widget = SEEN[name]()
    qtbot.addWidget(widget)
    widget.resize(420, 700)
    widget.show()
    QApplication.processEvents()
    compare_widgets(ROOM, name, widget)
