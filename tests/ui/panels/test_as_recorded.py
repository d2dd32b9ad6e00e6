"""Panels and forms behave as they did when somebody looked at them last: what is on, shown or offered, what wraps, what
takes the keys, what has a tip (see tests/ui/recorded.py)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import product
from typing import Annotated, Literal

import numpy as np
import pytest
from pydantic import Field
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication, QWidget

from engines.api import MarkerInfo, SeriesInfo, SimulationInfo, VectorInfo
from engines.api.device import Ceilings, DeviceInfo
from engines.api.parameters import ParameterGroup, quantity
from engines.geometry.grid import Grid
from tests.ui.comparing.test_page import AtOnce, View
from tests.ui.forms.test_lines import Poem
from tests.ui.panels.test_gallery import ENGINES, PRESETS
from tests.ui.panels.test_meters import sample
from tests.ui.panels.test_timeline import MARKS
from tests.ui.recorded import compare, compare_widgets, in_figures
from tests.ui.scene.grids import CONCENTRATION
from tests.ui.scene.grids import info as of_grid
from tests.ui.scene.meshes import info, kuhn_cube
from ui.charts.figure_dialog import SIZES, FigureDialog
from ui.comparing.page import ComparisonPage
from ui.forms.form import ParameterForm
from ui.forms.schema import plain
from ui.panels.gallery import Gallery
from ui.panels.meters.panel import MetersPanel
from ui.panels.object_tree import swatch
from ui.panels.timeline import Timeline
from ui.panels.view.panel import ViewPanel
from ui.recording.movie_dialog import MovieDialog
from ui.recording.movie_progress import MovieProgress
from ui.recording.reel import Kept
from ui.session.running.phase import Phase
from ui.widgets.theme import theme
from ui.window.help.tours.guide import Card
from workbench.project.project import ClipPlane, ViewSettings
from workbench.run.frames import Frame, KernelRate

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
    made = ComparisonPage(lambda parent: View(parent, 1.0), lambda *_: [], AtOnce(), None)
    made.set_running(False)
    return made


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


def readings() -> Iterator[str]:
    """What the meters say of runs: at a pace or as fast as they go, near their ceiling or far from it, idle."""
    panel = MetersPanel()
    series = (SeriesInfo("events", "Synaptic events", "1/s", metered="Events"),)
    device = DeviceInfo("d", "cpu", 2**30, 4, "", {})
    told = {"device_info": device, "ceilings": Ceilings(copy=20e9, triad=22e9), "ceiling": 22e9}
    panel.set_info(SimulationInfo(None, 0.1, "ms", (), series, (), None, device="d", **told))
    for panel.pace, fraction, steps, remaining, counted in product(
        (None, 1500.0), (0.0, 0.004, 0.7), (0, 150, 12_345), (None, 75.0), ([], [1e6, 2e6])
    ):
        wall = 0.02 * (1 + steps / 1000)
        kernels = (KernelRate("step", 4e-5, 1.0, 1.0),)
        values = {"steps": steps, "wall_seconds": wall, "time_per_second": 0.1 * steps / wall, "remaining": remaining}
        values |= {"bytes_per_second": 22e9 * fraction, "fraction_of_ceiling": fraction, "kernels": kernels}
        panel.take(
            [sample(steps, wall, {}), replace(sample(steps, wall, {"events": counted}), step=7 * steps, **values)]
        )
        (_, rate), ceiling = panel.history._points[-1], panel.history._ceiling
        said = ", ".join(figure.text() for figure in panel.figures.values())
        yield f"{panel.pace} {fraction} {steps}: {said}; {panel.bound.text()}; {in_figures([rate, ceiling])}"
        yield f"  {'; '.join(panel.overlay_lines())}"


def test_the_meters_say_of_a_run_what_they_did(qtbot):
    compare(ROOM, "readings of the meters", list(readings()))


def test_marks_of_what_was_placed_look_as_they_did(qapp):
    """How opaque each row and each column of their pictures is, within what a pixel at an edge makes."""
    lines = []
    for role in ("object", "material", "source", "monitor", "boundary"):
        picture = swatch((200, 100, 50), role).pixmap(24, 24).toImage().convertToFormat(QImage.Format.Format_Alpha8)
        opaque = np.array(picture.constBits(), float).reshape(24, picture.bytesPerLine())[:, :24]
        for name, along in (("rows", opaque.sum(axis=1)), ("columns", opaque.sum(axis=0))):
            lines.append(f"{role} {name} at {' '.join(f'{each:.0f}' for each in along)}")
    compare(ROOM, "marks of what was placed", lines, pixels=60.0)
