"""Charts, meters and bars look as they did when somebody looked at them last: each line, area and text with its colours
and its place (see tests/ui/recorded.py)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from PySide6.QtCore import QPointF
from PySide6.QtWidgets import QApplication, QMenu, QWidget

from engines.api.charts import ChartData, ChartInfo, Curve
from tests.ui.charts.test_diagram_painted import FEW, MANY_EDGES, diagram
from tests.ui.charts.test_matrix import INFO as MATRIX
from tests.ui.charts.test_matrix import NAMES
from tests.ui.charts.test_raster import RASTER
from tests.ui.charts.test_round import ANGLES, CUT, LINEAR, WHOLE, lobe
from tests.ui.panels.test_timeline_bar import TICKS
from tests.ui.panels.test_trace_plot import buffer
from tests.ui.recorded import compare, painted
from tests.ui.sweep.test_overlay import VOLTAGE, pairs
from ui.charts.arithmetic import Look
from ui.charts.diagram.view import DiagramView
from ui.charts.plots.cell import ChartCell
from ui.charts.plots.legend import Entry, Legend, Mark
from ui.charts.plots.matrix import MatrixPlot
from ui.panels.meters.gauge import Gauge
from ui.panels.meters.history import History
from ui.panels.probes.trace_plot import TracePlot
from ui.panels.timeline_bar import ProgressBar
from ui.sweep.overlay import OverlayPlot
from ui.widgets.theme import theme
from workbench.project.project import MeasuredData

ROOM = "charts"
SIZE = (420, 300)
X = np.linspace(0.0, 100.0, 12)
LINES = ChartInfo("v", "Voltage", "V", x_title="Radius", x_unit="µm", comparable=True)
OVER_TIME = ChartInfo("t", "Voltage", "V", ("mean", "upper"), (("low", "high"),))
LOSSES = ChartInfo("l", "Losses", "mV", ("a", "b", "c"), kind="area", lines=("work",))
BARS = ChartInfo("s", "Sizes", "1", kind="bar", x_title="Radius", x_unit="µm")


def curves(factor: float = 1.0) -> ChartData:
    first = Curve("a", X, factor * (3.0 + np.cos(X / 20)), told=-1)
    return ChartData((first, Curve("b", X, factor * (1 + X / 100), low=X / 100, high=2 + X / 100)))


def cell(chart: ChartInfo, data: ChartData, size: tuple[int, int] = SIZE) -> ChartCell:
    made = ChartCell(chart, "ms")
    made.resize(*size)
    made.show()
    made.show_data(data)
    return made


def full() -> ChartCell:
    """Lines with all that may lie over them."""
    made = cell(LINES, curves())
    made.show_forecast(ChartData((Curve("a", X + 100, 2.0 + 0 * X), Curve("b", X + 100, 2 + X / 100))))
    made.show_kept({"run 1": curves(0.8), "run 2": curves(1.2)})
    made.show_measured([MeasuredData(chart="v", title="lab.csv", x=[10.0, 50.0, 90.0], y=[2.0, 3.5, 2.5])])
    made.show_cursor(40.0)
    made.show_moment(60.0)
    return made


def looked_at(look: Look) -> ChartCell:
    made = cell(LINES, curves())
    made.set_look(look)
    return made


def losses() -> ChartCell:
    parts = [Curve(name, X, k + np.sin(X / 30 + k)) for k, name in enumerate("abc")]
    return cell(LOSSES, ChartData((*parts, Curve("work", X, 4 + X / 50, over=True))))


def bars() -> ChartCell:
    counts = np.array([1.0, 4.0, 9.0, 3.0, 2.0])
    return cell(BARS, ChartData((Curve("particles", np.linspace(0, 15, 6), counts, shade=counts / 9),), "how full"))


def matrix() -> ChartCell:
    rows = (Curve(NAMES[0], X[:2], np.array([0.0, 12.5])), Curve(NAMES[1], X[:2], np.array([100.0, np.nan])))
    return cell(MATRIX, ChartData(rows, columns=NAMES))


def pattern(view: tuple[float, float] | None = None) -> ChartCell:
    """A lobe that leans to one side, in steps of 30°."""
    polar, around = (
        each.ravel() for each in np.meshgrid(np.linspace(0, 180, 7), np.arange(0, 360, 30.0), indexing="ij")
    )
    made = cell(
        WHOLE, ChartData((Curve("whole", polar, 7.1 - polar / 6.37 + 5.3 * np.cos(np.radians(around)), across=around),))
    )
    made.plot.view = made.plot.view if view is None else view  # type: ignore[union-attr]  # which has one
    return made


def raster() -> ChartCell:
    found = ChartData((Curve("few", X, X % 7), Curve("more", X + 3, X % 5)), part="24 of 900 spikes")
    return cell(RASTER, found)


def network(edges: list[tuple[int, int, float, bool]], chosen: int | None = None) -> DiagramView:
    made = DiagramView()
    made.resize(700, 420)
    made.show_diagram(diagram(edges))
    made.chosen = chosen
    return made


def gauge() -> Gauge:
    made = Gauge()
    made.resize(260, made.height())
    made.set_reading(8e9, 0.4)
    return made


def history() -> History:
    made = History()
    made.resize(260, made.height())
    made.add(15e9, 20e9)
    made.redraw()
    return made


def timeline() -> ProgressBar:
    made = ProgressBar()
    made.resize(400, 18)
    made.set_ticks(TICKS)
    made.set_fraction(0.6)
    return made


def looked_back() -> ProgressBar:
    """With the pointer on a tick, frames that were kept, branches that were left, and a moment that is looked at."""
    made = timeline()
    made.set_past((0.1, 0.55), 0.3, ((0.5, 0.9), (0.7, 0.8)))
    made._look_at(made.ticks[0])
    return made


def legend() -> Legend:
    """An entry of each mark, one below the other."""
    made = Legend()
    made.resize(75, 200)
    marks: tuple[Mark, ...] = ("line", "area", "point", "dashed", "dotted", "scale")
    made.set_entries([Entry(mark if mark != "scale" else "", place, mark) for place, mark in enumerate(marks)])
    return made


def traces() -> TracePlot:
    made = TracePlot()
    made.resize(300, 200)
    made.set_axes("Voltage", "mV", "ms")
    made.show_traces(["P1", "P2"], {"P1": buffer(2.0), "P2": buffer(-1.0)})
    return made


def swept() -> OverlayPlot:
    made = OverlayPlot()
    made.resize(*SIZE)
    made.show_curves(VOLTAGE, "ms", pairs(4), "Step", [0.0, 4.0])
    return made


SEEN: dict[str, Callable[[], QWidget]] = {
    "lines with all that lies over them": full,
    "lines over time in hours": lambda: cell(
        OVER_TIME, ChartData(tuple(Curve(name, 1e6 * X, k + X / 90) for k, name in enumerate(("mean", "upper"))))
    ),
    "logarithmic lines": lambda: looked_at(Look(log_x=True, vertical="log")),
    "lines over another in decibels": lambda: looked_at(Look(vertical="dB20", over="curve:b")),
    "stacked areas with a line": losses,
    "bars with colours": bars,
    "raster": raster,
    "matrix": matrix,
    "polar chart": lambda: cell(CUT, ChartData((Curve("cut", ANGLES, lobe(ANGLES, 90), told=18),))),
    "polar chart from the right": lambda: cell(LINEAR, ChartData((Curve("even", ANGLES, 2 + lobe(ANGLES, 90) / 60),))),
    "pattern over all directions": pattern,
    "pattern from behind and below": lambda: pattern((200.0, -40.0)),
    "network": lambda: network(FEW),
    "network with a chosen node": lambda: network(MANY_EDGES, 1),
    "chart without curves": lambda: cell(LINES, ChartData(())),
    "gauge": gauge,
    "gauge without a reading": Gauge,
    "history of the bandwidth": history,
    "bar of the timeline": timeline,
    "bar of a run that is looked back on": looked_back,
    "legend of all marks": legend,
    "traces of probes": traces,
    "curves of a sweep": swept,
}


def seen(name: str) -> list[str]:
    widget = SEEN[name]()
    widget.show()
    QApplication.processEvents()
    lines = painted(widget)
    widget.close()
    widget.deleteLater()
    return lines


@pytest.mark.parametrize("name", SEEN)
def test_a_chart_looks_as_it_did(qtbot, qapp, name):
    theme().apply("dark", qapp)
    compare(ROOM, name, seen(name), pixels=1.0)


def offered(menu: QMenu) -> list[str]:
    """The actions of a menu and of those in it: which are on, and which are chosen."""
    lines = []
    for action in menu.actions():
        on = [name for name in ("Enabled", "Checked") if getattr(action, f"is{name}")()]
        lines.append(f"{action.text()!r} {' '.join(on)}")
        lines += [f"  {line}" for line in offered(action.menu())] if action.menu() else []
    return lines


def told(chart: ChartCell) -> list[str]:
    """What a chart says in words, with the pointer nowhere and at five places; its table; its menu."""
    x = [value for curve in chart.curves for value in (curve.x.min(), curve.x.max())] or [0.0]
    lines = []
    for at in (None, *np.linspace(min(x) - 1, max(x) + 1, 5)):
        chart.show_cursor(at)
        entries = (f"{each.title} {each.place} {each.mark} {each.value} {each.short}" for each in chart.legend.entries)
        lines.append(f"{at}: {chart.readout.text() or chart.below.text()}; {', '.join(entries)}; {chart.note.text()}")
    if isinstance(chart.plot, MatrixPlot):
        places = [QPointF(x, y) for y in (2, 60, 120, 230) for x in (2, 90, 200, 300)]
        lines += sorted({chart.plot.text_at(at) for at in places})
    return [*lines, *chart.content(".csv").decode().splitlines()[:12], *offered(chart.menu())]


@pytest.mark.parametrize("name", SEEN)
def test_a_chart_tells_what_it_did(qtbot, qapp, name):
    theme().apply("dark", qapp)
    widget = SEEN[name]()
    if isinstance(widget, ChartCell):
        compare(ROOM, f"{name}: what is told", told(widget))
    widget.close()
    widget.deleteLater()


def test_a_chart_with_a_pointer_and_one_on_paper_look_as_they_did(qapp):
    theme().apply("dark", qapp)
    for name in ("lines with all that lies over them", "polar chart", "raster", "stacked areas with a line"):
        chart = SEEN[name]()
        assert isinstance(chart, ChartCell)
        chart.show_cursor(42.0)
        QApplication.processEvents()
        compare(ROOM, f"{name}: with a pointer", painted(chart.plot), pixels=1.0)
        paper = chart.on_paper()
        paper.resize(*SIZE)
        paper.show()
        QApplication.processEvents()
        compare(ROOM, f"{name}: on paper", painted(paper), pixels=1.0)
        for each in (paper, chart):
            each.close()
            each.deleteLater()
